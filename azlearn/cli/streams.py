"""Input and output wherever a command runs: in any encoding, with streams that are closed."""

import codecs
import os
import sys

_PLAIN = {
    "…": "...", "–": "-", "−": "-", "·": "-", "•": "*", "✓": "+", "✗": "x", "✕": "X", "◯": "O",
    "●": "X", "■": "O", "µ": "u", "→": "->", "λ": "lambda", "σ": "sigma", "ρ": "rho", "θ": "theta",
    **dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True)),
}  # fmt: skip


def use_readable_names() -> None:
    """Starts this program again in UTF-8 mode if its Python's folder has a name it cannot read.

    This is so if the locale is C, UTF-8 mode is off and the folder has an umlaut. PyTorch would not
    start there. The streams keep their encoding.
    """
    encoding = sys.getfilesystemencoding()
    try:
        sys.prefix.encode()
    except UnicodeEncodeError:
        if encoding != "utf-8":
            environment = {"PYTHONIOENCODING": encoding, **os.environ, "PYTHONUTF8": "1"}
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


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
