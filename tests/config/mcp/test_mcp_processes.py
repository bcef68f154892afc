"""MCP as it is shipped: real web processes, the official client over sockets (N09)."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.config.mcp.mcp_site import HEADERS, MODERN, tool_call
from tests.config.transport.web_process import WebProcess, serving
from tests.databases import database_url
from tests.event_loop import run_coroutine
from tests.world import World

pytestmark = pytest.mark.conformance("N09")
FACT = "The Falcon goes to the hangar on Tuesdays."


def test_a_process_that_nobody_asks_for_mcp_has_not_loaded_it(committed: None) -> None:
    look = "import sys, config.asgi; print([m for m in sys.modules if m.startswith('mcp')])"
    environment = os.environ | {
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATABASE_SUPPORT_URL": database_url("support"),
    }
    done = subprocess.run(
        [sys.executable, "-c", look], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


async def use(port: int, key: str, mode: str) -> list[str]:
    """What a client finds that adds a memory first."""
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=60) as http,
        Client(
            streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http), mode=mode
        ) as client,
    ):
        await client.call_tool("add_memory", {"content": FACT})
        told = await client.call_tool("search_memories", {"query": "Falcon hangar"})
        return [one["content"] for one in told.structured_content["memories"]]


def ask_with_blanks(web: WebProcess, key: str) -> bytes:
    """The answer to a call with blanks around the values of its headers, which are no part of
    them."""
    version = {"io.modelcontextprotocol/protocolVersion": MODERN}
    meta = {**version, "io.modelcontextprotocol/clientCapabilities": {}}
    call = tool_call("list_blocks")
    call["params"]["_meta"] = meta
    body = json.dumps(call).encode()
    headers = {
        **HEADERS,
        "host": f"127.0.0.1:{web.port}",
        "authorization": f"Bearer {key}",
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/call",
        "mcp-name": "list_blocks",
        "content-length": str(len(body)),
        "connection": "close",
    }
    lines = "".join(f"{name}: \t {value} \t \r\n" for name, value in headers.items())
    with web.connect(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body) as connection:
        return connection.recv(100)


@pytest.mark.slow
def test_the_official_client_finds_what_it_added(lasting_world: World, tmp_path: Path) -> None:
    key = lasting_world.here.keys["bolt"]
    with serving(tmp_path) as web:
        for mode in ("auto", "legacy"):
            assert run_coroutine(use(web.port, key, mode)) == [FACT]
        assert ask_with_blanks(web, key).startswith(b"HTTP/1.1 200 ")
        with web.client() as client:
            answer = client.post("/mcp", json=tool_call("search_memories", query="x"))
            assert answer.status_code == 401
            challenge = answer.headers["www-authenticate"]
            place = f"http://127.0.0.1:{web.port}/.well-known/oauth-protected-resource/mcp"
            assert challenge == f'Bearer resource_metadata="{place}", scope="read write act"'
    lines = [json.loads(line) for line in (tmp_path / "web.log").read_text().splitlines()]
    assert not [line for line in lines if line.get("level") in ("ERROR", "CRITICAL")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_processes_lose_none_of_a_thousand_calls(lasting_world: World, tmp_path: Path) -> None:
    key, lost = lasting_world.here.keys["bolt"], []
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir()
    with serving(folders[0]) as first, serving(folders[1]) as second:

        def call(number: int) -> None:
            with (first, second)[number % 2].client(key, accept=HEADERS["accept"]) as client:
                answer = client.post("/mcp", json=tool_call("search_memories", query="Falcon"))
            if answer.status_code != 200 or answer.json()["result"].get("isError"):
                lost.append((number, answer.status_code, answer.text))

        with ThreadPoolExecutor(8) as clients:
            list(clients.map(call, range(1_000)))
    assert lost == []
