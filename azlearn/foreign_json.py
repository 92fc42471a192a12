"""The one way in which JSON is read that somebody else may have written, or a disk changed."""

import json
import reprlib
from math import isfinite
from pathlib import Path
from typing import Any

_WORDS = {
    int: "a whole number",
    float: "a finite number",
    str: "text",
    bool: "true or false",
    None: "null",
}


class DamagedFile(ValueError):
    """A file is cut short, foreign, or does not fit; the message says which and what to do."""


def read_json(source: Path | bytes | str, shape: Any = object, name: object = None) -> Any:
    """What a JSON file or text holds, if that has the right shape.

    A shape is ``int`` (of 64 bits), ``float`` (finite; whole numbers too), ``str``, ``bool`` or
    ``None``; ``object`` is anything. ``[shape]`` is a list of any length. ``{"name": shape}`` has
    these entries, ``{"name?": shape}`` may have them; others may stand beside, and with
    ``{str: shape}`` must be alike. ``(shape, shape)`` is one or the other::

        read_json(path, {"format": str, "sha256": {str: str}, "minutes?": (float, None)})

    Args:
        source: a file, or the text itself, as UTF-8 or decoded; a byte order mark is passed over.
        name: what the message calls it; None: the file's path.

    Raises:
        OSError: there is no such file, or it cannot be read.
        DamagedFile: it is no JSON, nested without end, or of another shape.
    """
    name = name or (source if isinstance(source, Path) else "The text")
    content = source.read_bytes() if isinstance(source, Path) else source
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        value = json.loads(text.removeprefix("\ufeff"))
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # half a character cannot be shown
        fault = shape_fault(value, shape)
    except UnicodeError:
        fault = "it is not UTF-8"
    except RecursionError:
        fault = "its brackets are nested too deep"
    except ValueError as error:
        fault = f"it is no JSON: {error}"
    if fault:
        raise DamagedFile(f"{name} is damaged or foreign ({fault}).")
    return value


def shape_fault(value: Any, shape: Any, at: str = "") -> str:
    """In which way a value is not of a shape (see ``read_json``), in some words; "" if it is."""
    if isinstance(shape, tuple):
        faults = [shape_fault(value, one, at) for one in shape]
        return faults[0] if all(faults) else ""
    if isinstance(shape, list):
        if not isinstance(value, list):
            return _other(value, "a list", at)
        return _first(shape_fault(item, shape[0], f"{at}[{n}]") for n, item in enumerate(value))
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return _other(value, "an object with names", at)
        named = {name for name in shape if name is not str}
        if missing := [name for name in named if name[-1] != "?" and name not in value]:
            return f"{_within(at, min(missing))} is missing"
        shapes = {name.removesuffix("?"): shape[name] for name in named}
        rest = shape.get(str, object)
        return _first(
            shape_fault(item, shapes.get(name, rest), _within(at, name))
            for name, item in value.items()
        )
    return "" if _is_plain(value, shape) else _other(value, _WORDS[shape], at)


def _is_plain(value: Any, shape: Any) -> bool:
    if shape is object or shape is None:
        return shape is object or value is None
    if type(value) is int and shape in (int, float):
        return -(2**63) <= value < 2**63
    return type(value) is shape and (shape is not float or isfinite(value))


def _other(value: Any, words: str, at: str) -> str:
    return f"{at or 'it'} must be {words}, not {reprlib.repr(value)}"


def _within(at: str, name: str) -> str:
    name = name if name.isidentifier() else reprlib.repr(name)
    return f"{at}.{name}" if at else name


def _first(faults: Any) -> str:
    return next(filter(None, faults), "")
