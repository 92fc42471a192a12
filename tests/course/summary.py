"""Counts the wrong answers caught, for the end of a test run."""


def mutants_line(terminalreporter) -> str:
    """ "exercise mutants caught / written: 168 / 168", or "" if none were tried."""
    marks = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == "mutant" and getattr(report, "when", "") == "call"
    ]
    if not marks:
        return ""
    return f"exercise mutants caught / written: {marks.count('caught')} / {len(marks)}"
