"""Prints the summary of `make test`: what ran, where the time went, and the total as in pytest.

`python -m tests.summary FOLDER` reads the junit reports that the parts of `make test` wrote there.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from pathlib import Path

_OUTCOMES = ("passed", "failed", "errors", "skipped")


def read_report(path: Path) -> tuple[dict[str, int], float, dict[str, float]]:
    """Counts per outcome, seconds of the whole run, and seconds per test file or notebook."""
    (suite,) = ElementTree.parse(path).getroot().iter("testsuite")
    number = {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
    counts = {
        "passed": number["tests"] - number["failures"] - number["errors"] - number["skipped"],
        "failed": number["failures"],
        "errors": number["errors"],
        "skipped": number["skipped"],
    }
    seconds: dict[str, float] = defaultdict(float)
    for case in suite.iter("testcase"):
        seconds[case.get("classname", "?")] += float(case.get("time", 0))
    return counts, float(suite.get("time", 0)), seconds


def main(folder: Path) -> int:
    """Print the summary; exit code 1 if there is no report or anything failed."""
    reports = sorted(folder.glob("*.xml"))
    if not reports:
        print(f"{folder} holds no report", file=sys.stderr)
        return 1
    totals: dict[str, int] = defaultdict(int)
    all_seconds: dict[str, float] = {}
    wall = 0.0
    for report in reports:
        counts, time, seconds = read_report(report)
        wall += time
        all_seconds |= seconds
        for outcome in _OUTCOMES:
            totals[outcome] += counts[outcome]
        print(f"{report.stem:<14} {counts['passed']:>5} passed in {time:6.1f} s")
    print("slowest files:")
    for name in sorted(all_seconds, key=all_seconds.get, reverse=True)[:8]:
        print(f"  {all_seconds[name]:6.1f} s  {name}")
    said = ", ".join(f"{totals[name]} {name}" for name in _OUTCOMES if totals[name])
    print(f"{f' {said} in {wall:.2f}s ':=^100}")
    return int(totals["failed"] + totals["errors"] > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
