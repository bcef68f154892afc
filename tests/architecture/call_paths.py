"""Which modules a request passes, and where a call climbs: seen while it runs.

A module is passed when one of its functions runs. A call climbs when the module that is called
imports, directly or through others, the module that calls: what lies below calls what lies above.
A call through `orgs.wired_functions` is one of the module that declares the function.
"""

import inspect
import sys
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import Any

import grimp

PRODUCT = ("memories", "robots", "orgs", "personas")
FUNCTION_FLAG = inspect.CO_OPTIMIZED
GENERATOR_FLAGS = inspect.CO_GENERATOR | inspect.CO_COROUTINE
# Tables say what there is, and are no stop on a way.
WIRING = "orgs.wired_functions"
TABLE_MODULES = (".models", ".migrations")


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph("config", *PRODUCT)


@cache
def _is_upward_call(caller: str, called: str) -> bool:
    graph = _graph()
    known = {caller, called} <= graph.modules
    return known and graph.find_shortest_chain(importer=called, imported=caller) is not None


def _module(frame: FrameType | None) -> str:
    """The module of the product that a frame runs in, or nothing."""
    name: str = frame.f_globals.get("__name__", "") if frame is not None else ""
    if not name.startswith(tuple(f"{one}." for one in PRODUCT)):
        return ""
    return "" if any(part in f"{name}." for part in (f"{t}." for t in TABLE_MODULES)) else name


def trace_call(act: Callable[[], Any]) -> tuple[set[str], set[tuple[str, str]]]:
    """(modules passed, calls that climb as caller and called) while the act runs."""
    passed: set[str] = set()
    calls: set[tuple[str, str]] = set()

    def seen(frame: FrameType, event: str, _argument: object) -> None:
        # What runs while a module is imported, or inside an expression, is no stop of its own.
        flags = frame.f_code.co_flags
        if event != "call" or not flags & FUNCTION_FLAG or flags & GENERATOR_FLAGS:
            return
        if (name := _module(frame)) and name != WIRING:
            passed.add(name)
            before = frame.f_back
            while before is not None and before.f_globals.get("__name__") == WIRING:
                before = before.f_back
            caller = _module(before)
            if caller and caller != name:
                calls.add((caller, name))

    sys.setprofile(seen)
    try:
        act()
    finally:
        sys.setprofile(None)
    return passed, {pair for pair in calls if _is_upward_call(*pair)}
