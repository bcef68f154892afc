"""Messages to addresses that somebody else named: never into a private network (N08)."""

import asyncio
import time
from typing import Any

import httpcore2
import pytest

from orgs.outbound import post
from orgs.outbound.post import PostResult, post_message
from tests.event_loop import in_own_thread
from tests.memories.webhooks.receiver import Receiver, receiving

pytestmark = pytest.mark.conformance("N08")
PUBLIC, OTHER = "93.184.215.14", "1.1.1.1"


class Names:
    """A fake DNS. answers: one after the other, the last for ever."""

    def __init__(self, *answers: tuple[str, ...]) -> None:
        self.answers, self.asked = list(answers), []

    async def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return list(answer)


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were connected to; all of them lead to the receiver of the port."""
    found: list[str] = []
    there = httpcore2.AnyIOBackend.connect_tcp

    async def connect(self: Any, host: str, port: int, *_: Any, **__: Any) -> Any:
        found.append(host)
        return await there(self, "127.0.0.1", port)

    monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", connect)
    return found


def send(receiver: Receiver, names: Names, **options: Any) -> PostResult:
    url = f"http://hook.example:{receiver.port}/in"
    return in_own_thread(post_message, url, b"{}", {"X-A": "1"}, resolve=names, **options)


def test_the_connection_goes_to_the_address_that_was_checked(connected: list[str]) -> None:
    """Also if the name leads elsewhere a moment later."""
    names = Names((PUBLIC,), ("127.0.0.1",))
    with receiving() as receiver:
        assert send(receiver, names) == PostResult(200)
        assert receiver.requests[0].headers["host"] == f"hook.example:{receiver.port}"
        assert receiver.requests[0].headers["x-a"] == "1"
        assert (names.asked, connected) == (["hook.example"], [PUBLIC])
        assert send(receiver, names) == PostResult(None, "unreachable")
        assert (len(receiver.requests), connected) == (1, [PUBLIC])


@pytest.mark.parametrize(
    "answer",
    [
        ("127.0.0.1",), ("10.0.0.8",), ("169.254.169.254",), ("::1",), ("fd00:ec2::254",),
        ("fe80::1%eth0",), ("::ffff:169.254.169.254",), ("64:ff9b::a9fe:a9fe",),
        ("2002:7f00:1::",), ("100.100.100.200",), (PUBLIC, "192.168.0.1"), (), ("nonsense",),
    ],
)  # fmt: skip
def test_a_name_with_a_private_address_is_not_connected_to(
    connected: list[str], answer: tuple[str, ...]
) -> None:
    with receiving() as receiver:
        assert send(receiver, Names(answer)) == PostResult(None, "unreachable")
        assert (receiver.requests, connected) == ([], [])


def test_a_private_host_is_called_where_it_is_named(connected: list[str]) -> None:
    with receiving() as receiver:
        names = Names(("10.0.0.8",))
        assert send(receiver, names, private_hosts={"hook.example"}) == PostResult(200)
        assert send(receiver, names, private_hosts={"other.example"}).status is None
        assert connected == ["10.0.0.8"]


def test_the_look_up_of_an_address_is_checked_too() -> None:
    """By the real resolver, for every spelling that it takes."""
    with receiving() as receiver:
        for host in ("127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]"):
            url = f"http://{host}:{receiver.port}/in"
            assert in_own_thread(post_message, url, b"{}", {}).status is None, host
        assert receiver.requests == []


def test_a_look_up_and_an_answer_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post, "SECONDS", 0.3)

    async def hangs(host: str) -> list[str]:
        await asyncio.sleep(60)
        return [PUBLIC]

    started = time.monotonic()
    found = in_own_thread(post_message, "http://hook.example/", b"", {}, resolve=hangs)
    assert found == PostResult(None, "timeout")
    assert time.monotonic() - started < 10


def test_much_of_an_answer_is_not_read(
    connected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = httpcore2.Response.aiter_stream

    async def counted(self: Any) -> Any:
        async for part in whole(self):
            read.append(len(part))
            yield part

    monkeypatch.setattr(httpcore2.Response, "aiter_stream", counted)
    with receiving(answer_bytes=20_000_000) as receiver:
        assert send(receiver, Names((PUBLIC,))) == PostResult(200)
    assert post.MAX_ANSWER_BYTES < sum(read) < 10 * post.MAX_ANSWER_BYTES
