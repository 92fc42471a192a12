"""Makes faulty functions by replacing some text in the source of correct ones.

The same lines make the patched function and the difference that the reader sees.
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
    """A fault in a function.

    Attributes:
        function: the correct function.
        changes: the replacements in its source, as on an exercise's sheet; see ``sheets``.
        names: names that the new text uses, besides those of the function's module.
    """

    function: Callable[..., Any]
    changes: tuple[Change, ...]
    names: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @cached_property
    def _right(self) -> str:
        """The correct source, without indentation and docstring."""
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
        """Makes the faulty function.

        Raises:
            ValueError: a text to replace is not in exactly one line.
        """
        names = {**self.function.__globals__, **self.names}
        exec("from __future__ import annotations\n" + self._wrong, names)
        return names[self.function.__name__]

    @property
    def diff(self) -> list[str]:
        """The lines that differ and one line around them; "-" is correct, "+" is faulty."""
        before, after = self._right.split("\n"), self._wrong.split("\n")
        lines = list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]
        head = f"  in {self.function.__qualname__.removesuffix('.__call__')}:"
        return [head, *("  …" if line.startswith("@@") else line for line in lines[1:])]


def patched(owner: type, *patches: Patch) -> type:
    """A subclass of ``owner`` with those of the patches that change one of its methods."""
    mine = {
        patch.function.__name__: patch.made()
        for patch in patches
        if vars(owner).get(patch.function.__name__) is patch.function
    }
    return type(owner.__name__, (owner,), mine) if mine else owner
