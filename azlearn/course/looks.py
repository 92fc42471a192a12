"""How an outcome looks, in one place: the symbol and the colour beside its word.

Never the colour alone. White text on each colour has a contrast of at least 4.5 : 1.
"""

from typing import NamedTuple


class Look(NamedTuple):
    """A symbol, a colour as "#rrggbb", and a terminal's name for that colour."""

    symbol: str
    color: str
    terminal: str = ""


_GREEN, _RED, _GREY = "#0a6b4b", "#a3201d", "#5f6368"

OUTCOMES = {
    "not attempted": Look("○", _GREY),
    "error": Look("!", _RED),
    "wrong": Look("✗", "#9a4b00"),
    "right": Look("✓", _GREEN),
}
NEW = Look("·", _GREY)
HINT = Look("", "#1f5f99")
CASE = Look("", "#5b3c88")

FINDINGS = {
    "OK": Look("✓", _GREEN, "green"),
    "note": Look("·", "#8a5a00", "yellow"),
    "problem": Look("✗", _RED, "red"),
}
