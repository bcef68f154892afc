"""Answers that are made while they are sent: a slow reader holds no thread and no connection."""

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from django.conf import settings
from django.db import connections

from config.threaded_asgi import ThreadedHandler
from config.transport import answers
from config.transport.answers import Answer, OpenStreams, Stream
from config.transport.refusals import Refused
from orgs.database.time_budget import OutOfTime, TimeBudget
from tests.config.transport.test_job_waits import count_connections, soon, work_in_thread
from tests.event_loop import run_coroutine
from tests.world import Tenant, World

Message = dict[str, Any]
# Seconds after which a thread or a call that waits for a reader fails its test.
LONGEST = 60.0
START = {"type": "http.response.start", "status": 200, "headers": []}


async def bounded(work: Coroutine[Any, Any, None], stream: Stream | None = None) -> None:
    """Await what must not wait for a reader. Whatever becomes of it, no thread stays in the stream:
    the loop would wait for that at its end."""
    try:
        await asyncio.wait_for(work, LONGEST)
    finally:
        if stream is not None:
            stream.close()


def body(content: bytes) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": True}


class Reader:
    """A client that reads nothing until it is let."""

    def __init__(self) -> None:
        self.may_read = asyncio.Event()
        self.sent: list[Message] = []

    async def __call__(self, message: Message) -> None:
        await self.may_read.wait()
        self.sent.append(message)

    @property
    def content(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)


@pytest.mark.conformance("T30")
def test_whoever_makes_it_waits_for_no_reader_and_nothing_is_lost() -> None:
    parts = [os.urandom(900_000) for _ in range(30)]

    async def play() -> None:
        reader = Reader()
        stream = Stream(reader, TimeBudget(60))
        await bounded(use(reader, stream), stream)

    async def use(reader: Reader, stream: Stream) -> None:
        def make() -> None:
            stream.push(START)
            for part in parts:
                stream.push(body(part))

        await asyncio.to_thread(make)
        assert not reader.sent
        assert stream._ahead <= answers.AHEAD_BYTES
        assert stream._written_to - stream._read_to > 20_000_000
        reader.may_read.set()
        await stream.finish()
        assert reader.sent[0] == START
        assert reader.content == b"".join(parts), "in its order"
        # What follows goes by memory again.
        await asyncio.to_thread(stream.push, body(b"end"))
        assert stream._written_to == 0
        await stream.finish()
        assert reader.content.endswith(b"end")

    run_coroutine(play())


def test_both_take_turns_without_a_part_out_of_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "AHEAD_BYTES", 5_000)
    parts = [os.urandom(1 + number * 37 % 3_000) for number in range(500)]

    async def play() -> bytes:
        reader = Reader()
        reader.may_read.set()
        stream = Stream(reader, TimeBudget(60))

        async def use() -> None:
            await asyncio.to_thread(lambda: [stream.push(body(part)) for part in parts])
            await stream.finish()

        await bounded(use(), stream)
        return reader.content

    assert run_coroutine(play()) == b"".join(parts)


def test_even_a_file_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "AHEAD_BYTES", 10)
    monkeypatch.setattr(answers, "AHEAD_FILE_BYTES", 1_000)

    async def play() -> None:
        stream = Stream(Reader(), budget := TimeBudget(60))
        await bounded(use(stream, budget), stream)
        with pytest.raises(OutOfTime):
            stream.push(body(b"x"))

    async def use(stream: Stream, budget: TimeBudget) -> None:
        def make() -> None:
            for _ in range(100):
                stream.push(body(b"x" * 100))

        making = asyncio.create_task(asyncio.to_thread(make))
        await soon(lambda: stream._written_to > 1_000)
        await asyncio.sleep(0.1)
        assert not making.done()
        assert stream._written_to <= 1_100
        budget.reason = "The time is over."
        with pytest.raises(OutOfTime, match="over"):
            await making

    run_coroutine(play())


def test_an_account_has_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "STREAMS_PER_ACCOUNT", 2)
    streams = OpenStreams()
    first, _ = streams.open("a"), streams.open("a")
    with pytest.raises(Refused, match="at the same time: 2") as refused:
        streams.open("a")
    assert (refused.value.status, refused.value.retry_after) == (429, 30)
    streams.open("b")
    first()
    first()
    streams.open("a")
    with pytest.raises(Refused):
        streams.open("a")


# Through the whole process.


class TidyHandler(ThreadedHandler):
    """As it is shipped, but its threads leave no connection open, as with a pool."""

    def _answer(self, *args: Any) -> Answer:
        try:
            return super()._answer(*args)
        finally:
            connections.close_all()


class Site:
    """A process with one thread."""

    def __init__(self, here: Tenant) -> None:
        self.handler, self.cookies = TidyHandler(1), dict[str, bytes]()
        for person in ("mina", "bob"):
            jar = here.browser(person).cookies.items()
            self.cookies[person] = "; ".join(f"{n}={one.value}" for n, one in jar).encode()

    async def ask(self, path: str, person: str, send: Callable[[Message], Any]) -> None:
        await self.send("GET", path, [(b"cookie", self.cookies[person])], b"", send)

    async def send(
        self,
        method: str,
        path: str,
        who: list[tuple[bytes, bytes]],
        content: bytes,
        send: Callable[[Message], Any],
    ) -> None:
        length = (b"content-length", str(len(content)).encode())
        headers = [(b"host", b"testserver"), (b"content-type", b"application/json"), length, *who]
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path,
            "raw_path": path.encode(), "query_string": b"", "client": ("127.0.0.1", 1),
            "headers": headers,
        }  # fmt: skip
        first = iter([{"type": "http.request", "body": content}])

        async def receive() -> Message:
            if (message := next(first, None)) is not None:
                return message
            await asyncio.Event().wait()
            raise AssertionError

        await self.handler(scope, receive, send)


@pytest.mark.conformance("T30")
def test_a_slow_reader_of_an_export_leaves_the_only_thread_to_others(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    monkeypatch.setattr(answers, "AHEAD_BYTES", 500)
    monkeypatch.setattr(settings, "STREAMS_PER_ACCOUNT", 1)
    for number in range(20):
        here.remember(here.person("mina"), f"My note number {number}.", visibility="private")
    site = Site(here)
    path = "/me/export/"

    async def play() -> None:
        slow = Reader()
        try:
            await bounded(use(slow))
        finally:
            # Else its thread waits for ever, and the end of the test for the thread.
            slow.may_read.set()

    async def use(slow: Reader) -> None:
        other, refused, later = Reader(), Reader(), Reader()
        for reader in (other, refused, later):
            reader.may_read.set()
        before = await work_in_thread(count_connections)
        threads = threading.active_count()
        call = asyncio.create_task(site.ask(path, "mina", slow))
        await asyncio.wait_for(site.ask("/me/", "bob", other), LONGEST)
        assert other.sent[0]["status"] == 200, "the only thread is free"
        assert not call.done()
        assert not slow.sent
        assert await work_in_thread(count_connections) <= before
        assert threading.active_count() <= threads + 1 + 2, "the process's one, and the test's own"
        await site.ask(path, "mina", refused)
        assert refused.sent[0]["status"] == 429
        assert b"at the same time: 1" in refused.content
        assert (b"Retry-After", b"30") in refused.sent[0]["headers"]
        slow.may_read.set()
        await call
        assert slow.sent[0]["status"] == 200
        assert slow.content.count(b"My note number") >= 20
        await site.ask(path, "mina", later)
        assert later.sent[0]["status"] == 200
        assert not site.handler.streams._open

    run_coroutine(play())


@pytest.mark.conformance("X18")
def test_a_robot_is_answered_in_events_as_often_as_it_asks(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    monkeypatch.setattr(settings, "STREAMS_PER_ACCOUNT", 0)
    here.remember(here.robot("aria"), "The launch of the harbour app is on Friday.")
    here.embed()
    site = Site(here)
    key = here.keys["aria"]
    question = b'{"query": "When is the launch of the harbour app?", "stream": true}'

    async def play() -> None:
        for _ in range(3):
            reader = Reader()
            reader.may_read.set()
            who = [(b"authorization", f"Bearer {key}".encode())]
            await site.send("POST", "/api/v1/answer", who, question, reader)
            assert reader.sent[0]["status"] == 200
            assert dict(reader.sent[0]["headers"])[b"Content-Type"] == b"text/event-stream"
            names = [one.split(b"\n")[0] for one in reader.content.split(b"\n\n")]
            assert names == [b"event: recall", b"event: answer", b""]
            assert b"on Friday" in reader.content

    run_coroutine(play())
