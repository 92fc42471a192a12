"""The one way in which JSON is read that somebody else may have written, or a disk changed."""

import functools
import json
from pathlib import Path
from typing import Any

_DRAFT = {"$schema": "http://json-schema.org/draft-04/schema"}  # where 1.0 is no integer
_PLAIN = {int: "integer", float: "number", str: "string", bool: "boolean", None: "null"}


class CorruptFileError(ValueError):
    """A file is cut short, foreign, or does not fit; the message says which and what to do."""


def read_json(source: Path | bytes | str, shape: Any = object, name: object = None) -> Any:
    """What a JSON file or text holds, if that has the right shape.

    A shape is short for a JSON schema: ``int`` (of 64 bits), ``float`` (finite; whole numbers too),
    ``str``, ``bool`` or ``None``; ``(shape, shape)`` is one or the other of these; ``object`` is
    anything. ``[shape]`` is a list of any length. ``{"name": shape}`` has these entries,
    ``{"name?": shape}`` may have them; others may stand beside, and with ``{str: shape}`` must be
    alike::

        read_json(path, {"format": str, "sha256": {str: str}, "minutes?": (float, None)})

    Args:
        source: a file, or the text itself, as UTF-8 or decoded; a byte order mark is passed over.
        name: what the message calls it; None: the file's path.

    Raises:
        OSError: there is no such file, or it cannot be read.
        CorruptFileError: it is no JSON, nested without end, or of another shape.
    """
    name = name or (source if isinstance(source, Path) else "The text")
    content = source.read_bytes() if isinstance(source, Path) else source
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_number)
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
        raise CorruptFileError(f"{name} is damaged or foreign ({fault}).")
    return value


def shape_fault(value: Any, shape: Any) -> str:
    """In which way a value is not of a shape (see ``read_json``), in some words; "" if it is."""
    from fastjsonschema import JsonSchemaValueException

    try:
        _compiled(json.dumps(_DRAFT | _schema(shape)))(value, name_prefix="it")
    except JsonSchemaValueException as error:
        return " ".join(error.message.split())[:150]
    return ""


@functools.cache
def _compiled(schema: str):
    import fastjsonschema

    return fastjsonschema.compile(json.loads(schema))


def _schema(shape: Any) -> dict[str, Any]:
    if shape is object:
        return {}
    if isinstance(shape, list):
        return {"type": "array", "items": _schema(shape[0])}
    if isinstance(shape, dict):
        named = {name: one for name, one in shape.items() if name is not str}
        return {
            "type": "object",
            "required": [name for name in named if name[-1] != "?"],
            "properties": {name.removesuffix("?"): _schema(one) for name, one in named.items()},
            "additionalProperties": _schema(shape.get(str, object)),
        }
    kinds = shape if isinstance(shape, tuple) else (shape,)
    least, most = (-1.7e308, 1.7e308) if float in kinds else (-(2**63), 2**63 - 1)
    return {"type": [_PLAIN[kind] for kind in kinds], "minimum": least, "maximum": most}


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")
