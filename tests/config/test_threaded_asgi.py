"""The ASGI handler, driven as a server drives it."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from config.threaded_asgi import ThreadedHandler
from orgs.limits.after_answer import run_after_answer
from tests.event_loop import run_coroutine

seen: dict[str, list[str]] = {}


def streamed(request: HttpRequest) -> StreamingHttpResponse:
    def parts() -> Iterator[bytes]:
        for number in range(3):
            seen.setdefault("stream", []).append(threading.current_thread().name)
            yield f"{number}\n".encode()

    seen["view"] = [threading.current_thread().name]
    return StreamingHttpResponse(parts(), content_type="text/plain")


def echo(request: HttpRequest) -> HttpResponse:
    answer = HttpResponse(request.body)
    answer.set_cookie("c", "1")
    return answer


def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a bug")


def named(request: HttpRequest, reference: str) -> HttpResponse:
    return HttpResponse(reference)


order: list[str] = []


def later(request: HttpRequest) -> HttpResponse:
    def fails() -> None:
        raise ValueError("a secret")

    run_after_answer(fails)
    run_after_answer(lambda: order.append("second"))
    return HttpResponse("answered")


gate = threading.Event()


def waits(request: HttpRequest) -> HttpResponse:
    run_after_answer(lambda: gate.wait(20))
    return HttpResponse("answered")


urlpatterns = [
    path("later", later),
    path("waits", waits),
    path("api/<reference:reference>", named),
    path("stream", streamed),
    path("echo", echo),
    path("broken", broken),
]


def scope_of(address: str, body: bytes = b"", method: str = "GET") -> dict[str, Any]:
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": unquote(address),
        "raw_path": address.encode(),
        "query_string": b"",
        "headers": [(b"host", b"testserver"), (b"content-length", str(len(body)).encode())],
    }


def ask(
    address: str,
    body: bytes = b"",
    method: str = "GET",
    send_also: Callable[[dict[str, Any]], object] = lambda message: None,
) -> list[dict[str, Any]]:
    """The messages that the handler sends for one request."""
    scope = scope_of(address, body, method)
    halves = [body[: len(body) // 2], body[len(body) // 2 :]]
    incoming = [
        {"type": "http.request", "body": half, "more_body": not index}
        for index, half in enumerate(halves)
    ]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return incoming.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)
        send_also(message)

    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[]):
        run_coroutine(ThreadedHandler(2)(scope, receive, send))
    return sent


def test_a_slash_inside_a_name_stays_apart_from_those_of_the_address() -> None:
    start, body = ask("/api/a%2Fb%2525")
    assert (start["status"], body["body"]) == (200, b"a/b%25")
    assert ask("/api/a/b")[0]["status"] != 200


def test_a_body_in_parts_arrives_whole_and_cookies_leave() -> None:
    start, body = ask("/echo", b"hello world", "POST")

    assert start["status"] == 200
    assert body["body"] == b"hello world"
    assert dict(start["headers"])[b"Set-Cookie"].startswith(b"c=1")


def test_a_stream_stays_in_the_thread_of_its_view() -> None:
    seen.clear()

    start, *parts = ask("/stream")

    assert start["status"] == 200
    assert [part.get("body", b"") for part in parts] == [b"0\n", b"1\n", b"2\n", b""]
    assert [part.get("more_body", False) for part in parts] == [True, True, True, False]
    assert set(seen["stream"]) == set(seen["view"])
    assert seen["view"][0].startswith("request")


def test_a_bug_in_a_view_is_an_answer() -> None:
    start, body = ask("/broken")

    assert start["status"] == 500
    assert b"a bug" not in body["body"]


def test_a_client_that_leaves_while_sending_gets_nothing() -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        pytest.fail("nobody listens any more")

    run_coroutine(
        ThreadedHandler(1)(
            {"type": "http", "method": "GET", "path": "/", "headers": []}, receive, send
        )
    )


def test_what_waits_for_the_answer_is_done_behind_it(caplog: pytest.LogCaptureFixture) -> None:
    order.clear()
    messages = ask("/later", send_also=lambda message: order.append(message["type"]))
    assert messages[-1]["body"] == b"answered"
    assert order == ["http.response.start", "http.response.body", "second"]
    assert "ValueError" in caplog.text
    assert "a secret" not in caplog.text


def test_what_a_call_left_for_later_takes_no_thread_of_its_caller() -> None:
    """Or its caller could tell by the time of the next answer whether there was anything to do,
    such as a mail to an address that has an account."""

    async def answer(handler: ThreadedHandler, address: str) -> bytes:
        incoming = [{"type": "http.request", "body": b"", "more_body": False}]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return incoming.pop(0)

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        call = asyncio.ensure_future(handler(scope_of(address), receive, send))
        while len(sent) < 2:
            await asyncio.sleep(0.01)
        calls.append(call)
        return bytes(sent[-1]["body"])

    async def run() -> None:
        handler = ThreadedHandler(2)
        assert handler.shares.share == 1
        try:
            assert await answer(handler, "/waits") == b"answered"
            # Nothing of it is left where the caller's next call waits for its turn.
            assert handler.shares.free == 2
            assert await asyncio.wait_for(answer(handler, "/api/a"), 10) == b"a"
            assert not calls[0].done(), "what was left for later is still done"
        finally:
            gate.set()
        await asyncio.gather(*calls)

    calls: list[asyncio.Future[None]] = []
    gate.clear()
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[]):
        run_coroutine(run())
