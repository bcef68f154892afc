"""Work that a call leaves for when its answer has been sent; nobody waits for it.

The server collects it for each call. Where nobody collects (commands, jobs, tests), it is done at
once. It is no promise: a process that ends loses it.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import close_old_connections

log = logging.getLogger("commonmind.after_answer")

# In the scope of a call whose answer is a part of another one: the list of what is left for later,
# which whoever sends the whole answer awaits then.
LATER_SCOPE_KEY = "commonmind.later"
Work = Callable[[], object]
_collected: ContextVar[list[Work] | None] = ContextVar("after_answer", default=None)


def run_after_answer(work: Work) -> None:
    """Do something once the answer has been sent; call outside of transactions."""
    waiting = _collected.get()
    if waiting is None:
        work()
    else:
        waiting.append(work)


@contextmanager
def collect_for_later(waiting: list[Work]) -> Iterator[None]:
    """Collect what a call leaves for later in a list; whoever collects does it."""
    token = _collected.set(waiting)
    try:
        yield
    finally:
        _collected.reset(token)


def run_collected(waiting: list[Work]) -> None:
    """Do what was collected. What fails is reported by its kind alone and holds up nothing."""
    close_old_connections()
    for work in waiting:
        try:
            work()
        except Exception as error:
            # A message may quote a text.
            log.error("work behind an answer failed: %s", type(error).__name__)  # noqa: TRY400
    close_old_connections()
