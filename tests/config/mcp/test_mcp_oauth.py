"""A hosted assistant at /mcp by the official client: found, let in, used, ended (N19)."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from allauth.idp.oidc.models import Client as OAuthClient
from django.core.cache import cache
from django.db import connections
from django.test import Client as Browser
from django.utils import timezone
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata, OAuthToken

from config.mcp.rest_calls import RestCaller
from orgs.database.rls import organisation_scope
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.oauth.grants import end_assistant
from tests.config.mcp.mcp_site import ADDRESS, McpSite, message, tool_call, with_site
from tests.page_client import make_signed_in_client
from tests.robots.oauth.assistants import (
    CLIENT_ID,
    REDIRECT,
    Assistant,
    allow,
    connect,
    sent_back,
    serve_metadata,
)
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


def test_a_401_says_where_a_token_is_got(lasting_world: World, settings: Any) -> None:
    settings.PUBLIC_URL = "http://testserver"
    place = 'resource_metadata="http://testserver/.well-known/oauth-protected-resource/mcp"'

    async def act(site: McpSite) -> None:
        answer = await site.post("", message("tools/list"))
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == f'Bearer {place}, scope="read write act"'
        answer = await site.post("cmk_wrong", message("tools/list"))
        challenge = f'Bearer error="invalid_token", {place}, scope="read write act"'
        assert answer.headers["www-authenticate"] == challenge

    with_site(act)


def test_tools_that_name_a_memory_act_as_the_person(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PUBLIC_URL = "http://testserver"
    here = lasting_world.here
    mine = here.remember(here.person("mina"), "My desk is by the window.", visibility="private").id
    his = here.remember(here.person("bob"), "My desk is by the door.", visibility="private").id
    serve_metadata(monkeypatch)
    token = connect(here, "mina")["access_token"]
    connections.close_all()

    async def act(site: McpSite) -> None:
        async with site.client(token) as client:
            found = await client.call_tool("get_memory", {"id": str(mine)})
            assert found.structured_content["content"] == "My desk is by the window."
            refused = await client.call_tool("get_memory", {"id": str(his)})
            assert refused.is_error
            refused = await client.call_tool(
                "search_memories", {"query": "desk", "member": str(here.members["bob"].id)}
            )
            assert refused.is_error
            gone = await client.call_tool("delete_memory", {"id": str(his)})
            assert gone.is_error

    with_site(act)
    assert his in here.readable(here.person("bob"))
    connections.close_all()


def test_what_is_ended_is_401_from_the_next_call_on(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PUBLIC_URL = "http://testserver"
    here = lasting_world.here
    serve_metadata(monkeypatch)
    token = connect(here, "mina")["access_token"]
    connections.close_all()
    calls: list[str] = []
    once = RestCaller.call

    def end() -> None:
        with organisation_scope(here.id):
            robot = Robot.objects.exclude(client="").get(owner_id=here.members["mina"].id)
        end_assistant(here.person("mina"), robot.id, now=timezone.now())
        connections.close_all()

    async def call(self: RestCaller, asked: Any) -> Any:
        calls.append(asked.path)
        if asked.path.endswith("/working-memory"):
            await asyncio.to_thread(end)
        return await once(self, asked)

    async def act(site: McpSite) -> None:
        body = tool_call("search_memories", query="x")
        assert (await site.post(token, body)).status_code == 200
        asked = message("resources/read", uri="commonmind://at-hand")
        # Between the two REST calls of one resource.
        assert (await site.post(token, asked)).status_code == 401
        assert (await site.post(token, body)).status_code == 401

    monkeypatch.setattr(RestCaller, "call", call)
    with_site(act)
    assert any(path.endswith("/working-memory") for path in calls)


@pytest.mark.conformance("P04")
def test_two_exchanges_at_once_make_one_robot(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PUBLIC_URL = "http://testserver"
    here = lasting_world.here
    serve_metadata(monkeypatch)
    browser, assistants = make_signed_in_client(here, "mina"), [Assistant() for _ in range(4)]
    codes = [sent_back(allow(browser, one.question()))["code"] for one in assistants]
    start = threading.Barrier(5)

    def exchange(assistant: Assistant, code: str) -> int:
        try:
            start.wait(30)
            return int(assistant.exchange(code).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(5) as pool:
        # The last code is shown twice at once.
        pairs = [*zip(assistants, codes, strict=True), (assistants[-1], codes[-1])]
        found = list(pool.map(lambda pair: exchange(*pair), pairs))
    assert sorted(found) == [200, 200, 200, 200, 400]
    with organisation_scope(here.id):
        assert Robot.objects.exclude(client="").filter(organisation_id=here.id).count() == 1
        keys = Key.objects.exclude(resource="").filter(organisation_id=here.id)
        # What the code gave that was shown twice has ended.
        assert [keys.count(), keys.filter(revoked_at=None).count()] == [4, 3]


def test_the_official_client_renews_and_registers_where_that_is_allowed(
    lasting_world: World, settings: Any
) -> None:
    settings.PUBLIC_URL = "http://testserver"
    settings.IDP_OIDC_DCR_ENABLED = True
    cache.clear()
    here = lasting_world.here
    browser, storage = make_signed_in_client(here, "mina"), Storage()
    auth = provider(browser, storage)
    texts: list[str] = []

    async def act(site: McpSite) -> None:
        await search(site, auth, "locker")
        assert storage.tokens
        texts.append(storage.tokens.access_token)
        # As an hour later.
        auth.context.token_expiry_time = 1.0
        await search(site, auth, "locker")
        texts.append(storage.tokens.access_token)

    with_site(act)
    OAuthClient.objects.filter(id=storage.client.client_id).delete()
    assert not storage.client.client_id.startswith("https:")
    assert len(set(texts)) == 2
    with organisation_scope(here.id):
        keys = Key.objects.exclude(resource="").filter(organisation_id=here.id)
        assert keys.filter(revoked_at=None).count() == 1
