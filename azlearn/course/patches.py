"""Faulty code as a patch of the right one: a function with some text of its source replaced.

What a patched function does and what the reader sees as the difference come from the same lines.
"""

import ast
import difflib
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from azlearn.course.sheets import Change, changed


@dataclass(frozen=True)
class Patch:
    """A function in which something is wrong.

    Attributes:
        function: the right one.
        changes: what is replaced in its source, as on an exercise's sheet; see ``sheets``.
        names: what the new text needs, beside the names of the function's module.
    """

    function: Callable[..., Any]
    changes: tuple[Change, ...]
    names: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @cached_property
    def _right(self) -> str:
        """The right source, from the margin, without its docstring."""
        source = textwrap.dedent(inspect.getsource(self.function))
        function = ast.parse(source).body[0]
        lines, first = source.rstrip().split("\n"), function.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            del lines[first.lineno - 1 : first.end_lineno]
        return "\n".join(line.split("  # noqa")[0] for line in lines)

    @property
    def _wrong(self) -> str:
        return changed(self._right, self.changes)

    def made(self) -> Callable[..., Any]:
        """The function that is wrong.

        Raises:
            ValueError: a text to replace is not in the source exactly once.
        """
        names = {**self.function.__globals__, **self.names}
        exec("from __future__ import annotations\n" + self._wrong, names)
        return names[self.function.__name__]

    @property
    def diff(self) -> list[str]:
        """The lines that differ, with one before and after: "-" the right one, "+" this one."""
        before, after = self._right.split("\n"), self._wrong.split("\n")
        lines = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
        head = f"  in {self.function.__qualname__.removesuffix('.__call__')}:"
        return [head, *("  …" if line.startswith("@@") else line for line in lines[1:])]


def patched(owner: type, *patches: Patch) -> type:
    """A subclass of ``owner`` whose methods are the patched ones, those that ``owner`` has."""
    mine = {
        patch.function.__name__: patch.made()
        for patch in patches
        if vars(owner).get(patch.function.__name__) is patch.function
    }
    return type(owner.__name__, (owner,), mine) if mine else owner
