"""The same rules, compiled or of another size: a copy of a rules module, every function anew."""

import ast
import importlib.util
import itertools
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

_NUMBERS = itertools.count()


@cache
def variant(
    rules: ModuleType,
    decorate: Callable[[FunctionType], Any] | None = None,
    constant: Callable[[int], Any] | None = None,
    **changed: int,
) -> ModuleType:
    """A copy of ``rules`` with other constants, its functions gone through ``decorate``.

    The same arguments give the same copy.

    The functions of a rules module call each other by name. A compiler must find its *own* version
    behind each name, so the whole module is loaded a second time and decorated from top to bottom,
    with the functions that it imports. The class ``State`` stays that of ``rules``.

    Args:
        rules: a rules module, such as ``azlearn.games.connect_four_rules``, or a variant of one.
        decorate: ``numba.njit``, ``triton.jit``, …; None leaves the functions as they are.
        constant: wraps the module's integers for compilers that demand it (``tl.constexpr``).
        changed: new values of the module's own constants, such as ``SIZE=6``; what the module
            computes from them follows.

    Raises:
        ValueError: the module assigns no constant of a name in ``changed``.
    """
    source = ast.parse(Path(rules.__file__).read_text(encoding="utf-8"))
    # Classes stay those of the file: a game is no part of its rules, and its states are one class.
    source.body = [part for part in source.body if not isinstance(part, ast.ClassDef)]
    changed = {**getattr(rules, "CHANGED", {}), **changed}
    assigned = set()
    for statement in source.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            assigned.add(name)
            if name in changed:
                value = ast.Constant(changed[name])
                statement.value = ast.copy_location(value, statement.value)
    if unknown := changed.keys() - assigned:
        raise ValueError(f"{rules.__name__} has no constant {', '.join(sorted(unknown))}.")
    name = f"{rules.__name__}_variant_{next(_NUMBERS)}"
    spec = importlib.util.spec_from_file_location(name, rules.__file__)
    copy = importlib.util.module_from_spec(spec)
    sys.modules[name] = copy  # torch.compile imports the module of a function by its name
    if hasattr(rules, "State"):
        copy.State = rules.State
    exec(compile(source, rules.__file__, "exec"), vars(copy))
    copy.CHANGED = changed
    _fetch_what_imports_need(vars(copy))
    for name, value in list(vars(copy).items()):
        if isinstance(value, FunctionType) and name.islower() and decorate:  # not NamedTuple
            if value.__closure__:  # imported for something else: no rule is made by a call
                continue
            if value.__globals__ is not vars(copy):  # imported: it, too, must find this module
                value = FunctionType(value.__code__, vars(copy), name)
            setattr(copy, name, decorate(value))
        elif isinstance(value, int) and name.isupper() and constant:
            setattr(copy, name, constant(value))
    return copy


def _fetch_what_imports_need(names: dict[str, Any]) -> None:
    """Imported functions are to live here: so must the functions and constants that they use."""
    waiting = [value for value in names.values() if isinstance(value, FunctionType)]
    for function in waiting:  # grows on the way
        home = function.__globals__
        for name in function.__code__.co_names if home is not names else ():
            if name in home and name not in names:
                names[name] = home[name]
                if isinstance(home[name], FunctionType):
                    waiting.append(home[name])
