"""Coroutines in tests, in a thread of their own.

Playwright's driver leaves a running loop in the thread of the first browser test, so `asyncio.run`
fails in whatever test comes after it there. The linter refuses it elsewhere.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_own_thread(work: Callable[..., Result], *args: Any, **named: Any) -> Result:
    """What `work` returns or raises, called in a new thread."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(work, *args, **named).result()


def run_coroutine(work: Coroutine[Any, Any, Result]) -> Result:
    """What `work` returns or raises, in a new loop and a new thread."""
    return in_own_thread(asyncio.run, work)  # noqa: TID251
