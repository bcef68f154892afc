"""The command palette finds what its asker may read, and says nothing of anything else (W18)."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.browsing.palette.search import MAX_CHARACTERS, MAX_PER_TYPE, search_palette
from memories.browsing.saved_views import set_saved_view
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership
from orgs.organisations.groups import create_group
from orgs.principals import resolve_principal
from robots.models.robots import Robot
from tests.page_client import count_queries, make_signed_in_client
from tests.world import NOW, PEOPLE, Tenant, World

pytestmark = pytest.mark.conformance("W18")


def ask(here: Tenant, name: str, q: str) -> list[dict[str, str]]:
    answer = make_signed_in_client(here, name).get(f"/palette/?q={quote(q)}")
    assert answer.status_code == 200
    return json.loads(answer.content)["found"]


def labels(here: Tenant, name: str, q: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in ask(here, name, q):
        found.setdefault(one["kind"], []).append(one["label"])
    return found


@pytest.fixture
def zebras(world: World) -> World:
    """Something of each kind that is called a zebra, some of it hidden."""
    here = world.here
    with organisation_scope(here.id):
        for name, confidential in (("Zebra open", False), ("Zebra closed", True)):
            slug = name.lower().replace(" ", "-")
            create_group(
                organisation_id=here.id,
                external_id=slug,
                name=name,
                confidential=confidential,
                now=NOW,
            )
        closed = Group.objects.get(organisation_id=here.id, external_id="zebra-closed")
        mina = here.members["mina"]
        GroupMembership.objects.create(organisation_id=here.id, group=closed, member=mina)
        Robot.objects.filter(id=here.robots["aria"].id).update(name="Zebra robot")
        Member.objects.filter(id=here.members["bob"].id).update(name="Bob Zebra")
    here.remember(here.person("mina"), "My zebra is secret.", visibility="private")
    here.remember(here.person("ada"), "A zebra for everyone.", visibility="organisation")
    set_saved_view(here.person("mina"), name="Zebra view", query="category=fact")
    return world


def allowed(here: Tenant, name: str) -> dict[str, set[str]]:
    """What somebody may find, looked up in another way: row by row, in Python."""
    actor = here.person(name)
    member = here.members[name]
    with organisation_scope(here.id):
        mine = {s.group_id for s in GroupMembership.objects.filter(member=member)}
        groups = {
            group.name
            for group in Group.objects.filter(organisation_id=here.id)
            if group.id in mine or (actor.moderates and not group.confidential)
        }
        people = {
            m.name for m in Member.objects.filter(organisation_id=here.id) if not m.removed_at
        }
        robots = {
            robot.name
            for robot in Robot.objects.filter(organisation_id=here.id, builtin=None)
            if actor.moderates or robot.owner_id in (None, member.id)
        }
    readable = here.readable(actor)
    with resolve_principal(actor).scope():
        rows = Memory.objects.filter(id__in=readable, status="active").exclude(kind="internal")
        memories = {row.content for row in rows}
    return {"Group": groups, "Person": people, "Robot": robots, "Memory": memories}


@pytest.mark.parametrize("name", PEOPLE)
def test_it_finds_what_its_asker_may_read(zebras: World, name: str) -> None:
    here = zebras.here
    found = labels(here, name, "zeb")
    views = found.pop("Saved view", [])
    assert views == (["Zebra view"] if name == "mina" else [])
    for kind, may in allowed(here, name).items():
        expected = {label for label in may if "zeb" in label.lower()}
        assert set(found.get(kind, [])) == expected, kind
    browser = make_signed_in_client(here, name)
    for one in ask(here, name, "zeb"):
        assert browser.get(one["url"]).status_code == 200, one


def test_what_is_hidden_is_not_even_counted(zebras: World) -> None:
    here = zebras.here
    for name in ("ada", "chidi", "bob", "vera"):
        answer = make_signed_in_client(here, name).get("/palette/?q=zebra").content.decode()
        assert "closed" not in answer, name
        assert "secret" not in answer, name
        assert set(json.loads(answer)) == {"found"}
    assert "Zebra closed" in labels(here, "mina", "zebra")["Group"]
    for name in zebras.there.members:
        assert ask(zebras.there, name, "zebra") == []


def test_nobody_is_found_who_was_removed(zebras: World) -> None:
    here = zebras.here
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["bob"].id).update(removed_at=NOW)
    assert "Person" not in labels(here, "ada", "zebra")


def test_a_robot_finds_nothing(zebras: World) -> None:
    assert search_palette(zebras.here.robot("aria"), "zebra", now=timezone.now()) == []


def test_the_beginning_of_a_word_comes_first_and_some_of_each_kind(world: World) -> None:
    here = world.here
    with organisation_scope(here.id):
        names = [f"Ax{n}" for n in range(8)] + ["Max", "Maxim"]
        for name in names:
            Member.objects.create(organisation_id=here.id, name=name)
    assert labels(here, "ada", "ax")["Person"] == ["Ax0", "Ax1", "Ax2", "Ax3", "Ax4"]
    assert len(labels(here, "ada", "ax")["Person"]) == MAX_PER_TYPE
    assert labels(here, "ada", "im")["Person"] == ["Maxim"]


@pytest.mark.parametrize(
    "q",
    [
        "",
        "z",
        "%%",
        "__",
        "\\",
        "\\\\",
        "(((",
        "[a-",
        "a{9999}",
        "a\x00b",
        "*+?",
        "\ud7ff",
        "'\"--",
    ],
)
def test_hostile_letters_are_letters(zebras: World, q: str) -> None:
    assert ask(zebras.here, "ada", q) == []
    answer = make_signed_in_client(zebras.here, "ada").get("/palette/?q=%ff%fe%ed%a0%80")
    assert answer.status_code == 200


def test_a_long_text_is_cut(zebras: World) -> None:
    assert ask(zebras.here, "ada", "zebra" * 10_000) == []
    with_blanks = "zebra" + " " * MAX_CHARACTERS * 3
    assert ask(zebras.here, "ada", with_blanks) != []


def test_it_takes_few_queries_and_writes_none(zebras: World) -> None:
    browser = make_signed_in_client(zebras.here, "ada")
    browser.get("/palette/?q=zebra")
    assert count_queries(browser, "/palette/?q=zebra") <= 6
    with CaptureQueriesContext(connection) as seen:
        browser.get("/palette/?q=zebra")
    assert not any(one["sql"].startswith(("INSERT", "UPDATE", "DELETE")) for one in seen)


def test_only_members_ask(zebras: World, client: Any) -> None:
    assert client.get("/palette/?q=zebra").status_code == 302
