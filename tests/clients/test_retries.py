"""What is sent again, after which wait, and with which key."""

import email.utils
import time
from typing import Any

import httpx
import pytest
from commonmind import (
    AsyncClient,
    ConflictError,
    ServerError,
    TooManyRequestsError,
    UnavailableError,
)

from tests.clients.scripted_server import KEY, ScriptedServer, answer, problem
from tests.event_loop import run_coroutine

pytestmark = pytest.mark.conformance("N11")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each pause; nobody waits."""
    seconds: list[float] = []

    async def pause(wait: float) -> None:
        seconds.append(wait)

    monkeypatch.setattr("commonmind.client.time.sleep", seconds.append)
    monkeypatch.setattr("commonmind.client.asyncio.sleep", pause)
    return seconds


@pytest.mark.parametrize(
    "step",
    [
        problem(429, "too-many", retry_after="2"),
        problem(503, "unavailable", retry_after="2"),
        problem(408, "timeout", retry_after="2"),
        problem(409, "still-running", retry_after="2"),
        httpx.Response(502, text="<html>Bad gateway</html>", headers={"retry-after": "2"}),
        httpx.ConnectError("refused"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("cut off"),
        httpx.ReadTimeout("late"),
    ],
)
def test_it_is_sent_again_with_the_same_key_and_the_same_bytes(
    step: Any, waits: list[float]
) -> None:
    server = ScriptedServer(step, answer(201, {"id": "m"}))
    assert server.client().remember("Once.")["id"] == "m"
    first, second = server.requests
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert first.content == second.content == b'{"content": "Once."}'
    [wait] = waits
    assert (2 <= wait < 2.5) if isinstance(step, httpx.Response) else (0 < wait <= 0.5)


def test_each_call_has_a_key_of_its_own_and_what_only_answers_has_none(waits: list[float]) -> None:
    server = ScriptedServer(answer(200, {"results": [], "next": None}))
    client = server.client()
    client.remember("One.")
    client.remember("One.")
    client.recall("What?")
    client.context("What?")
    client.answer("What?")
    client.me()
    first, second, *others = server.keys
    assert first
    assert second
    assert first != second
    assert others == [None] * 4
    client.with_options(idempotency_key="mine").remember("Two.")
    assert server.keys[-1] == "mine"
    client.remember("Three.")
    assert server.keys[-1] not in (None, "mine"), "the options are those of the copy"


def test_what_only_asks_is_sent_again_too(waits: list[float]) -> None:
    server = ScriptedServer(httpx.ReadError("reset"), answer(200, {"results": []}))
    server.client().recall("What?")
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (problem(503, "out-of-time", retry_after="5"), ServerError),
        (problem(500, "error"), ServerError),
        (problem(409, "key-taken"), ConflictError),
        (problem(429, "too-many", retry_after="3600"), TooManyRequestsError),
    ],
)
def test_what_a_repeat_does_not_change_is_said_at_once(
    step: Any, kind: type[Exception], waits: list[float]
) -> None:
    server = ScriptedServer(step)
    with pytest.raises(kind):
        server.client().remember("x")
    assert len(server.requests) == 1
    assert waits == []


def test_it_ends_after_as_many_attempts_as_were_allowed(waits: list[float]) -> None:
    server = ScriptedServer(problem(429, "too-many", retry_after="1"))
    with pytest.raises(TooManyRequestsError) as caught:
        server.client(retries=2).me()
    assert len(server.requests) == 3
    assert caught.value.retry_after == 1
    assert len(waits) == 2
    again = ScriptedServer(httpx.ConnectError("refused"))
    with pytest.raises(UnavailableError, match="localhost cannot be reached: refused"):
        again.client(retries=0).me()
    assert len(again.requests) == 1


def test_a_server_that_hangs_is_asked_once_more_and_no_longer(waits: list[float]) -> None:
    server = ScriptedServer(httpx.ReadTimeout("late"))
    with pytest.raises(UnavailableError, match="did not answer in time"):
        server.client(retries=9).me()
    assert len(server.requests) == 2


def test_waits_grow_and_have_a_limit(waits: list[float]) -> None:
    server = ScriptedServer(httpx.ConnectError("refused"))
    with pytest.raises(UnavailableError):
        server.client(retries=8).me()
    for number, wait in enumerate(waits):
        most = min(8, 0.5 * 2**number)
        assert most / 2 <= wait <= most
    assert len(waits) == 8


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("in half a minute", 20, 32),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0.3),
        ("0", 0, 0.3),
        ("soon", 0, 0.5),
        ("-5", 0, 0.5),
        ("1e9", 0, 0.5),
        ("²", 0, 0.5),
        ("", 0, 0.5),
    ],
)
def test_retry_after_is_a_number_or_a_date_and_nonsense_is_none(
    header: str, least: float, most: float, waits: list[float]
) -> None:
    if header == "in half a minute":
        header = email.utils.formatdate(time.time() + 30, usegmt=True)
    refused = problem(429, "too-many")
    raw = [*refused.headers.raw, (b"retry-after", header.encode("latin-1"))]
    refused.headers = httpx.Headers(raw)
    server = ScriptedServer(refused, answer())
    server.client().me()
    [wait] = waits
    assert least <= wait <= most


def test_the_async_client_does_the_same(waits: list[float]) -> None:
    server = ScriptedServer(
        problem(429, "too-many", retry_after="2"),
        httpx.ConnectError("refused"),
        answer(201, {"id": "m"}),
    )

    async def act() -> Any:
        transport = httpx.MockTransport(server)
        async with AsyncClient("http://localhost", KEY, transport=transport) as client:
            return await client.remember("Once.")

    assert run_coroutine(act())["id"] == "m"
    assert len(set(server.keys)) == 1
    assert len(server.keys) == 3
    assert len(waits) == 2
