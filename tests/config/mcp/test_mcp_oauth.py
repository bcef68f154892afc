"""A hosted assistant at /mcp by the official client: found, let in, used, ended (N19)."""

import asyncio
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from django.db import connections
from django.test import Client as Browser
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata, OAuthToken

from tests.config.mcp.mcp_site import ADDRESS, McpSite, with_site
from tests.page_client import make_signed_in_client
from tests.robots.oauth.assistants import CLIENT_ID, REDIRECT, allow, serve_metadata
from tests.world import World

pytestmark = pytest.mark.conformance("N19")


class Storage:
    """What the client keeps."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: Any = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


def provider(browser: Browser, storage: Storage, **more: Any) -> OAuthClientProvider:
    """The official provider; the person allows in `browser` whatever they are asked."""
    answers: list[str] = []

    def press(url: str) -> str:
        try:
            parts = urlsplit(url)
            return str(allow(browser, f"{parts.path}?{parts.query}")["Location"])
        finally:
            connections.close_all()

    async def redirect(url: str) -> None:
        answers.append(await asyncio.to_thread(press, url))

    async def callback() -> AuthorizationCodeResult:
        told = {name: one for name, (one,) in parse_qs(urlsplit(answers[-1]).query).items()}
        return AuthorizationCodeResult(
            code=told["code"], state=told.get("state"), iss=told.get("iss")
        )

    return OAuthClientProvider(
        server_url=ADDRESS,
        client_metadata=OAuthClientMetadata(
            client_name="Wizard", redirect_uris=[REDIRECT], token_endpoint_auth_method="none"
        ),
        storage=storage,
        redirect_handler=redirect,
        callback_handler=callback,
        **more,
    )


async def search(site: McpSite, auth: OAuthClientProvider, query: str) -> list[str]:
    transport = httpx2.ASGITransport(app=site.application)
    async with (
        httpx2.AsyncClient(transport=transport, auth=auth) as http,
        Client(streamable_http_client(ADDRESS, http_client=http)) as client,
    ):
        await client.call_tool("add_memory", {"content": "Mina’s locker is number 41."})
        found = await client.call_tool("search_memories", {"query": query})
        return [one["content"] for one in found.structured_content["memories"]]


def test_the_official_client_finds_its_way_in_and_acts_as_the_person(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PUBLIC_URL = "http://testserver"
    here = lasting_world.here
    here.remember(here.person("mina"), "The key of my locker hangs at home.", visibility="private")
    here.remember(here.person("bob"), "My locker is number 7.", visibility="private")
    here.remember(here.person("ada"), "Lockers are emptied in June.", visibility="organisation")
    fetched = serve_metadata(monkeypatch)
    browser, storage = make_signed_in_client(here, "mina"), Storage()
    auth = provider(browser, storage, client_metadata_url=CLIENT_ID)

    found = with_site(lambda site: search(site, auth, "locker number key"))

    assert fetched == [CLIENT_ID]
    assert storage.client.client_id == CLIENT_ID
    assert storage.tokens
    assert storage.tokens.scope == "read write act"
    assert any("hangs at home" in one for one in found)
    assert any("emptied in June" in one for one in found)
    assert any("number 41" in one for one in found)
    assert not any("number 7" in one for one in found)
