"""The web process's application in this process, with the SDK's own client at it."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from django.db import connections
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from config.mcp.application import McpApplication
from config.threaded_asgi import ThreadedHandler
from tests.event_loop import run_coroutine

ADDRESS = "http://testserver/mcp"
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
MODERN, LEGACY = "2026-07-28", "2025-06-18"
Result = TypeVar("Result")


@dataclass
class McpSite:
    """An application that serves. answers: (status, headers) of every answer, in their order."""

    application: McpApplication

    @asynccontextmanager
    async def http(self, key: str = "", **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
        """An HTTP client with a key."""
        shown = {"authorization": f"Bearer {key}"} if key else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=self.application), headers={**shown, **named}
        ) as client:
            yield client

    @asynccontextmanager
    async def client(self, key: str, mode: str = "auto") -> AsyncIterator[Client]:
        """The SDK's client, connected."""
        async with (
            self.http(key) as http,
            Client(streamable_http_client(ADDRESS, http_client=http), mode=mode) as client,
        ):
            yield client

    async def post(self, key: str, body: Any, **headers: str) -> httpx2.Response:
        """A bare POST of this body, as JSON if it is no bytes."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with self.http(key, **headers) as http:
            return await http.post(ADDRESS, content=content, headers=HEADERS)


def message(method: str, /, **params: Any) -> dict[str, Any]:
    """A request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def tool_call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return message("tools/call", name=name, arguments=arguments)


@asynccontextmanager
async def serving(threads: int = 4) -> AsyncIterator[McpSite]:
    """The application, started and stopped as a server does it."""
    application = McpApplication(ThreadedHandler(threads))
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    running = asyncio.create_task(application({"type": "lifespan"}, events.get, told.put))
    events.put_nowait({"type": "lifespan.startup"})
    assert (await told.get())["type"] == "lifespan.startup.complete"
    try:
        yield McpSite(application)
    finally:
        events.put_nowait({"type": "lifespan.shutdown"})
        assert (await told.get())["type"] == "lifespan.shutdown.complete"
        await running
        everyone = threading.Barrier(threads)

        def close() -> None:
            everyone.wait(30)
            connections.close_all()

        with application.site.threads as pool:
            for _ in range(threads):
                pool.submit(close)
        application.site.probes.shutdown()
        application.site.files.shutdown()


def with_site(act: Callable[[McpSite], Awaitable[Result]], threads: int = 4) -> Result:
    """What `act` returns."""

    async def run() -> Result:
        async with serving(threads) as site:
            return await act(site)

    return run_coroutine(run())
