"""Old names from the previous edition, for notebooks and programs that still use them."""

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

_Called = TypeVar("_Called", bound=Callable[..., Any])


def old_names(module: str, **renamed: str) -> Callable[[str], Any]:
    """Returns a module's ``__getattr__`` that resolves old names with a DeprecationWarning."""

    def get(name: str) -> Any:
        if name not in renamed:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warnings.warn(f"{name} is now {renamed[name]}.", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], renamed[name])

    return get


def old_arguments(**renamed: str) -> Callable[[_Called], _Called]:
    """Decorates a function or class to accept old keyword names with a DeprecationWarning."""

    def decorate(called: _Called) -> _Called:
        inner = called.__init__ if isinstance(called, type) else called

        @functools.wraps(inner)
        def outer(*args: Any, **options: Any) -> Any:
            for old in renamed.keys() & options.keys():
                warnings.warn(f"{old} is now {renamed[old]}.", DeprecationWarning, stacklevel=2)
                options[renamed[old]] = options.pop(old)
            return inner(*args, **options)

        if not isinstance(called, type):
            return outer
        called.__init__ = outer
        return called

    return decorate
