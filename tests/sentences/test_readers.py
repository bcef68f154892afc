"""Who reads what: told by pages, and tried by every key and in every browser."""

import re
from uuid import UUID

import pytest
from django.utils import timezone

from memories.access.load_audience_summaries import load_memory_audience_summaries
from memories.access.references import ReaderReferences
from memories.state.transitions import forget_memories
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from robots.access.acting_for_members import create_delegation
from robots.models.keys import Key
from robots.registry.robots import ensure_robot
from tests.memories.access.test_readers import check
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

# The scopes of the key of a robot with leave, and of the member's own; None for no key.
LEAVES: tuple[tuple[str, ...] | None, ...] = (("read", "act_for"), ("read",), ("write",), None)
OWNS: tuple[tuple[str, ...] | None, ...] = (("read", "act_for"), ("read",), None)


def add(here: Tenant, name: str, scopes: tuple[str, ...] | None) -> None:
    if scopes is None:
        here.robots[name], _ = ensure_robot(organisation_id=here.id, name=name, now=NOW)
    else:
        here.add_robot(name, scopes=scopes)


def delegate_to_robot(here: Tenant, name: str) -> None:
    create_delegation(
        organisation_id=here.id, member_id=here.members["mina"].id,
        robot_id=here.robots[name].id, actor=here.person("mina"), now=NOW,
    )  # fmt: skip


def readers_by_call(here: Tenant, memory: UUID) -> set[str]:
    """The robots whose key gets this memory by a call, for Mina or for nobody."""
    found = set()
    for name in here.keys:
        for asked in ({}, {"member": str(here.members["mina"].id)}):
            body = {"query": "What is private to Mina?", **asked}
            answer = here.api(name).post("/api/v1/recall", body, format="json")
            hits = answer.json().get("results", ()) if answer.status_code == 200 else ()
            if str(memory) in {hit["id"] for hit in hits}:
                found.add(name)
    return found


@pytest.mark.parametrize("own", OWNS, ids=str)
def test_robots_with_leave_are_those_whose_key_gets_it(
    lasting_world: World, own: tuple[str, ...] | None
) -> None:
    here = lasting_world.here
    kept = here.remember(here.person("mina"), "This is private to Mina.", visibility="private").id
    for number, scopes in enumerate(LEAVES):
        add(here, f"helper{number}", scopes)
        delegate_to_robot(here, f"helper{number}")
    add(here, "own", own)
    with organisation_scope(here.id):
        here.give_owner("own", "mina")
    here.embed()
    real = readers_by_call(here, kept)
    assert real == {"helper0"} | ({"own"} if own == ("read", "act_for") else set())
    client = make_signed_in_client(here, "mina")
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response_text(client.get("/me/"))))
    idle = len(LEAVES) + 1 - len(real)
    assert f"{len(real)} can read what is private to you. {idle} more have no key for it." in page
    assert page.count("It has no key to act for you with.") == idle
    alone = "only you and helper0" if len(real) == 1 else f"only you and {len(real)} robots"
    assert f"1 {alone} can see" in page
    said = check(here, "mina", kept)
    assert {one.name for one in said.shown if one.what == "helper" and one.enters} == real
    memory = response_text(client.get(f"/memories/{kept}/"))
    assert said.sentence in memory
    overview = response_text(client.get("/"))
    assert "You and your robots" in overview
    with organisation_scope(here.id):
        Key.objects.filter(robot_id__in=[here.robots[name].id for name in real]).update(
            revoked_at=timezone.now()
        )
    assert check(here, "mina", kept).sentence == "Only you can read this."
    page = response_text(client.get("/me/"))
    assert f"None can read what is private to you. {len(LEAVES) + 1} have no key for it." in page
    assert "You and your robots" not in response_text(client.get("/"))
    assert "only you can see" in re.sub(r"<[^>]+>", " ", page)


def test_nobody_reads_what_is_forgotten(world: World) -> None:
    here = world.here
    kept = here.remember(here.person("mina"), "The launch is on Friday.", group="launch").id
    with resolve_principal(here.person("mina")).scope():
        forget_memories([Memory.objects.get(id=kept)], NOW, by_subject=False)
    for name in here.keys:
        hits = here.api(name).post("/api/v1/recall", {"query": "launch"}, format="json").json()
        assert hits["results"] == []
    client = make_signed_in_client(here, "mina")
    for url in (f"/memories/{kept}/", "/trash/", "/me/?show=forgotten"):
        page = response_text(client.get(url))
        assert "The launch is on Friday." in page, url
        assert "can read this" not in page, url
        assert f"/memories/{kept}/readers/" not in page, url
    assert "Before: #launch" in response_text(client.get("/trash/"))
    assert client.get(f"/memories/{kept}/readers/").status_code == 404


def test_a_key_limited_to_groups_is_a_reader_of_these_alone(lasting_world: World) -> None:
    """By what the key gets; also of a list that was made in the group, and of what is private."""
    here, mina = lasting_world.here, lasting_world.here.person("mina")
    for name in ("narrow", "own"):
        here.add_robot(name, groups=("launch", "design"), scopes=("read", "act_for"))
        with organisation_scope(here.id):
            keys = Key.objects.filter(robot=here.robots[name])
            keys.update(groups=[here.groups["launch"].id])
    here.give_owner("own", "mina")
    bob = ReaderReferences(members=(str(here.members["bob"].id),))
    kept = {
        "everyone": here.remember(here.robot("aria"), "Lunch is for everyone.").id,
        "launch": here.remember(mina, "Lunch is for launch.", group="launch").id,
        "design": here.remember(mina, "Lunch is for design.", group="design").id,
        "list": here.remember(
            mina, "Lunch for Bob.", visibility="protected", group="launch", readers=bob
        ).id,
        "private": here.remember(mina, "Lunch is mine.", visibility="private").id,
    }
    here.embed()
    group = here.groups["launch"].external_id
    for what, memory in kept.items():
        real = set()
        for name in ("narrow", "own"):
            for asked in ({"group": group}, {"group": group, "member": str(mina.member_id)}):
                body = {"query": "Lunch", "limit": 50, **asked}
                answer = here.api(name).post("/api/v1/recall", body, format="json")
                hits = answer.json().get("results", ()) if answer.status_code == 200 else ()
                real |= {name for hit in hits if hit["id"] == str(memory)}
        principal = resolve_principal(mina)
        with principal.scope():
            row = Memory.objects.select_related("audience").get(id=memory)
            said = load_memory_audience_summaries(principal, [row], "Here")[row.audience_id]
        told = {one.name for one in said.shown if one.what != "person" and one.enters}
        assert told & {"narrow", "own"} == real, what
        if what in ("everyone", "design"):
            assert "no key that reads this." in said.note
    page = response_text(make_signed_in_client(here, "mina").get("/me/"))
    assert "None can read what is private to you. 1 has no key for it." in page
