"""Calls that wait for the end of a job (`Prefer: wait=10`), in the event loop.

A waiting call has been answered already, by the thread that took it. What it waits for is looked up
for all of them together, and when its job is over or its time is, the job is read once more as a
call of its own: with the rights that the caller has then. So a thousand waiting calls hold no
thread and no connection to the database.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any

from django.conf import settings

from config.transport.answers import Answer, Receive
from config.transport.refusals import Refused
from config.transport.request_bodies import ClientLeft
from memories.jobs.job_waits import JobWait, find_over

log = logging.getLogger("commonmind.jobs")

Message = dict[str, Any]
LOOK_SECONDS = 0.3
# After how long somebody who may not wait may try again. Who asked at once would ask for ever.
RETRY_SECONDS = 5
TOO_MANY_OF_ONE = (
    "You wait for {most} jobs already, which is as many as one may at the same time. Nothing was "
    "changed. Read the job without `Prefer`, or wait for fewer."
)
TOO_MANY = "As many calls wait for jobs as this process lets wait. Read the job without `Prefer`."
# Headers that belong to the first call alone.
_OWN_HEADERS = (
    b"prefer", b"idempotency-key", b"content-length", b"content-type", b"transfer-encoding",
    b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since", b"expect",
    b"range",
)  # fmt: skip


class JobWaits:
    """The waiting calls of a web process. executor: where the database is asked, one at a time."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._waiting: dict[asyncio.Event, JobWait] = {}
        self._callers: Counter[str] = Counter()
        self._looker: asyncio.Task[None] | None = None

    async def finish(
        self,
        wait: JobWait,
        scope: Message,
        first: Answer,
        receive: Receive,
        ask: Callable[[Message], Awaitable[Answer]],
    ) -> Answer:
        """The answer after the wait: the finished job, or as far as it is.

        first: the answer without a wait. ask: answers a call without a body. Whoever waits for as
        many as they may gets the first answer where it has begun a job, and is told when to look;
        reading it is refused. Raises ClientLeft and Refused.
        """
        if refusal := self._find_refusal(wait):
            if scope["method"] == "GET":
                raise Refused(429, "too-many", refusal, retry_after=RETRY_SECONDS)
            start, *rest = first.messages
            later = (b"Retry-After", str(RETRY_SECONDS).encode())
            return Answer([{**start, "headers": [*start["headers"], later]}, *rest])
        is_over = await self._wait(wait, receive)
        again = await ask(_look_scope(scope, wait.address))
        start, status = again.messages[0], first.messages[0]["status"]
        if start["status"] in (429, 503):
            return first
        if start["status"] != 200:
            return again
        own = [(b"Preference-Applied", f"wait={wait.seconds}".encode())]
        own += [one for one in first.messages[0]["headers"] if one[0].lower() == b"location"]
        start = {
            **start,
            "status": 200 if is_over else status,
            "headers": [*start["headers"], *own],
        }
        return Answer([start, *again.messages[1:]])

    def _find_refusal(self, wait: JobWait) -> str:
        """Why nothing more may wait; empty if it may."""
        most = settings.JOB_WAITS_PER_CALLER
        if self._callers[wait.caller] >= most:
            return TOO_MANY_OF_ONE.format(most=most)
        return TOO_MANY if len(self._waiting) >= settings.JOB_WAITS else ""

    async def _wait(self, wait: JobWait, receive: Receive) -> bool:
        """Whether the job was over in time."""
        event = asyncio.Event()
        self._waiting[event] = wait
        self._callers[wait.caller] += 1
        if self._looker is None or self._looker.done():
            self._looker = asyncio.get_running_loop().create_task(self._look())
        leaving, over = asyncio.ensure_future(receive()), asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait(
                {leaving, over}, timeout=wait.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if leaving.done() and not over.done():
                raise ClientLeft
            return over.done()
        finally:
            for task in (leaving, over):
                task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await leaving
            del self._waiting[event]
            self._callers -= Counter({wait.caller: 1})

    async def _look(self) -> None:
        """Wake whose job is over, as long as anybody waits."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            asked = dict(self._waiting)
            try:
                over = await loop.run_in_executor(self._executor, find_over, [*asked.values()])
            except Exception as error:
                # The database is away or busy. Who waits is answered when the time is over.
                log.warning("waiting calls could not be looked after: %s", type(error).__name__)
                over = set()
            for event, wait in asked.items():
                if wait.job_id in over:
                    event.set()
            await asyncio.sleep(LOOK_SECONDS)


def _look_scope(scope: Message, address: str) -> Message:
    """The same caller reads the job."""
    headers = [one for one in scope["headers"] if one[0].lower() not in _OWN_HEADERS]
    return {
        **scope,
        "method": "GET",
        "path": address,
        "raw_path": address.encode("ascii"),
        "query_string": b"",
        "headers": headers,
    }
