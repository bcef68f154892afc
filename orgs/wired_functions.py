"""Functions that a lower app calls and a higher app defines.

Imports point one way, so a lower app cannot import such a function. It declares it with `@wired`,
next to the call: the signature, when it is called, and no body. `config/connect_apps.py` connects
every declared function with the one that runs. A process in which one is left out does not start.
"""

from collections.abc import Callable
from functools import update_wrapper
from typing import Generic, ParamSpec, TypeVar

from django.core.exceptions import ImproperlyConfigured

P = ParamSpec("P")
R = TypeVar("R")
_declared: list["WiredFunction[..., object]"] = []


class WiredFunction(Generic[P, R]):
    """A declared function; a call of it calls `function`. Until it is connected, that is the
    declaration, which raises NotImplementedError."""

    def __init__(self, declaration: Callable[P, R]) -> None:
        update_wrapper(self, declaration)
        self.name = f"{declaration.__module__}.{declaration.__name__}"
        self.declaration = declaration
        self.function = declaration
        _declared.append(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def connect(self, function: Callable[P, R]) -> None:
        """Connect the function that runs. Raises ImproperlyConfigured for a second one."""
        if self.function is not self.declaration:
            raise ImproperlyConfigured(f"{self.name} is connected twice.")
        self.function = function


def wired(declaration: Callable[P, R]) -> WiredFunction[P, R]:
    """Declare a function that a higher app defines; the body raises NotImplementedError."""
    return WiredFunction(declaration)


def check_wiring() -> None:
    """Raise ImproperlyConfigured, with their names, if declared functions are not connected."""
    if missing := [one.name for one in _declared if one.function is one.declaration]:
        raise ImproperlyConfigured(
            f"config/connect_apps.py does not connect {', '.join(sorted(missing))}."
        )
