"""Who is let in at /mcp, and what bad requests get."""

import asyncio
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.test import override_settings
from django.utils import timezone
from mcp import Client

from config.mcp.application import MAX_BODY_BYTES
from config.mcp.rest_calls import RestCaller
from orgs.database.rls import organisation_scope
from robots.access.keys import KeyLimits, create_key
from robots.access.robot_administration import revoke_robot_key
from robots.models.keys import Key
from tests.config.mcp.mcp_site import (
    HEADERS,
    LEGACY,
    McpSite,
    message,
    serving,
    tool_call,
    with_site,
)
from tests.sampling import run_seed
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("N09")
SEARCH = tool_call("search_memories", query="Falcon")


def revoke(tenant: Tenant) -> None:
    """Revoke the key of the robot bolt, from another thread."""
    with organisation_scope(tenant.id):
        key = Key.objects.get(robot=tenant.robots["bolt"])
    revoke_robot_key(tenant.person("ada"), key_id=key.id, now=timezone.now())
    connection.close()


def test_without_a_valid_key_every_request_is_401(lasting_world: World) -> None:
    here = lasting_world.here
    browser = here.browser("ada")
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())

    async def act(site: McpSite) -> None:
        for body in (message("tools/list"), SEARCH, message("ping"), b"{", b"[]"):
            for key in ("", "cmk_nonsense", here.keys["bolt"][:-1] + "x"):
                answer = await site.post(key, body)
                assert answer.status_code == 401, (key, body)
                assert answer.headers["www-authenticate"].startswith("Bearer")
                assert answer.json()["type"].endswith(":unauthenticated")
        # A session of a person opens no tool, so no page of another site can use it.
        assert (await site.post("", SEARCH, cookie=cookies)).status_code == 401
        assert (await site.post(here.keys["bolt"], SEARCH)).status_code == 200

    with_site(act)


def test_a_revoked_key_is_401_from_its_next_call_on(lasting_world: World) -> None:
    here = lasting_world.here

    async def act(site: McpSite) -> None:
        key = here.keys["bolt"]
        assert (await site.post(key, message("tools/list"))).status_code == 200
        await asyncio.to_thread(revoke, here)
        for body in (message("tools/list"), SEARCH, message("ping")):
            assert (await site.post(key, body)).status_code == 401

    with_site(act)


def test_a_key_that_opens_nothing_from_there_is_403(lasting_world: World) -> None:
    here = lasting_world.here

    def limited(network: str) -> str:
        robot = here.robots["bolt"].id
        limits = KeyLimits(networks=[network])
        made = create_key(organisation_id=here.id, robot_id=robot, limits=limits, now=NOW)
        return made[1]

    outside, inside = limited("203.0.113.0/24"), limited("127.0.0.0/8")

    async def act(site: McpSite) -> None:
        for body in (message("tools/list"), SEARCH, message("ping"), b"{"):
            answer = await site.post(outside, body)
            assert answer.status_code == 403, body
            assert answer.json()["type"].endswith(":key-address")
        assert (await site.post(inside, SEARCH)).status_code == 200

    with_site(act)


def test_a_key_that_is_revoked_during_a_call_ends_it(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two REST calls of one resource."""
    here, calls = lasting_world.here, []
    once = RestCaller.call

    async def call(self: RestCaller, asked: Any) -> Any:
        calls.append(asked.path)
        if len(calls) == 2:
            await asyncio.to_thread(revoke, here)
        return await once(self, asked)

    async def act(site: McpSite) -> int:
        await site.post(here.keys["bolt"], message("ping"))
        monkeypatch.setattr(RestCaller, "call", call)
        body = message("resources/read", uri="commonmind://at-hand")
        return (await site.post(here.keys["bolt"], body)).status_code

    assert with_site(act) == 401
    assert calls[0] == "me"


def test_while_the_database_is_away_it_is_503_and_no_key_is_called_invalid(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = lasting_world.here.keys["bolt"]

    def away(*_given: Any, **_named: Any) -> None:
        raise OperationalError("the connection is closed")

    async def act(site: McpSite) -> None:
        assert (await site.post(key, SEARCH)).status_code == 200
        monkeypatch.setattr("robots.api.authentication.authenticate_key", away)
        monkeypatch.setattr("config.fast_path._build_content", lambda scope, body: None)
        for body in (SEARCH, message("tools/list")):
            for shown in (key, key[:-1] + "x"):
                answer = await site.post(shown, body)
                assert answer.status_code == 503
                assert int(answer.headers["retry-after"]) > 0
                assert "www-authenticate" not in answer.headers
                assert "invalid_token" not in answer.text

    with_site(act)


def test_an_origin_that_is_not_ours_is_refused(lasting_world: World) -> None:
    key = lasting_world.here.keys["bolt"]

    async def act(site: McpSite) -> list[int]:
        origins = ("https://evil.example", "null", "", "https://memory.example")
        return [(await site.post(key, SEARCH, origin=one)).status_code for one in origins]

    with override_settings(PUBLIC_URL="https://memory.example/"):
        assert with_site(act) == [403, 403, 403, 200]


def test_only_post_is_taken(lasting_world: World) -> None:
    async def act(site: McpSite) -> None:
        async with site.http(lasting_world.here.keys["bolt"]) as http:
            for method in ("GET", "DELETE", "PUT", "OPTIONS"):
                answer = await http.request(method, "http://testserver/mcp", headers=HEADERS)
                assert (answer.status_code, answer.headers["allow"]) == (405, "POST")

    with_site(act)


GARBAGE: tuple[Any, ...] = (
    b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1", b'"text"', [], {}, {"jsonrpc": "2.0"},
    {"jsonrpc": "2.0", "id": {}, "method": "tools/call"}, message("no/such"),
    message("tools/call"), message("tools/call", name=5),
    message("tools/call", name="search_memories", arguments=[]),
    message("resources/read", uri="file:///etc/passwd"), message("prompts/get", name="x"),
    message("tools/list", cursor="x"),
)  # fmt: skip


@pytest.mark.parametrize("version", ["", LEGACY, "2026-07-28", "1999-01-01", "é"])
def test_garbage_is_answered_and_the_next_call_works(lasting_world: World, version: str) -> None:
    key = lasting_world.here.keys["bolt"]
    headers = {"mcp_protocol_version": version} if version.isascii() and version else {}

    async def act(site: McpSite) -> None:
        for body in GARBAGE:
            answer = await site.post(key, body, **headers)
            assert answer.status_code < 500, (body, answer.text)
            assert "Traceback" not in answer.text
        batch = [tool_call("delete_memory", id="x")] * 10_000
        answer = await site.post(key, batch, **headers)
        assert answer.status_code == 400
        assert len(answer.content) < 10_000
        assert (await site.post(key, SEARCH)).status_code == 200

    with_site(act)


ODD_VALUES: tuple[Any, ...] = (
    "", " ", "\x00", "\ud800", "x" * 100_000, -1, 2**70, 1e400, True, [], {}, [[]], {"a": 1},
    "../me", "..%2f", "?a=b", "a&member=x", "\U0001d54f",
)  # fmt: skip


@pytest.mark.parametrize("one_of", [6, pytest.param(1, marks=pytest.mark.slow)])
def test_odd_arguments_get_words_and_no_error_of_ours(
    lasting_world: World, one_of: int, request: pytest.FixtureRequest
) -> None:
    key, seed, place = lasting_world.here.keys["bolt"], run_seed(request), 0

    async def act(site: McpSite) -> None:
        nonlocal place
        listed = (await site.post(key, message("tools/list"))).json()["result"]["tools"]
        for tool in listed:
            for name in (*tool["inputSchema"]["properties"], "stranger"):
                place += 1
                for value in ODD_VALUES[(place + seed) % one_of :: one_of]:
                    given = dict.fromkeys(tool["inputSchema"].get("required", ()), "x")
                    answer = await site.post(key, tool_call(tool["name"], **given | {name: value}))
                    assert answer.status_code in (200, 400), (tool["name"], name, value)
                    result = answer.json().get("result", {"isError": True})
                    text = str(result)
                    assert "went wrong" not in text, (tool["name"], name, value, text)

    with_site(act)


def test_a_body_over_the_limit_is_413(lasting_world: World) -> None:
    key = lasting_world.here.keys["bolt"]
    large = tool_call("add_memory", content="x" * MAX_BODY_BYTES)

    async def act(site: McpSite) -> None:
        for shown, status in ((key, 413), ("", 401)):
            assert (await site.post(shown, large)).status_code == status

        async def parts() -> Any:
            for _ in range(80):
                yield b" " * 65_536

        async with site.http(key) as http:
            answer = await http.post("http://testserver/mcp", content=parts(), headers=HEADERS)
        assert answer.status_code == 413

    with_site(act)


def test_another_members_id_is_as_one_that_is_not_there(lasting_world: World) -> None:
    here, absent = lasting_world.here, "01990000-0000-7000-8000-00000000dead"

    async def ask(client: Client, member: str) -> str:
        told = await client.call_tool("search_memories", {"query": "x", "member": member})
        assert told.is_error
        return str(told.content[0].text)

    async def act(site: McpSite) -> None:
        foreign = str(lasting_world.there.members["mina"].id)
        async with site.client(here.keys["bolt"]) as client:
            assert await ask(client, foreign) == await ask(client, absent)

    with_site(act)


def test_calls_count_for_the_key_like_calls_of_the_api(lasting_world: World) -> None:
    key = lasting_world.here.keys["bolt"]

    async def act(site: McpSite) -> list[Any]:
        told = [(await site.post(key, SEARCH)).json()["result"] for _ in range(6)]
        assert (await site.post(key, message("tools/list"))).status_code == 429
        return told

    with override_settings(LIMITS={**settings.LIMITS, "key-reads": 3}):
        told = with_site(act)
    refused = [bool(one.get("isError")) for one in told]
    assert refused == sorted(refused)
    assert refused[:2] == [False, False]
    assert refused[3:] == [True] * 3
    assert "Wait" in told[-1]["content"][0]["text"]


def test_two_applications_serve_one_client_in_turns(lasting_world: World) -> None:
    """As two web processes do: nothing is kept between two requests."""
    key = lasting_world.here.keys["bolt"]

    async def act(first: McpSite) -> None:
        async with serving() as second:
            for number in range(20):
                site = (first, second)[number % 2]
                for body in (message("tools/list"), SEARCH):
                    assert (await site.post(key, body)).status_code == 200

    with_site(act)
