"""The doctor's findings, as text or as a table."""

from dataclasses import dataclass

from azlearn.course.cards import FINDINGS, mark, table

OK, NOTE, PROBLEM = "OK", "note", "problem"


@dataclass(frozen=True)
class Finding:
    """One line; ``status`` is "OK", "note" (the course works without it) or "problem"."""

    subject: str
    status: str
    text: str
    remedy: str = ""


@dataclass(frozen=True, repr=False)
class Report:
    """All findings, as text in a terminal and as a table in a notebook."""

    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        """1 if there is a problem, else 0."""
        return int(any(finding.status == PROBLEM for finding in self.findings))

    @property
    def verdict(self) -> str:
        """A summary in one sentence."""
        problems = sum(finding.status == PROBLEM for finding in self.findings)
        if problems:
            return f"{problems} problem{'s' * (problems > 1)} to solve before you start."
        return "Everything the course needs is here."

    def __str__(self) -> str:
        rows = [
            (f"{FINDINGS[f.status].symbol} {f.subject}", f.status, f"{f.text} {f.remedy}")
            for f in self.findings
        ]
        return f"{table(rows).text}\n{self.verdict}"

    __repr__ = __str__

    def __rich__(self):
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, show_header=False, padding=(0, 1))
        for f in self.findings:
            symbol, _, color = FINDINGS[f.status]
            words = Text(f"{f.text} {f.remedy}".rstrip())
            table.add_row(Text(symbol, color), f.subject, Text(f.status, color), words)
        return Group(table, Text(self.verdict, style="bold"))

    def _repr_html_(self) -> str:
        rows = [
            (f.subject, mark(FINDINGS[f.status], f.status), f"{f.text}\n{f.remedy}".strip())
            for f in self.findings
        ]
        return f"{table(rows).html}<p><b>{self.verdict}</b></p>"
