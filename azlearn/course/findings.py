"""What the doctor found, as text or as a table."""

import html
from dataclasses import dataclass

from azlearn.course.looks import FINDINGS

OK, NOTE, PROBLEM = "OK", "note", "problem"


@dataclass(frozen=True)
class Finding:
    """One line: ``status`` is "OK", "note" (the course works without) or "problem"."""

    subject: str
    status: str
    text: str
    remedy: str = ""


@dataclass(frozen=True, repr=False)
class Report:
    """All findings; text in a terminal, a table in a notebook."""

    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        """1 if anything is a problem, else 0."""
        return int(any(finding.status == PROBLEM for finding in self.findings))

    @property
    def verdict(self) -> str:
        """One sentence that sums it up."""
        problems = sum(finding.status == PROBLEM for finding in self.findings)
        if problems:
            return f"{problems} problem{'s' * (problems > 1)} to solve before you start."
        return "Everything the course needs is here."

    def __str__(self) -> str:
        width = max(len(finding.subject) for finding in self.findings)
        lines = []
        for finding in self.findings:
            text = f"{finding.text} {finding.remedy}".rstrip()
            symbol = FINDINGS[finding.status].symbol
            lines.append(f"{symbol} {finding.subject:<{width}}  {finding.status:<7}  {text}")
        return "\n".join([*lines, self.verdict])

    def __repr__(self) -> str:
        return str(self)

    def __rich__(self):
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, show_header=False, padding=(0, 1))
        for finding in self.findings:
            symbol, _, color = FINDINGS[finding.status]
            text = f"{finding.text} {finding.remedy}".rstrip()
            table.add_row(
                Text(symbol, color), finding.subject, Text(finding.status, color), Text(text)
            )
        return Group(table, Text(self.verdict, style="bold"))

    def _repr_html_(self) -> str:
        cell = "text-align:left;vertical-align:top;padding:.15em .9em .15em 0"
        rows = []
        for finding in self.findings:
            symbol, color, _ = FINDINGS[finding.status]
            mark = (
                f'<span style="background:{color};color:#fff;border-radius:4px;padding:0 .45em">'
                f"{symbol} {finding.status}</span>"
            )
            text = html.escape(finding.text)
            if finding.remedy:
                text += f"<br><em>{html.escape(finding.remedy)}</em>"
            rows.append(
                f'<tr><th scope="row" style="{cell}">{html.escape(finding.subject)}</th>'
                f'<td style="{cell};white-space:nowrap">{mark}</td>'
                f'<td style="{cell}">{text}</td></tr>'
            )
        return (
            f'<table style="border-collapse:collapse"><tbody>{"".join(rows)}</tbody></table>'
            f"<p><b>{html.escape(self.verdict)}</b></p>"
        )
