"""Answers on their way out: sent by the event loop, so that no thread waits for a slow reader.

The server ends a connection whose client does not read the next part in time
(`config.transport.http_protocol`).
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from threading import Condition
from typing import Any

from django.http import FileResponse
from django.http.response import HttpResponseBase

from memories.jobs.job_waits import JobWait
from orgs.database.time_budget import OutOfTime, TimeBudget

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
# The bytes that are written at once; then the client has to read.
PART_BYTES = 65_536
# The bytes that a stream may be ahead of its reader; its thread waits only beyond that.
AHEAD_BYTES = 4_000_000


@dataclass(slots=True)
class Answer:
    """messages: what to send. parts: what comes behind them, from a file. close: afterwards.
    waits_for: the job whose end the caller would rather be told."""

    messages: list[Message]
    parts: Iterator[bytes] | None = None
    close: Callable[[], None] | None = None
    waits_for: JobWait | None = None


def start_message(response: HttpResponseBase) -> Message:
    """The first message of an answer."""
    headers = [(name.encode("ascii"), value.encode("latin1")) for name, value in response.items()]
    headers += [
        (b"Set-Cookie", cookie.output(header="").encode("ascii").strip())
        for cookie in response.cookies.values()
    ]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}


def file_answer(response: FileResponse) -> Answer:
    """The answer with a file, whose first part is read here. Closing the response leaves the file
    open; closing the answer closes it."""
    response.block_size = PART_BYTES
    parts = iter(response)
    closers, response._resource_closers = response._resource_closers, []

    def close() -> None:
        for one in closers:
            one()

    first = next(parts, b"")
    start = start_message(response)
    if len(first) < PART_BYTES:
        close()
        return Answer([start, {"type": "http.response.body", "body": first}])
    body = {"type": "http.response.body", "body": first, "more_body": True}
    return Answer([start, body], parts, close)


async def send_answer(answer: Answer, receive: Receive, send: Send, files: Executor) -> None:
    """Send an answer in parts of a bounded size, as fast as the client reads. files: the threads
    that read files. A file of which the client has left is not read on."""
    try:
        for message in answer.messages:
            for part in _parts(message):
                await send(part)
        if answer.parts is not None:
            await _send_file(answer.parts, receive, send, files)
    finally:
        if answer.close is not None:
            answer.close()


async def _send_file(parts: Iterator[bytes], receive: Receive, send: Send, files: Executor) -> None:
    loop = asyncio.get_running_loop()
    leaving = asyncio.ensure_future(receive())
    try:
        while part := await loop.run_in_executor(files, next, parts, b""):
            if leaving.done():
                return
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body"})
    finally:
        leaving.cancel()


class Stream:
    """Messages that a thread makes and the loop sends, with a bounded distance between the two."""

    def __init__(self, send: Send, budget: TimeBudget) -> None:
        self._send, self._budget = send, budget
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Message] = deque()
        self._ahead = 0
        self._moved = Condition()
        self._sender: asyncio.Task[None] | None = None

    def push(self, message: Message) -> None:
        """Add a message, from the thread. Raises OutOfTime if the client left or is too slow."""
        size = len(message.get("body", b""))
        with self._moved:
            while self._ahead and self._ahead + size > AHEAD_BYTES and not self._budget.reason:
                self._moved.wait(0.5)
            if self._budget.reason:
                raise OutOfTime(self._budget.reason)
            self._ahead += size
        self._loop.call_soon_threadsafe(self._add, message)

    async def finish(self) -> None:
        """Wait until everything is sent."""
        if self._sender is not None:
            await self._sender

    def _add(self, message: Message) -> None:
        self._ready.append(message)
        if self._sender is None or self._sender.done():
            self._sender = self._loop.create_task(self._send_ready())

    async def _send_ready(self) -> None:
        while self._ready:
            message = self._ready.popleft()
            for part in _parts(message):
                await self._send(part)
            with self._moved:
                self._ahead -= len(message.get("body", b""))
                self._moved.notify()


def _parts(message: Message) -> Iterator[Message]:
    """The message in parts, if it has a long body."""
    body = message.get("body", b"")
    if len(body) <= PART_BYTES:
        yield message
        return
    last = (len(body) - 1) // PART_BYTES * PART_BYTES
    for begin in range(0, last, PART_BYTES):
        yield {**message, "body": body[begin : begin + PART_BYTES], "more_body": True}
    yield {**message, "body": body[last:]}
