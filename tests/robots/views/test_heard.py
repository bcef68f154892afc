"""A new key: its first calls, and whether it was heard from (W01)."""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from robots.access.robot_administration import create_robot_key, revoke_robot_key
from robots.models.keys import Key
from robots.views.key_usage import MAX_POLLS
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("W01")


def key_of(here: Tenant, scopes: list[str] | None = None) -> Key:
    return create_robot_key(
        here.person("ada"),
        robot_id=here.robots["aria"].id,
        key_id=new_id(),
        label="laptop",
        scopes=scopes or ["read", "write"],
        lifetime=None,
        now=NOW,
    )[0]


def asked(here: Tenant, key: Key, name: str = "ada", query: str = "", **headers: str) -> Any:
    return make_signed_in_client(here, name).get(
        f"/robots/keys/{key.id}/heard/{query}", headers=headers
    )


def test_it_says_when_and_asks_no_more(world: World) -> None:
    here = world.here
    key = key_of(here)
    page = response_text(asked(here, key, HX_Request="true"))
    assert "<html" not in page
    assert "aria was not heard from yet" in page
    assert f"/robots/keys/{key.id}/heard/?asked=1" in page
    last = response_text(asked(here, key, query=f"?asked={MAX_POLLS}"))
    assert 'hx-trigger="load' not in last, "after some minutes it is not asked again"
    for odd in ("?asked=x", "?asked=-1", "?asked=\u0663", "?asked=" + "9" * 5000):
        assert asked(here, key, query=odd).status_code == 200
    with organisation_scope(here.id):
        Key.objects.filter(id=key.id).update(last_used_at=timezone.now() - timedelta(seconds=3))
    page = response_text(asked(here, key))
    assert re.search(r"aria was heard from <time [^>]+>[345] s ago</time>", page)
    assert "hx-swap-oob" not in page
    assert 'hx-trigger="load' not in page


def test_the_entry_of_the_robot_says_so_too(world: World) -> None:
    here = world.here
    key = key_of(here)
    place = f'id="heard-at-{here.robots["aria"].id}"'
    page = response_text(make_signed_in_client(here, "ada").get("/robots/"))
    assert f"<span {place}>Not heard from yet</span>" in page
    assert place not in response_text(asked(here, key, HX_Request="true"))
    with organisation_scope(here.id):
        Key.objects.filter(id=key.id).update(last_used_at=timezone.now())
    said = response_text(asked(here, key, HX_Request="true"))
    assert f'<span {place} hx-swap-oob="true">Last heard from <time' in said


def test_a_key_that_ended_is_not_waited_for(world: World) -> None:
    here = world.here
    key = key_of(here)
    revoke_robot_key(here.person("ada"), key_id=key.id, now=NOW)
    page = response_text(asked(here, key))
    assert "opens nothing any more" in page
    assert 'hx-trigger="load' not in page


def test_only_admins_of_the_organisation_are_told(world: World) -> None:
    here, key = world.here, key_of(world.here)
    for name in ("chidi", "bob", "vera"):
        assert asked(here, key, name).status_code == 404
    admin = next(name for name, one in world.there.members.items() if one.role == "admin")
    assert asked(world.there, key, admin).status_code == 404


def ways_shown(world: World, *scopes: str) -> tuple[str, dict[str, list[str]]]:
    """(the key, the blocks of code by the way) of the page after making a key."""
    ada, robot = make_signed_in_client(world.here, "ada"), world.here.robots["aria"].id
    form = ada.get("/robots/").context["robots"]
    once = next(one for one in form if one["id"] == robot)["key_form"]["once"].value()
    sent = {
        f"{robot.hex}-name": "x",
        f"{robot.hex}-scopes": list(scopes),
        f"{robot.hex}-once": once,
    }
    page = unescape(ada.post(f"/robots/{robot}/keys/", sent).content.decode())
    found = {}
    for way in re.findall(r'<details class="disclosure" name="way".*?</details>', page, re.DOTALL):
        title = re.sub(r"<[^>]*>", "", re.findall(r"<summary>.*?</summary>", way, re.DOTALL)[0])
        found[title.strip()] = re.findall(r"<code>(.*?)</code>", way, re.DOTALL)
    return re.findall(r'<code id="new-key">(.*?)</code>', page)[0], found


def test_each_way_has_the_key_in_it(world: World) -> None:
    key, ways = ways_shown(world, "read", "write")
    hosts = ["Claude Code", "Cursor", "VS Code", "Gemini CLI", "Codex"]
    assert list(ways) == ["A terminal", *hosts, "Python"]
    for blocks in ways.values():
        assert all(key in one and settings.PUBLIC_URL in one for one in blocks)
    for path, block in zip(("memories", "recall"), ways["A terminal"], strict=True):
        assert block.startswith(f"curl -s {settings.PUBLIC_URL}/api/v1/{path} ")
    compile(ways["Python"][0], "program", "exec")


def test_a_way_offers_what_the_key_may_do(world: World) -> None:
    _, reader = ways_shown(world, "read")
    assert ["/recall" in one for one in reader["A terminal"]] == [True]
    assert "remember" not in reader["Python"][0]
    assert "context" in reader["Python"][0]
    _, writer = ways_shown(world, "write")
    assert list(writer) == ["A terminal", "Python"], "MCP is of no use to who may read nothing"
    assert "context" not in writer["Python"][0]


def test_the_configurations_are_those_of_the_document(world: World) -> None:
    """Only the place of the key differs."""
    key, ways = ways_shown(world, "read")
    page = (settings.BASE_DIR / "docs" / "agents" / "mcp.md").read_text(encoding="utf-8")
    written = re.findall(
        r"\*\*(Claude Code|Cursor|VS Code|Gemini CLI)\*\*: in .*?```json\n(.*?)```", page, re.DOTALL
    )
    assert len(written) == 4
    for host, text in written:
        keyed = re.sub(r"\$\{[^}]*\}", key, text)
        told = json.loads(keyed.replace("http://127.0.0.1:8000", settings.PUBLIC_URL))
        told.pop("inputs", None)
        assert json.loads(ways[host][0]) == told, host
    [commands] = re.findall(r"\*\*Codex\*\*: .*?by a command.*?```\n(.*?)\n```", page, re.DOTALL)
    told = commands.replace("...", key).replace("http://127.0.0.1:8000", settings.PUBLIC_URL)
    assert ways["Codex"] == [told]
