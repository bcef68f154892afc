"""What the REST call of a tool leaves for later is done behind the answer of MCP."""

import asyncio
import threading
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import path

from config.mcp.rest_calls import RestCall, RestCaller
from config.threaded_asgi import ThreadedHandler
from orgs.limits.after_answer import run_after_answer
from tests.event_loop import run_coroutine

gate, order = threading.Event(), list[str]()


def waits(request: HttpRequest) -> HttpResponse:
    def work() -> None:
        gate.wait(20)
        order.append("later")

    run_after_answer(work)
    return HttpResponse(b"{}")


urlpatterns = [path("api/v1/waits", waits)]


def test_the_answer_of_a_tool_waits_for_nothing_that_was_left_for_later() -> None:
    scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "headers": []}
    scope["headers"] = [(b"host", b"testserver")]

    async def run() -> None:
        caller = RestCaller(ThreadedHandler(2), scope)
        try:
            answer = await asyncio.wait_for(caller.call(RestCall("GET", "waits")), 10)
            assert answer.body == b"{}"
            assert order == []
        finally:
            gate.set()
        await caller.run_later()
        assert order == ["later"]

    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=[]):
        run_coroutine(run())
