"""Sharing widens an audience: who may, to whom, and what comes along."""

from typing import Any
from uuid import UUID

import pytest

from memories.access.permissions import ChangeForbiddenError
from memories.access.references import ReaderReferences
from memories.access.visibility import MemoryRequestError
from memories.curation.share_memory import share_memory
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.knowledge_graph.entities import add_entity
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.organisations.groups import remove_from_group
from orgs.principals import Actor
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World


def share(who: Actor, memory_id: UUID, visibility: str, **fields: Any) -> Memory:
    values = {"readers": {}, "group": None, **fields}
    return share_memory(who, memory_id, visibility=visibility, now=NOW, **values)


def readers(here: Tenant, memory_id: UUID) -> set[str]:
    people = {n for n in here.members if memory_id in here.readable(here.person(n))}
    return people | {n for n in here.robots if memory_id in here.readable(here.robot(n))}


ROBOTS = {"aria", "bolt", "clio"}
PEOPLE = {"ada", "chidi", "mina", "bob", "vera"}


def test_a_private_note_is_its_owners_to_share(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    note = here.remember(mina, "I like tea.").id
    assert readers(here, note) == {"mina"}
    share(mina, note, "shared", readers={"members": (str(here.members["bob"].id),)})
    assert readers(here, note) == {"mina", "bob"}
    row = share(mina, note, "group", group="launch")
    assert (row.kind, row.group_id) == ("user", here.groups["launch"].id)
    assert readers(here, note) == {"mina", "bob", "aria"}
    row = share(mina, note, "private")
    assert readers(here, note) == {"mina"}
    with pytest.raises(PermissionError):
        share(mina, note, "organisation")
    with organisation_scope(here.id):
        shared = AuditEntry.objects.filter(action="memory.shared", target=note)
        assert [set(entry.detail) for entry in shared] == [{"before", "after"}] * 3


def test_a_robots_note_becomes_everyones_and_its_own_again(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    note = here.remember(aria, "The printer jams.", visibility="internal").id
    assert share(aria, note, "organisation").kind == "organisation"
    assert readers(here, note) == ROBOTS | PEOPLE
    assert share(aria, note, "private").kind == "internal"
    assert readers(here, note) == {"aria"}


def test_nobody_takes_for_themselves_alone_what_others_said(world: World) -> None:
    here = world.here
    said = here.remember(here.robot("aria"), "For all.").id
    with pytest.raises(ChangeForbiddenError):
        share(here.person("chidi"), said, "private")
    with pytest.raises(ChangeForbiddenError):
        share(here.person("bob"), said, "group", group="launch")
    assert readers(here, said) == ROBOTS | PEOPLE


def test_what_was_said_in_confidence_is_not_widened_by_a_listener(world: World) -> None:
    here = world.here
    chidi, bolt = str(here.members["chidi"].id), str(here.robots["bolt"].id)
    told = here.remember(
        here.person("mina"), "I am leaving.", visibility="protected",
        readers=ReaderReferences(members=(chidi,), robots=(bolt,)),
    ).id  # fmt: skip
    with pytest.raises(ChangeForbiddenError):
        share(here.person("chidi"), told, "organisation")
    with pytest.raises(ChangeForbiddenError):
        share(here.robot("bolt"), told, "organisation")
    noted = here.remember(
        here.robot("aria"), "Mina is leaving.", visibility="shared",
        member=str(here.members["mina"].id),
        readers=ReaderReferences(robots=(str(here.robots["aria"].id),)),
    ).id  # fmt: skip
    with pytest.raises(ChangeForbiddenError):
        share(here.robot("aria"), noted, "organisation")


def test_what_waits_for_a_decision_is_not_shared_around_it(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    proposal = here.remember(mina, "Lunch is free.", visibility="organisation").id
    for who in (mina, here.person("ada")):
        with pytest.raises(AlreadyExistsError, match="pending_review"):
            share(who, proposal, "group", group="launch") if who is mina else share(
                who, proposal, "organisation"
            )


def test_a_text_or_key_that_the_new_readers_have_already(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "Rent is due on the 1st.", key="rent")
    here.remember(aria, "Water is due on the 2nd.")
    other = here.remember(aria, "Rent is due on the 3rd.", key="rent", group="launch").id
    same = here.remember(aria, "Water is due on the 2nd.", group="launch").id
    for memory_id in (other, same):
        answer = here.api("aria").post(
            f"/api/v1/memories/{memory_id}/share", {"visibility": "organisation"}, format="json"
        )
        assert answer.status_code == 409
        assert "bob" in readers(here, memory_id)
        assert "vera" not in readers(here, memory_id)


def test_the_new_readers_must_be_known_and_the_wish_must_fit(world: World) -> None:
    here, clio = world.here, world.here.robot("clio", "read", "write")
    note = here.remember(clio, "A note.").id
    for fields in (
        {"readers": {"groups": ("launch",)}},
        {"readers": {"members": (str(here.members["bob"].id),)}},
        {"readers": {"members": (str(world.there.members["mina"].id),)}},
        {"readers": {"teams": ("x",)}},
    ):
        with pytest.raises(NotFoundError):
            share(clio, note, "shared", **fields)
    with pytest.raises(NotFoundError):
        share(clio, note, "group", group="launch")
    for wrong in ("shared", "group", "internal", "protected", "everyone"):
        with pytest.raises(MemoryRequestError):
            share(clio, note, wrong)
    assert readers(here, note) == ROBOTS | PEOPLE


def test_words_of_narrower_neighbours_do_not_come_along(lasting_world: World) -> None:
    here, robot = lasting_world.here, lasting_world.here.robot("aria")
    drafts = [
        Draft(content=text, group="design", conversation="c", position=n)
        for n, text in enumerate(["The takeover is on Friday.", "Bring cake.", "Tell nobody."])
    ]
    outcomes = remember_many(robot, drafts, now=NOW)
    cake = outcomes[1].id
    here.embed()

    def asks(name: str, query: str) -> list[str]:
        api = here.browser(name)
        body = {"query": query, "strategy": "keyword"}
        return [h["id"] for h in api.post("/api/v1/recall", body, format="json").json()["results"]]

    assert str(cake) in asks("mina", "takeover")
    share(robot, cake, "organisation")
    for _ in range(2):
        assert asks("vera", "takeover") == []
        assert asks("vera", "cake") == [str(cake)]
        here.embed()
    # And narrowed again: what it says is not lent to those who read its old place.
    share(robot, cake, "private")
    for _ in range(2):
        assert asks("mina", "cake") == []
        here.embed()


def test_a_group_is_not_told_of_to_who_is_not_in_it(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    shared = here.remember(aria, "The zebra costs 7.", group="launch", conversation="launch/1").id
    share(aria, shared, "organisation")
    here.remember(aria, "The zebra is red.", group="launch", visibility="organisation")
    asked = {"query": "zebra"}
    narrow = asked | {"filters": {"groups": ["launch"]}}
    for who, knows in (("vera", False), ("ada", False), ("bolt", False), ("bob", True)):
        api = here.api(who) if who in here.robots else here.browser(who)
        answers = [
            api.get(f"/api/v1/memories/{shared}"),
            api.get("/api/v1/memories?q=zebra"),
            api.post("/api/v1/recall", asked, format="json"),
        ]
        for answer in answers:
            assert ("launch" in response_text(answer)) is knows, (who, response_text(answer))
        assert len(answers[2].json()["results"]) == 2
        filtered = [
            api.get("/api/v1/memories?group=launch"),
            api.post("/api/v1/recall", narrow, format="json"),
        ]
        for answer in filtered:
            assert len(answer.json()["results"]) == (2 if knows else 0), who
        if who not in here.robots:
            for url in (f"/memories/{shared}/", "/memories/?q=zebra"):
                assert (
                    "launch" in response_text(make_signed_in_client(here, who).get(url))
                ) is knows, (who, url)


def test_nor_when_they_take_their_own_along(world: World) -> None:
    here, bob = world.here, world.here.members["bob"].id
    place = {"group": "launch", "conversation": "launch/1", "visibility": "organisation"}
    here.remember(here.robot("aria"), "I like the zebra.", speaker=str(bob), **place)
    for inside in (True, False):
        taken = b"".join(make_signed_in_client(here, "bob").get("/me/export/")).decode()
        assert "zebra" in taken
        assert ("launch" in taken) is inside, taken
        remove_from_group(
            organisation_id=here.id, group_id=here.groups["launch"].id, member_ids=[bob]
        )


def test_a_name_given_for_few_does_not_go_with_the_memory(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    note = here.remember(mina, "I met the buyer today.").id
    add_entity(mina, memory=note, type="company", name="Zebracorp", now=NOW)
    assert "Zebracorp" in response_text(here.browser("mina").get("/api/v1/entities"))
    share(mina, note, "group", group="launch")
    assert "Zebracorp" not in response_text(here.browser("bob").get("/api/v1/entities"))
