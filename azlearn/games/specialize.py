"""Makes copies of a rules module: compiled, or for another board size."""

import ast
import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

NO_FILE = (
    "The rules must be in a file, not in a notebook. Write them to one, such as my_game.py, and"
    " load it with make_game('my_game.py:MyGame')."
)
_NUMBERS = itertools.count()
_Cached = type(cache(len))


@cache
def specialize(
    rules: ModuleType,
    decorate: Callable[[FunctionType], Any] | None = None,
    **changed: int,
) -> ModuleType:
    """Returns a copy of ``rules`` with other constants and with all functions decorated.

    The same arguments return the same copy.

    The functions of a rules module call each other by name. A compiler must find its *own* version
    under each name, so the whole module is loaded again and every function is decorated. Functions
    that it uses from other files, by ``from helpers import f`` or as ``helpers.f``, are copied in
    the same way and keep the global names of their own file. The class ``State`` of ``rules`` is
    shared. Nothing is imported again: another game may have a helper file of the same name.

    Args:
        rules: a rules module, such as ``azlearn.games.connect_four_rules``, or a copy of one.
        decorate: such as ``numba.njit``; None leaves the functions as they are.
        changed: new values of the module's own constants, such as ``SIZE=6``; values that the
            module computes from them change too.

    Raises:
        ValueError: the module has no file, or does not assign a constant in ``changed``.
    """
    if not hasattr(rules, "__file__"):
        raise ValueError(NO_FILE)
    source = ast.parse(Path(rules.__file__).read_text(encoding="utf-8"))
    # Classes are not copied: a game class is not part of the rules, and all copies share one State.
    source.body = [
        part
        for part in source.body
        if not isinstance(part, (ast.ClassDef, ast.Import, ast.ImportFrom))
        or getattr(part, "module", "") == "__future__"
    ]
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
    vars(copy).update({**vars(rules), **vars(copy)})
    exec(compile(source, rules.__file__, "exec"), vars(copy))
    copy.CHANGED = changed
    if decorate:
        _Decorated(copy, decorate)
    return copy


class _Decorated:
    """Decorates the functions of a module, and copies of the functions that they use."""

    def __init__(self, module: ModuleType, decorate: Callable[[FunctionType], Any]) -> None:
        self.decorate, self.home = decorate, vars(module)
        self.names = {id(self.home): self.home}  # each file's new names, by id of its old names
        self.done: dict[Any, Any] = {}
        for name, value in list(self.home.items()):
            if isinstance(value, FunctionType) and value.__globals__ is self.home:
                self.home[name] = self.function(value)

    def function(self, given: FunctionType) -> Any:
        """Decorates a function, and everything that it uses by name."""
        if given in self.done:
            return self.done[given]
        home, looked_up = given.__globals__, set(_names_in(given.__code__))
        if id(home) not in self.names:
            self.names[id(home)] = dict(home)
        names = self.names[id(home)]
        self.done[given] = decorated = self.decorate(_copied(given, names))
        self.done[decorated] = decorated
        for name in looked_up & home.keys():
            names[name] = self.used(home[name], looked_up)
        return decorated

    def used(self, value: Any, looked_up: set[str]) -> Any:
        """The replacement for ``value`` among the names of a decorated function."""
        if isinstance(value, _Cached):
            value = value.__wrapped__  # a compiled function cannot use a Python cache
        if isinstance(value, FunctionType) and _is_plain(value.__module__):
            return self.function(value)
        if isinstance(value, ModuleType) and _is_plain(value.__name__):
            if value not in self.done:
                self.done[value] = copy = ModuleType(value.__name__)
                self.done[copy] = copy
                vars(copy).update(vars(value))
            for name in looked_up & vars(value).keys():
                setattr(self.done[value], name, self.used(vars(value)[name], looked_up))
            return self.done[value]
        return value


def _copied(given: FunctionType, names: dict[str, Any]) -> FunctionType:
    """A copy of the function with other global names.

    Keyword-only arguments become positional, because some compilers, such as numba, mix them up.
    """
    code, defaults = given.__code__, given.__defaults__
    if number := code.co_kwonlyargcount:
        known = given.__kwdefaults__ or {}
        only = code.co_varnames[code.co_argcount : code.co_argcount + number]
        # Keyword-only arguments without a default are always passed, so 0 is never used.
        defaults = (*(defaults or ()), *(known.get(name, 0) for name in only))
        code = code.replace(co_argcount=code.co_argcount + number, co_kwonlyargcount=0)
    return FunctionType(code, names, given.__name__, defaults, given.__closure__)


def _is_plain(module: str | None) -> bool:
    """Whether a module's functions are plain Python, unknown to compilers."""
    return (module or "").partition(".")[0] not in {*sys.stdlib_module_names, "numpy", "numba"}


def _names_in(code: CodeType) -> Iterator[str]:
    """Every name that a function's code, or a nested function, looks up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
