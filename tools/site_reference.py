"""The site's reference: a page for each package, made from the docstrings of its public names.

``write_pages`` writes what Sphinx reads. As a Sphinx extension, which ``docs/site/conf.py`` names,
this module adds the comments of fields to the docstring of their class, and links code words in the
chapters to the reference.
"""

import inspect
import re
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

from tools.public_names import PACKAGES, PublicName, data_comment, field_comments, public_names

FOLDER = "reference"
Places = dict[str, tuple[str, str]]  # for each name, its page and its anchor
_DEFINED = re.compile(r"^\s*(?:def|class) (\w+)", re.M)
_IMPORTED = re.compile(r"^\s*from azlearn[\w.]* import (\([^)]*\)|[^#\n]*)", re.M)
_CODE_WORD = re.compile(r"(azlearn\.(?:\w+\.)*)?([A-Za-z]\w*(?:\.[a-z]\w*)?)(\(.*\))?")
_DOCUMENTED = re.compile(r"    (\w+(?:, \w+)*):")


def write_pages(source: Path) -> None:
    """Writes a page for each package into ``source / FOLDER``."""
    folder = source / FOLDER
    folder.mkdir()
    for package in PACKAGES:
        (folder / f"{package}.rst").write_text(_page(package), encoding="utf-8")


def _page(package: str) -> str:
    parts = [f"{package}\n{'=' * len(package)}", f".. automodule:: {package}\n   :no-members:"]
    parts += [_entry(public) for public in public_names(package)]
    return "\n\n".join(parts) + "\n"


def _entry(public: PublicName) -> str:
    if public.is_data:
        head = [f".. py:data:: {public.name}", f"   :module: {public.module}"]
        if isinstance(public.value, int | float):
            head.append(f"   :value: {public.value:.6g}")
        return "\n".join([*head, "", f"   {data_comment(public)}"])
    name = f"{public.module}.{public.name}"
    if isinstance(public.value, type):
        return f".. autoclass:: {name}\n   :members:\n   :member-order: bysource"
    return f".. autofunction:: {name}"


def setup(app: Any) -> dict[str, bool]:
    """Registers this module's functions; Sphinx calls it."""
    places: Places = {}
    app.connect("autodoc-process-docstring", add_fields, priority=100)  # napoleon has 500
    app.connect("autodoc-process-signature", clean_signature)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("doctree-read", name_attributes)
    app.connect("env-check-consistency", partial(find_places, places=places))
    app.connect("doctree-resolved", partial(link_code_words, places=places))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_fields(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Adds the commented fields of a class to the section ``Attributes:`` of its docstring."""
    if what != "class":
        return
    documented = {
        name
        for line in lines
        if (match := _DOCUMENTED.match(line))
        for name in match[1].split(", ")
    }
    comments = field_comments(value).items()
    rows = [f"    {name}: {text}" for name, text in comments if text and name not in documented]
    if not rows:
        return
    if "Attributes:" not in lines:
        lines += ["", "Attributes:", *rows]
        return
    at = lines.index("Attributes:") + 1
    while at < len(lines) and lines[at].startswith("    "):
        at += 1
    lines[at:at] = rows


def clean_signature(app: Any, what: str, name: str, value: Any, options: Any, shown: Any, to: Any):
    """The signature to print, if Sphinx's own is not what readers should see.

    A protocol has no arguments. A widget has those of its ``__init__``. Limits on the values of a
    setting are left out, and defaults that are no plain values are "...".
    """
    from sphinx.util.inspect import stringify_signature

    if getattr(value, "_is_protocol", False):
        return "", None
    if what != "class" or not shown:
        return None
    has_init = value.__init__ is not object.__init__  # a NamedTuple has none
    signature = inspect.signature(value.__init__ if has_init else value)
    arguments = list(signature.parameters.values())[has_init:]
    signature = signature.replace(
        parameters=[_plain(argument) for argument in arguments],
        return_annotation=inspect.Signature.empty,
    )
    return stringify_signature(signature, unqualified_typehints=True), to


def _plain(argument: inspect.Parameter) -> inspect.Parameter:
    if hasattr(argument.annotation, "__metadata__"):
        argument = argument.replace(annotation=argument.annotation.__origin__)
    if "<" in repr(argument.default) and argument.default is not argument.empty:
        argument = argument.replace(default=_Omitted())
    return argument


class _Omitted:
    def __repr__(self) -> str:
        return "..."


def skip_member(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> Any:
    """Skips classes and modules that are attributes of a class, and the fields of a NamedTuple."""
    is_field = type(value).__name__ == "_tuplegetter"
    return True if is_field or inspect.isclass(value) or inspect.ismodule(value) else None


def name_attributes(app: Any, doctree: Any) -> None:
    """Gives the list of a class's fields the heading "Attributes", not Sphinx's "Variables"."""
    from docutils import nodes

    for heading in doctree.findall(nodes.field_name):
        if heading.astext() == "Variables":
            heading.children = [nodes.Text("Attributes")]


def find_places(app: Any, env: Any, places: Places) -> None:
    """Fills ``places`` with each public name and each documented member."""
    objects, members = env.domains["py"].objects, defaultdict(list)
    for name in objects:
        members[name.rpartition(".")[0]].append(name)
    for package in reversed(PACKAGES):  # if two names are the same, the first package's counts
        for public in public_names(package):
            full = f"{public.module}.{public.name}"
            for name in (full, *members[full]):
                entry = objects[name]
                places[name.removeprefix(public.module + ".")] = entry.docname, entry.node_id


def link_code_words(app: Any, doctree: Any, page: str, places: Places) -> None:
    """Links each code word that is a public name, such as ``MCTS`` or ``Tree.policy``."""
    from docutils import nodes

    code = "\n".join(block.astext() for block in doctree.findall(nodes.literal_block))
    for word in list(doctree.findall(nodes.literal)):
        name = public_name(word.astext(), code, places, page.startswith(FOLDER))
        if name is None or isinstance(word.parent, nodes.title):
            continue
        target, anchor = places[name]
        if not _is_inside(word, anchor):
            address = f"{app.builder.get_relative_uri(page, target)}#{anchor}"
            link = nodes.reference("", "", internal=True, refuri=address)
            word.replace_self(link)
            link += word


def public_name(word: str, code: str, places: Places, in_reference: bool = False) -> str | None:
    """The public name that a code word means, or None.

    A lowercase word such as ``elo`` can mean something else. It counts only if the page's code
    imports it from azlearn, or if it is a call, ``elo()``, in the reference; and never if a public
    class has a method of that name (``play``). A name that the page's code defines is not public.
    """
    match = _CODE_WORD.fullmatch(word)
    if not match or match[2] not in places:
        return None
    package, name, call = match.groups()
    first = name.partition(".")[0]
    if first in _DEFINED.findall(code):
        return None
    if package or "_" in first or not first.islower():
        return name
    is_method = any(other.endswith("." + first) for other in places)
    is_imported = re.search(rf"\b{first}\b", " ".join(_IMPORTED.findall(code)))
    is_used = is_imported or (in_reference and call)
    return name if is_used and not is_method else None


def _is_inside(node: Any, anchor: str) -> bool:
    """Whether the node is in a link, or belongs to the very entry that the anchor is of."""
    from docutils import nodes
    from sphinx import addnodes

    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.reference):
            return True
        if isinstance(node, addnodes.desc) and anchor in node[0]["ids"]:
            return True
    return False
