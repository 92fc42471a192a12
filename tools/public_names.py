"""The public names of azlearn, by package: what the reference on the site documents.

It needs no Sphinx, so a test of the docstrings can use it, too.
"""

import ast
import importlib
import inspect
import io
import tokenize
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

PACKAGES = (
    "azlearn.games",
    "azlearn.search",
    "azlearn.learning",
    "azlearn.alphago",
    "azlearn.arena",
    "azlearn.viz",
    "azlearn.course",
    "azlearn.minimal",
)
# Beside what a package exports: the names that chapters import from its modules.
_FROM_MODULES = {
    "azlearn.games": ("bits.popcount", "bits.sign", "named.make_game"),
    "azlearn.learning": ("living_filters.living_share", "living_filters.living_units"),
    "azlearn.alphago": ("patterns.FEATURES", "patterns.NUM_WEIGHTS", "patterns.OFFSETS"),
    "azlearn.arena": ("alphago_report.report", "alphago_report.shipped"),
    "azlearn.course": (
        "alphago_elo.draw_elo",
        "doctor.doctor",
        "recipes.recipe_table",
        "small_go.stones",
        "stored_runs.MINUTES",
        "stored_runs.seed_runs",
        "stored_runs.setting_runs",
        "stored_runs.two_teachers",
        "stored_runs.window_runs",
    ),
    "azlearn.minimal": ("AlphaZero", "PlayedGame", "Sample", "log_softmax"),
}


class PublicName(NamedTuple):
    """A name that readers import.

    Attributes:
        module: the module to import it from, such as ``azlearn.search``.
        name: the name in that module.
        value: the object itself.
    """

    module: str
    name: str
    value: Any

    @property
    def is_data(self) -> bool:
        """Whether it is a constant or an alias, which has a comment and no docstring."""
        is_other = not (inspect.isclass(self.value) or inspect.isroutine(self.value))
        return is_other or self.value.__name__ != self.name


def public_names(package: str) -> list[PublicName]:
    """The public names of a package, those of its ``__init__`` first."""
    module = importlib.import_module(package)
    found = [PublicName(package, name, getattr(module, name)) for name in exported(module)]
    for path in _FROM_MODULES.get(package, ()):
        inner, _, name = f"{package}.{path}".rpartition(".")
        found.append(PublicName(inner, name, getattr(importlib.import_module(inner), name)))
    return found


def exported(module: ModuleType) -> list[str]:
    """What a package's ``__init__`` exports, classes before functions before constants."""

    def order(name: str) -> tuple[int, str]:
        value = getattr(module, name)
        return (0 if inspect.isclass(value) else 1 if inspect.isroutine(value) else 2), name

    return sorted(getattr(module, "__all__", ()), key=order)


def data_comment(public: PublicName) -> str:
    """The comment that documents a constant or a type alias, where it is defined."""
    source = inspect.getsource(importlib.import_module(public.module))
    for node in ast.parse(source).body:  # a package only hands the name on
        if isinstance(node, ast.ImportFrom) and public.name in [a.name for a in node.names]:
            return data_comment(public._replace(module=node.module))
        if _assigned(node) == public.name:
            return _comment_of(node, source)
    raise ValueError(f"{public.module} does not define {public.name}.")


def field_comments(kind: type) -> dict[str, str]:
    """The comments of a class's fields, which stand behind them or above; "" for none."""
    try:
        source = inspect.cleandoc("\n" + inspect.getsource(kind))
    except OSError:  # made by a function
        return {}
    (node,) = ast.parse(source).body
    return {
        name: _comment_of(line, source)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and not (name := line.target.id).startswith("_")
    }


def _assigned(node: ast.stmt) -> str | None:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _comment_of(node: ast.stmt, source: str) -> str:
    """The comment in a statement's first or last line, or in the lines just above it."""
    comments, lines = _comments(source), source.splitlines()
    for line in (node.lineno, node.end_lineno):
        if comments.get(line):
            return comments[line]
    above, line = [], node.lineno - 1
    while line in comments and lines[line - 1].lstrip().startswith("#"):
        if above and comments[line].endswith("."):  # the heading of a section
            break
        above.insert(0, comments[line])
        line -= 1
    return " ".join(above)


@cache
def _comments(source: str) -> dict[int, str]:
    """Comments by their line."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {
        token.start[0]: token.string.lstrip("#: ").removesuffix("fmt: skip").strip()
        for token in tokens
        if token.type == tokenize.COMMENT
    }
