"""Answers on their way out: sent by the event loop, so that no thread waits for a slow reader.

The server ends a connection whose client does not read the next part in time
(`config.transport.http_protocol`).
"""

import asyncio
import os
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from tempfile import TemporaryFile
from threading import Condition, Lock
from typing import IO, Any

from django.conf import settings
from django.http import FileResponse
from django.http.response import HttpResponseBase

from config.transport.refusals import Refused
from memories.jobs.job_waits import JobWait
from orgs.database.time_budget import OutOfTime, TimeBudget

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
# The bytes that are written at once; then the client has to read.
PART_BYTES = 65_536
# The bytes that a stream may be ahead of its reader in memory, and in a file; its thread waits only
# beyond both.
AHEAD_BYTES, AHEAD_FILE_BYTES = 4_000_000, 4_000_000_000
STREAM_RETRY_SECONDS = 30
TOO_MANY_STREAMS = (
    "One account takes along so many files at the same time: {most}. Wait until what you take "
    "already has arrived."
)
LEFT = "The client has left."


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


class OpenStreams:
    """How many answers that are made while they are sent each account has open in this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: Counter[str] = Counter()

    def open(self, account: str) -> Callable[[], None]:
        """One more; returns what ends it, which may be called twice. Raises Refused beyond
        STREAMS_PER_ACCOUNT."""
        most = settings.STREAMS_PER_ACCOUNT
        with self._lock:
            if self._open[account] >= most:
                detail = TOO_MANY_STREAMS.format(most=most)
                raise Refused(429, "too-many", detail, retry_after=STREAM_RETRY_SECONDS)
            self._open[account] += 1
        ended = False

        def end() -> None:
            nonlocal ended
            with self._lock:
                if not ended:
                    ended = True
                    self._open -= Counter({account: 1})

        return end


class Stream:
    """Messages that a thread makes and the loop sends.

    What a client has not read yet waits in memory, and beyond AHEAD_BYTES in a file without a name:
    so the thread, and its connection of the database, wait for no reader, however slow.
    """

    def __init__(self, send: Send, budget: TimeBudget) -> None:
        self._send, self._budget = send, budget
        self._loop = asyncio.get_running_loop()
        self._ready: deque[Message] = deque()
        self._ahead = 0
        # Where the file is read and written; it is empty where both are the same.
        self._file: IO[bytes] | None = None
        self._read_to = self._written_to = 0
        self._moved = Condition()
        self._is_closed = False
        self._sender: asyncio.Task[None] | None = None

    def push(self, message: Message) -> None:
        """Add a message, from the thread. Raises OutOfTime if the client left or its time is over,
        and where even the file is full and nobody reads."""
        body = message.get("body", b"")
        with self._moved:
            while self._written_to - self._read_to > AHEAD_FILE_BYTES and not self._is_over():
                self._moved.wait(0.5)
            if self._is_over():
                raise OutOfTime(self._budget.reason or LEFT)
            is_empty = self._written_to == self._read_to
            if is_empty and (not self._ahead or self._ahead + len(body) <= AHEAD_BYTES):
                self._ahead += len(body)
                self._ready.append(message)
            else:
                self._write(body)
        self._loop.call_soon_threadsafe(self._wake)

    async def finish(self) -> None:
        """Wait until everything is sent."""
        if self._sender is not None:
            await self._sender

    def close(self) -> None:
        """Nothing more is sent; what waits is dropped."""
        with self._moved:
            self._is_closed = True
            self._moved.notify()
            if self._file is not None:
                self._file.close()

    def _is_over(self) -> bool:
        return self._is_closed or bool(self._budget.reason)

    def _write(self, body: bytes) -> None:
        if self._file is None:
            self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - `close` closes it
        view = memoryview(body)
        while view:
            count = os.pwrite(self._file.fileno(), view, self._written_to)
            self._written_to += count
            view = view[count:]

    def _wake(self) -> None:
        if self._sender is None or self._sender.done():
            self._sender = self._loop.create_task(self._send_ready())

    async def _send_ready(self) -> None:
        while not self._is_over():
            if self._ready:
                message = self._ready.popleft()
                for part in _parts(message):
                    await self._send(part)
                with self._moved:
                    self._ahead -= len(message.get("body", b""))
            elif self._written_to > self._read_to:
                body = await asyncio.to_thread(self._read_part)
                await self._send({"type": "http.response.body", "body": body, "more_body": True})
            else:
                return

    def _read_part(self) -> bytes:
        """The next part of the file, which is emptied with the last one."""
        with self._moved:
            if self._file is None or self._is_closed:
                return b""
            number = self._file.fileno()
            size = min(PART_BYTES, self._written_to - self._read_to)
            part = os.pread(number, size, self._read_to)
            self._read_to += len(part)
            if self._read_to == self._written_to:
                self._read_to = self._written_to = 0
                os.ftruncate(number, 0)
            self._moved.notify()
        return part


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
