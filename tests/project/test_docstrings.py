"""Every public name has a docstring, and every name in the docstring exists."""

import ast
import builtins
import dataclasses
import inspect
import json
import re
import sys
import textwrap

import numpy as np
import torch
import traitlets

from tests.browser import ROOT
from tools.public_names import PACKAGES, data_comment, public_names

PUBLIC = [public for package in PACKAGES for public in public_names(package)]
SECTIONS = ("Args", "Attributes", "Returns", "Yields", "Raises")
# Methods that the protocol ``Player`` describes for every class that has them.
OF_PLAYERS = ("name", "choose", "choose_batch")


def documented():
    """Each public function, class and method, by its full name."""
    for public in PUBLIC:
        if public.is_data:
            continue
        name, value = f"{public.module}.{public.name}", public.value
        yield name, value
        fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
        names = vars(value).keys() - {field.name for field in fields} if is_class(value) else ()
        for member in sorted(names):
            found = vars(value)[member]
            found = getattr(found, "fget", None) or getattr(found, "func", found)  # properties
            found = getattr(found, "__func__", found)  # static and class methods
            if inspect.isfunction(found) and not member.startswith("_"):
                yield f"{name}.{member}", with_docstring(value, member, found)


def with_docstring(kind, member, function):
    """The method itself, or the one that it overrides if it has no docstring of its own."""
    if function.__doc__:
        return function
    above = (vars(base).get(member) for base in kind.__mro__[1:])
    return next((base for base in above if base and base.__doc__), function)


is_class = inspect.isclass
DOCUMENTED = {
    name: (value, inspect.getdoc(value) or "")
    for name, value in documented()
    if value.__doc__ or name.rpartition(".")[2] not in OF_PLAYERS
}


def sections(text):
    """The sections of a docstring in Google's style, with the names that each lists."""
    found = {}
    for match in re.finditer(r"^(\w+):\n((?:    .*\n|\n)+)", text + "\n", re.M):
        lines = re.findall(r"^    (\*{0,2}\w[\w, .*]*?):(?: |$)", match[2], re.M)
        found[match[1]] = [name.strip().lstrip("*") for line in lines for name in line.split(",")]
    return found


def refuse(wrong):
    """Fails with a line for each fault."""
    assert not (wrong := list(wrong)), "\n".join(wrong)


def test_each_docstring_starts_with_a_line_that_is_a_sentence():
    refuse(
        f"{name}: {text.partition(chr(10))[0] or 'no docstring'}"
        for name, (_, text) in DOCUMENTED.items()
        if not text.partition("\n")[0].endswith(".")
    )


def test_the_reference_knows_all_sections():
    refuse(
        f"{name}: {section}"
        for name, (_, text) in DOCUMENTED.items()
        for section in sections(text)
        if section not in SECTIONS
    )


def test_the_reference_would_take_words_before_a_colon_for_a_type():
    refuse(
        f"{public.name}.{name}"
        for public in PUBLIC
        if is_class(public.value)
        for name, value in vars(public.value).items()
        if isinstance(value, property) and ":" in (value.__doc__ or "").partition("\n")[0]
    )


def test_args_are_parameters():
    wrong = []
    for name, (value, text) in DOCUMENTED.items():
        names = sections(text).get("Args", [])
        parameters = inspect.signature(value.__init__ if is_class(value) else value).parameters
        if unknown := {*names} - parameters.keys():
            wrong.append(f"{name} has no parameters {unknown}; it has {', '.join(parameters)}.")
        if len(names) > len({*names}):
            wrong.append(f"{name} lists a parameter twice: {names}.")
    assert not wrong, "\n".join(wrong)


def test_raises_lists_exceptions():
    public = {public.name: public.value for public in PUBLIC} | vars(traitlets)
    wrong = []
    for name, (value, text) in DOCUMENTED.items():
        known = vars(builtins) | public | vars(sys.modules[value.__module__])
        for error in sections(text).get("Raises", []):
            if not (is_class(known.get(error)) and issubclass(known[error], BaseException)):
                wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)


def test_docstrings_name_the_exceptions_that_the_code_raises():
    refuse(
        f"{name}: {error}"
        for name, (value, text) in DOCUMENTED.items()
        for error in raised(value)
        if error not in text
    )


def raised(value):
    """The exceptions of a function's own ``raise`` statements, except those in a ``try``."""
    if is_class(value):
        value = vars(value).get("__init__")
        if value is None or value.__module__ == "typing":  # none, or that of a protocol
            return set()
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    except OSError:  # written by a decorator
        return set()
    caught = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.Try)
        for line in block.body
        for node in ast.walk(line)
    }
    names = {
        getattr(getattr(node.exc, "func", node.exc), "id", "")
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and node not in caught
    }
    return {name for name in names if name[:1].isupper()} - {"NotImplementedError"}


def test_docstrings_of_functions_on_arrays_give_a_shape():
    wrong = [
        name
        for name, (value, text) in DOCUMENTED.items()
        if not is_class(value) and takes_or_returns_an_array(value) and "[" not in text
    ]
    overridden = [name for name in wrong if "[" in of_base(name)]
    wrong = sorted({*wrong} - {*overridden})
    assert not wrong, "\n".join(wrong)


def takes_or_returns_an_array(function):
    """Whether an array or a tensor, or a list of them, stands in the signature."""
    signature = inspect.signature(function)
    hints = [parameter.annotation for parameter in signature.parameters.values()]
    return any(is_array(hint) for hint in [*hints, signature.return_annotation])


def is_array(hint):
    if hint in (np.ndarray, torch.Tensor):
        return True
    is_container = getattr(hint, "__origin__", None) in (list, tuple)
    return is_container and any(is_array(inner) for inner in hint.__args__)


def of_base(name):
    """The docstrings of the methods that a method overrides."""
    kind, member = name.rsplit(".", 1)
    kind = DOCUMENTED.get(kind, (None, ""))[0]
    bases = kind.__mro__[1:] if is_class(kind) else ()
    return " ".join(getattr(vars(base).get(member), "__doc__", None) or "" for base in bases)


def test_constants_and_aliases_have_a_comment():
    wrong = [public.name for public in PUBLIC if public.is_data and not data_comment(public)]
    assert not wrong, wrong


def test_what_the_chapters_import_is_public():
    known = {(public.module.split(".")[1], public.name) for public in PUBLIC}
    known.add(("games", "variant"))  # the earlier name of ``specialize``
    wrong = set()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            is_folded = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
            if cell["cell_type"] == "code" and not is_folded:
                wrong |= {f"{path.name}: {name}" for name in imports(cell) - known}
    assert not wrong, "\n".join(sorted(wrong))


def imports(cell):
    """The package and the name of everything, except modules, that a cell imports from azlearn."""
    lines = [line for line in "".join(cell["source"]).splitlines() if line[:1] not in "%!"]
    return {
        (node.module.split(".")[1], alias.name)
        for node in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("azlearn.")
        for alias in node.names
        if not (ROOT / f"{node.module}.{alias.name}".replace(".", "/")).with_suffix(".py").exists()
    }
