"""A request from the moment when its body is there until a thread has answered it, watched.

A request that is answered within half a second, as nearly all are, costs one timer. Later ones are
watched: what the client left is stopped, and what is over its time is stopped and answered with a
503. A thread cannot be ended. One that goes on computing keeps its place in its caller's share.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future
from contextvars import copy_context
from typing import Any

from django.conf import settings

from config.transport.answers import LEFT, Answer, Send, Stream
from config.transport.refusals import Refused
from config.transport.request_bodies import ClientLeft
from config.transport.thread_shares import ThreadShares
from orgs.api.problems import RETRY_SECONDS
from orgs.database.time_budget import LATE, TimeBudget, open_budget

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Work = Callable[[TimeBudget, Stream], Answer]
WATCH_AFTER_SECONDS = 0.5
# A statement that began while another one was cancelled is cancelled after so many seconds.
AGAIN_SECONDS = 1.0
# Seconds that a thread has to say itself that it was stopped.
GRACE_SECONDS = 3.0
NO_THREAD = (
    "All threads that one caller may have at the same time are taken by calls of this one. Wait "
    "for the answers of earlier calls."
)


class WatchedCall:
    """One call. It is used in the event loop; `work` runs in a thread."""

    def __init__(self, receive: Receive, send: Send, on_end: Callable[[], None]) -> None:
        self.budget = TimeBudget(settings.REQUEST_SECONDS)
        self.stream = Stream(send, self.budget)
        self._thread_seconds = 0.0
        self._receive, self._on_end = receive, on_end
        self._loop = asyncio.get_running_loop()
        self._outcome: asyncio.Future[Any] = self._loop.create_future()
        self._turn: asyncio.Future[None] | None = None
        self._watcher: asyncio.Task[None] | None = None

    async def run(self, shares: ThreadShares, threads: Executor, caller: str, work: Work) -> Any:
        """What the work returns. `on_end` is called once, when nothing of the call runs any more.

        Raises Refused when the time is over, ClientLeft, and what the work raises.
        """
        timer: asyncio.TimerHandle | None = None
        try:
            if not shares.acquire_now(caller):
                await self._wait_for_turn(shares, caller)
            running = threads.submit(copy_context().run, self._work, work)
            running.add_done_callback(
                lambda ended: self._loop.call_soon_threadsafe(self._end, shares, caller, ended)
            )
            timer = self._loop.call_later(WATCH_AFTER_SECONDS, self._watch)
            return await self._outcome
        finally:
            if timer is None:
                self._on_end()
            else:
                timer.cancel()
            if self._watcher is not None:
                self._watcher.cancel()

    def _work(self, work: Work) -> Any:
        open_budget(self.budget)
        began = time.monotonic()
        try:
            return work(self.budget, self.stream)
        finally:
            self._thread_seconds = time.monotonic() - began
            self.budget.release_connection()

    def _end(self, shares: ThreadShares, caller: str, ended: "Future[Any]") -> None:
        shares.release(caller, self._thread_seconds)
        self._on_end()
        error = ended.exception()
        if self._outcome.done():
            # Somebody else has answered. The file of an answer is closed all the same.
            answer = None if error else ended.result()
            if isinstance(answer, Answer) and answer.close is not None:
                answer.close()
        elif error is None:
            self._outcome.set_result(ended.result())
        else:
            self._outcome.set_exception(error)

    async def _wait_for_turn(self, shares: ThreadShares, caller: str) -> None:
        turn = self._turn = shares.enqueue(caller)
        self._watch()
        try:
            await turn
        except asyncio.CancelledError:
            shares.leave(caller, turn)
            if self.budget.reason == LEFT:
                raise ClientLeft from None
            if self.budget.reason:
                raise _late(NO_THREAD) from None
            raise
        self._turn = None

    def _watch(self) -> None:
        if self._watcher is None:
            self._watcher = self._loop.create_task(self._watch_until_end())

    async def _watch_until_end(self) -> None:
        leaving = asyncio.ensure_future(self._receive())
        try:
            while not leaving.done() and (left := self.budget.until - time.monotonic()) > 0:
                await asyncio.wait({leaving}, timeout=left)
        finally:
            leaving.cancel()
        reason = LEFT if leaving.done() and not leaving.cancelled() else LATE
        if self._turn is not None:
            self.budget.reason = reason
            self._turn.cancel()
            return
        late_after = time.monotonic() + GRACE_SECONDS
        while True:
            await asyncio.to_thread(self.budget.stop, reason)
            if time.monotonic() >= late_after and not self._outcome.done():
                self._outcome.set_exception(ClientLeft() if reason == LEFT else _late(LATE))
            await asyncio.sleep(AGAIN_SECONDS)


def _late(detail: str) -> Refused:
    return Refused(503, "out-of-time", detail, retry_after=RETRY_SECONDS)
