"""Counts the wrong answers caught, and says so at the end of the run."""

import pytest


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    marks = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == "mutant" and getattr(report, "when", "") == "call"
    ]
    if marks:
        caught = marks.count("caught")
        terminalreporter.write_line(f"exercise mutants caught / written: {caught} / {len(marks)}")
