"""Who reads what, asked of every way to read: recall, list, get and figures."""

from typing import Any
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from memories.access.references import ReaderReferences
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Group
from orgs.organisations.groups import remove_from_group, set_confidential
from orgs.principals import Actor
from tests.world import NOW, Tenant, World

WORD = "zebra"


def reads(api: APIClient, memory_id: UUID, *, wrote_it: bool = False, **asked: Any) -> bool:
    """Whether the caller gets at a memory; every way to it must agree, but that who wrote it for
    others has it by its id."""
    got = api.get(f"/api/v1/memories/{memory_id}")
    listed = api.get("/api/v1/memories", {"limit": 1000}).json()["results"]
    found = api.get("/api/v1/memories", {"q": WORD}).json()["results"]
    body = {"query": WORD, "limit": 1000, "strategy": "keyword", **asked}
    recalled = api.post("/api/v1/recall", body, format="json").json()["results"]
    every = {
        got.status_code == (404 if wrote_it else 200),
        *(str(memory_id) in [row["id"] for row in rows] for rows in (listed, found, recalled)),
    }
    assert len(every) == 1, (got.status_code, listed, recalled)
    assert api.get("/api/v1/stats").json()["memories"] == len(listed)
    return every.pop()


def readers(tenant: Tenant, memory_id: UUID, *, but: str = "") -> set[str]:
    """The names of the people and robots that read it. but: who is not asked."""
    people = {name for name in tenant.members if reads(tenant.browser(name), memory_id)}
    robots = set(tenant.robots) - {but}
    return people | {name for name in robots if reads(tenant.api(name), memory_id)}


def open_up(tenant: Tenant, group: str, confidential: bool) -> None:
    set_confidential(
        actor=tenant.person("ada"), group=tenant.groups[group], confidential=confidential, now=NOW
    )


@pytest.mark.conformance("A12")
def test_public_is_for_the_group(world: World) -> None:
    here = world.here
    said = here.remember(here.person("bob"), f"A {WORD}.", group="launch", visibility="public").id
    assert readers(here, said) == {"mina", "bob", "aria"}

    open_up(here, "launch", confidential=False)
    assert readers(here, said) == {"mina", "bob", "aria", "ada", "chidi"}
    open_up(here, "launch", confidential=True)
    remove_from_group(
        organisation_id=here.id,
        group_id=here.groups["launch"].id,
        member_ids=[here.members["bob"].id],
    )
    # Who said it and left the group reads it no more than any other who left.
    assert readers(here, said) == {"mina", "aria"}


@pytest.mark.conformance("A12")
def test_only_an_admin_or_the_owner_opens_a_group(world: World) -> None:
    here = world.here
    for name in ("chidi", "mina", "vera"):
        with pytest.raises(PermissionError):
            set_confidential(
                actor=here.person(name), group=here.groups["launch"], confidential=False, now=NOW
            )
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(owner=here.members["mina"])
        group = Group.objects.get(id=here.groups["launch"].id)
    set_confidential(actor=here.person("mina"), group=group, confidential=False, now=NOW)


@pytest.mark.conformance("A13")
@pytest.mark.parametrize("group", ["launch", None])
def test_protected_is_for_its_owner_and_those_it_names(world: World, group: str | None) -> None:
    here = world.here
    place = {"group": group} if group else {}
    bob, bolt = str(here.members["bob"].id), str(here.robots["bolt"].id)
    said = here.remember(
        here.person("mina"), f"A {WORD}.", visibility="protected",
        readers=ReaderReferences(members=(bob,), robots=(bolt,)), **place,
    ).id  # fmt: skip
    assert readers(here, said) == {"mina", "bob", "bolt"}


@pytest.mark.conformance("A13")
def test_protected_by_a_robot_is_for_speaker_and_listeners(world: World) -> None:
    here = world.here
    mina, bob, vera = (str(here.members[name].id) for name in ("mina", "bob", "vera"))
    said = here.remember(
        here.robot("aria"), f"A {WORD}.", visibility="protected", group="launch", member=mina,
        speaker=bob, listeners=(vera,),
    ).id  # fmt: skip
    # aria sits in the group and wrote it, but it is not hers to read without Mina.
    assert not reads(here.api("aria"), said, wrote_it=True)
    assert readers(here, said, but="aria") == {"mina", "bob", "vera"}
    alone = here.remember(here.robot("aria"), f"Another {WORD}.", visibility="protected").id
    assert readers(here, alone) == {"aria"}


@pytest.mark.conformance("A14")
def test_internal_notes_reach_no_person_by_any_path(world: World) -> None:
    here = world.here
    open_up(here, "launch", confidential=False)
    mina = str(here.members["mina"].id)
    places: list[dict[str, Any]] = [
        {"visibility": "internal"},
        {"visibility": "private"},
        {"visibility": "internal", "group": "launch"},
        {"visibility": "internal", "group": "launch", "member": mina, "speaker": mina},
        {"visibility": "internal", "member": mina, "tags": ("secret-tag",), "key": "secret-key"},
    ]
    for number, place in enumerate(places):
        here.remember(here.robot("aria"), f"{WORD} note {number}", **place)
    paths = [
        "/api/v1/memories?limit=1000", "/api/v1/memories?kind=internal",
        f"/api/v1/memories?q={WORD}",
        "/api/v1/memories?tag=secret-tag", f"/api/v1/memories?member={mina}",
        f"/api/v1/memories?robot={here.robots['aria'].id}", "/api/v1/memories?group=launch",
        *(f"/api/v1/memories?status={s}" for s in ("archived", "forgotten", "pending_review")),
    ]  # fmt: skip
    for name in here.members:
        api = here.browser(name)
        for path in paths:
            assert api.get(path).json() == {"results": [], "next": None}, (name, path)
        figures = api.get("/api/v1/stats").json()
        asked = figures.pop("language_model", None) or {}
        assert {k: v for k, v in (figures | asked).items() if v} == {}, name
        for more in (
            {},
            {"group": "launch"},
            {"include_direct": True},
            {"strategy": "vector"},
            {"filters": {"kinds": ["internal"]}},
            {"filters": {"tags": ["secret-tag"]}},
        ):
            body = {"query": f"{WORD} note", "explain": True, **more}
            answer = api.post("/api/v1/recall", body, format="json")
            assert answer.json().get("results", []) == [], (name, more)
        assert here.readable(here.person(name)) == set()
    assert len(here.readable(here.robot("aria"))) == 5
    assert here.readable(here.robot("clio")) == set()


@pytest.mark.conformance("A14")
def test_a_note_of_a_robot_does_not_come_up_when_another_acts_for_the_member(world: World) -> None:
    here = world.here
    here.add_robot("dora", groups=("launch",), scopes=("read", "act_for"))
    mina = str(here.members["mina"].id)
    here.remember(here.robot("aria"), f"{WORD}", visibility="internal", group="launch", member=mina)
    asked = {"query": WORD, "group": "launch", "member": mina, "include_direct": True}
    answer = here.api("dora").post("/api/v1/recall", asked, format="json").json()
    assert answer["results"] == []


@pytest.mark.conformance("H35")
def test_private_to_a_robot_is_for_that_robot_alone(world: World) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), f"A {WORD}.", visibility="private").id
    assert readers(here, kept) == {"aria"}
    figures = {name: here.api(name).get("/api/v1/stats").json() for name in ("aria", "bolt")}
    assert (figures["aria"]["memories"], figures["bolt"]["memories"]) == (1, 0)
    assert (figures["aria"]["embedding_pending"], figures["bolt"]["embedding_pending"]) == (1, 0)
    assert (figures["aria"]["robots"], figures["bolt"]["robots"]) == (1, 0)


@pytest.mark.conformance("H36")
def test_shared_is_for_the_robots_it_names(world: World) -> None:
    here = world.here
    here.add_robot("dora", scopes=("read", "write"))
    names = ReaderReferences(robots=tuple(str(here.robots[name].id) for name in ("bolt", "clio")))
    said = here.remember(here.robot("aria"), f"A {WORD}.", visibility="shared", readers=names).id
    assert readers(here, said) == {"aria", "bolt", "clio"}


def test_shared_with_a_group_reaches_its_people_and_robots(world: World) -> None:
    here = world.here
    said = here.remember(
        here.person("mina"),
        f"A {WORD}.",
        visibility="shared",
        readers=ReaderReferences(groups=("design",)),
    ).id
    assert readers(here, said) == {"mina", "aria", "clio"}


@pytest.mark.conformance("Z04")
def test_what_the_rules_say_is_what_the_database_shows(world: World) -> None:
    """Four roles, three visibilities: each role reads its own, the shared, and its groups'."""
    here = world.here
    private = here.remember(here.person("mina"), f"{WORD} 1").id
    shared = here.remember(here.person("chidi"), f"{WORD} 2", visibility="organisation").id
    public = here.remember(here.person("mina"), f"{WORD} 3", group="launch").id

    def seen(name: str) -> tuple[bool, bool, bool]:
        readable = here.readable(here.person(name))
        return private in readable, shared in readable, public in readable

    expected = {"ada": (0, 1, 0), "chidi": (0, 1, 0), "mina": (1, 1, 1), "vera": (0, 1, 0)}
    assert {name: seen(name) for name in expected} == expected
    open_up(here, "launch", confidential=False)
    assert (seen("ada"), seen("chidi")) == ((0, 1, 1), (0, 1, 1))
    assert (seen("bob"), seen("vera")) == ((0, 1, 1), (0, 1, 0))
    assert {
        m for t in ("ada", "mina") for m in world.there.readable(world.there.person(t))
    } == set()


def test_figures_and_pages_do_not_depend_on_hidden_rows(world: World) -> None:
    here = world.here
    here.remember(here.robot("bolt"), f"A {WORD}.")

    def looked(name: str) -> list[Any]:
        api = here.api(name) if name in here.robots else here.browser(name)
        body = {"query": WORD, "explain": True}
        recalled = api.post("/api/v1/recall", body, format="json").json()["results"]
        return [
            api.get("/api/v1/stats").json(),
            api.get("/api/v1/memories", {"limit": 1}).json()["next"],
            # The relevance and its parts: the whole score also moves with each access.
            [(hit["id"], {**hit["scores"], "strength": None}) for hit in recalled],
        ]

    before = {name: looked(name) for name in ("bob", "bolt", "ada")}
    for number in range(20):
        here.remember(here.person("mina"), f"{WORD} {number}")
        here.remember(here.robot("clio"), f"{WORD} {number}", group="design")
    assert {name: looked(name) for name in before} == before


def test_an_actor_for_nobody_known_reads_nothing(world: World) -> None:
    here, there = world.here, world.there
    here.remember(here.robot("aria"), f"A {WORD}.")
    stranger = Actor(organisation_id=here.id, member_id=there.members["mina"].id, role="admin")
    with pytest.raises(KeyError):
        here.readable(stranger)
