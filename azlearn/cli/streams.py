"""Input and output wherever a command runs: in any encoding, with streams that are closed."""

import codecs
import os
import sys

_PLAIN = {
    "…": "...", "–": "-", "−": "-", "·": "-", "•": "*", "✓": "+", "✗": "x", "✕": "X", "◯": "O",
    "●": "X", "■": "O", "µ": "u", "→": "->", "λ": "lambda", "σ": "sigma", "ρ": "rho", "θ": "theta",
    **dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True)),
}  # fmt: skip


def use_plain_streams() -> None:
    """What an encoding lacks is written in characters that it has; bytes that are no text are "?".

    So marks and curves can be told apart in ASCII, too. A stream that is closed is the null device.
    """
    codecs.register_error("azlearn", _in_plain_characters)
    for name, mode, errors in (
        ("stdin", "r", "replace"), ("stdout", "w", "azlearn"), ("stderr", "w", "azlearn"),
    ):  # fmt: skip
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif hasattr(getattr(sys, name), "reconfigure"):  # a notebook's has it not
            getattr(sys, name).reconfigure(errors=errors)


def _in_plain_characters(error: UnicodeError) -> tuple[str, int]:
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in lacking), error.end
