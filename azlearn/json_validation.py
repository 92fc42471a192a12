"""Reads JSON that may be untrusted or damaged."""

import functools
import json
from pathlib import Path
from typing import Any

_DRAFT = {"$schema": "http://json-schema.org/draft-04/schema"}  # here 1.0 is not an integer
_PLAIN = {int: "integer", float: "number", str: "string", bool: "boolean", None: "null"}


class CorruptFileError(ValueError):
    """A file is damaged, comes from another program, or does not fit; the message says which."""


def read_json(source: Path | bytes | str, shape: Any = object, name: object = None) -> Any:
    """Returns the content of a JSON file or text, after checking that it has the given shape.

    A shape is a short form of a JSON schema: ``int`` (64 bits), ``float`` (finite; integers too),
    ``str``, ``bool`` or ``None``; ``(shape, shape)`` means either of these; ``object`` is anything.
    ``[shape]`` is a list of any length. ``{"name": shape}`` must have this entry,
    ``{"name?": shape}`` may have it. Other entries are allowed; with ``{str: shape}`` they must
    have that shape::

        read_json(path, {"format": str, "sha256": {str: str}, "minutes?": (float, None)})

    Args:
        source: a file, or the text itself, as UTF-8 or decoded; a byte order mark is ignored.
        name: how the error message refers to the source; None: the path, or "The text".

    Raises:
        OSError: the file does not exist or cannot be read.
        CorruptFileError: the text is not JSON, is nested too deeply, or has another shape.
    """
    name = name or (source if isinstance(source, Path) else "The text")
    content = source.read_bytes() if isinstance(source, Path) else source
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_number)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # raises for half a surrogate pair
        fault = shape_fault(value, shape)
    except UnicodeError:
        fault = "it is not UTF-8"
    except RecursionError:
        fault = "its brackets are nested too deeply"
    except ValueError as error:
        fault = f"it is not JSON: {error}"
    if fault:
        raise CorruptFileError(f"{name} is damaged or not from azlearn ({fault}).")
    return value


def shape_fault(value: Any, shape: Any) -> str:
    """Says how a value differs from a shape (see ``read_json``); "" if it has that shape."""
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
    raise ValueError(f"{constant} is not a JSON number")
