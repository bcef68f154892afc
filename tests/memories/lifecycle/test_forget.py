"""Forget, archive, restore: out of every answer, its neighbours' too, and back."""

from collections.abc import Callable
from uuid import UUID

import pytest

from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.curation.edit_memory import edit_memory
from memories.indexing.models import Pending
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.review.protect import protect_memory
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant, World


def hits(tenant: Tenant, name: str, query: str, **asked: object) -> list[str]:
    api = tenant.api(name) if name in tenant.robots else tenant.browser(name)
    answer = api.post("/api/v1/recall", {"query": query, **asked}, format="json").json()
    return [hit["id"] for hit in answer["results"]]


def status(who: Actor, memory_id: UUID) -> str:
    from memories.store.models.memory import Memory

    with resolve_principal(who).scope():
        return Memory.objects.get(id=memory_id).status


@pytest.mark.parametrize(
    ("leave", "word"), [(forget_memory, "forgotten"), (archive_memory, "archived")]
)
def test_out_of_every_answer_and_back(
    world: World, leave: Callable[..., object], word: str
) -> None:
    here, robot = world.here, world.here.robot("aria")
    said = here.remember(robot, "The zebra is called Zoe.").id
    leave(robot, said, now=NOW)
    api = here.api("bolt")
    assert hits(here, "bolt", "zebra") == []
    assert api.get("/api/v1/memories", {"q": "zebra"}).json()["results"] == []
    assert api.get("/api/v1/stats").json()["memories"] == 0
    assert status(robot, said) == word
    restore_memory(robot, said, now=NOW)
    assert hits(here, "bolt", "zebra") == [str(said)]
    with pytest.raises(AlreadyExistsError):
        restore_memory(robot, said, now=NOW)


def test_what_is_forgotten_exists_for_those_alone_who_may_bring_it_back(world: World) -> None:
    here, robot = world.here, world.here.robot("aria")
    said = here.remember(robot, "The zebra is called Zoe.").id
    forget_memory(robot, said, now=NOW)

    def exists(name: str) -> tuple[bool, bool]:
        api = here.api(name) if name in here.robots else here.browser(name)
        listed = api.get("/api/v1/memories", {"status": "forgotten"}).json()["results"]
        return api.get(f"/api/v1/memories/{said}").status_code == 200, bool(listed)

    expected = {name: name in ("aria", "ada", "chidi") for name in (*here.members, *here.robots)}
    assert {name: exists(name) for name in expected} == {
        name: (known, known) for name, known in expected.items()
    }
    for name in ("bob", "vera"):
        with pytest.raises(NotFoundError):
            restore_memory(here.person(name), said, now=NOW)


def test_what_its_subject_forgot_is_theirs_alone(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    said = here.remember(
        here.robot("aria"), "Mina failed the test.", group="launch", member=str(mina.member_id)
    ).id
    forget_memory(mina, said, now=NOW)
    for other in (here.robot("aria"), here.person("bob"), here.person("chidi")):
        for act in (restore_memory, forget_memory, archive_memory):
            with pytest.raises(NotFoundError):
                act(other, said, now=NOW)
        with pytest.raises(NotFoundError):
            edit_memory(other, said, {"content": "x"}, now=NOW)
    listed = here.api("aria").get("/api/v1/memories", {"status": "forgotten"}).json()
    assert listed["results"] == []
    restore_memory(mina, said, now=NOW)
    assert hits(here, "bob", "failed test") == [str(said)]


def test_words_of_a_forgotten_turn_leave_the_turns_around_it(lasting_world: World) -> None:
    """A turn is found by its neighbours' words: not by those of one that is gone."""
    here, robot = lasting_world.here, lasting_world.here.robot("aria")
    drafts = [
        Draft(content=text, group="launch", conversation="c", position=n)
        for n, text in enumerate(["How are you?", "My diagnosis is leukaemia.", "Oh, I am sorry."])
    ]
    before, secret, after = (o.id for o in remember_many(robot, drafts, now=NOW))
    here.embed()
    found = hits(here, "bob", "leukaemia", strategy="keyword")
    assert set(found) == {str(before), str(secret), str(after)}

    forget_memory(robot, secret, now=NOW)
    assert hits(here, "bob", "leukaemia", strategy="keyword") == []
    with resolve_principal(robot).scope():
        owed = set(Pending.objects.values_list("memory_id", flat=True))
    assert owed == {before, after}
    here.embed()
    assert hits(here, "bob", "leukaemia", strategy="keyword") == []
    assert str(before) in hits(here, "bob", "sorry", strategy="keyword")

    restore_memory(robot, secret, now=NOW)
    here.embed()
    assert set(hits(here, "bob", "leukaemia", strategy="keyword")) == set(found)
    edit_memory(robot, secret, {"content": "It is nothing."}, now=NOW)
    assert hits(here, "bob", "leukaemia", strategy="keyword") == []


@pytest.mark.parametrize(
    ("who", "may"),
    [
        ("ada", True),
        ("chidi", True),
        ("mina", True),
        ("bob", False),
        ("aria", True),
        ("bolt", False),
    ],
)
def test_who_may_forget(world: World, who: str, may: bool) -> None:
    """Its robot, whom it is about, and those who curate; other readers may not."""
    here = world.here
    mina = str(here.members["mina"].id)
    said = here.remember(
        here.robot("aria"), "She likes tea.", visibility="organisation", member=mina
    ).id
    actor = here.robot(who) if who in here.robots else here.person(who)
    if may:
        forget_memory(actor, said, now=NOW)
    else:
        with pytest.raises(ChangeForbiddenError):
            forget_memory(actor, said, now=NOW)
    assert status(here.person("ada"), said) == ("forgotten" if may else "active")


@pytest.mark.conformance("G20")
def test_a_red_line_holds_but_not_against_its_subject(world: World) -> None:
    here = world.here
    mina = str(here.members["mina"].id)
    said = here.remember(
        here.robot("aria"), "Mina never flies without her charts.", group="launch", member=mina
    ).id
    protect_memory(here.person("mina"), said, reason="It saves lives.", now=NOW)
    with pytest.raises(RedLineError):
        forget_memory(here.robot("aria"), said, now=NOW)
    forget_memory(here.person("mina"), said, now=NOW)
    assert status(here.person("mina"), said) == "forgotten"


def test_a_proposal_that_is_restored_still_waits(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    said = here.remember(mina, "Lunch is free.", visibility="organisation").id
    forget_memory(mina, said, now=NOW)
    restore_memory(mina, said, now=NOW)
    assert status(mina, said) == "pending_review"
    assert hits(here, "mina", "lunch") == []


@pytest.mark.conformance("H30")
def test_only_what_is_forgotten_is_restored(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    id_ = here.remember(aria, "Note of tea.", visibility="organisation").id
    before = here.api("aria").get(f"/api/v1/memories/{id_}").json()
    for _ in range(2):
        with pytest.raises(AlreadyExistsError, match="neither forgotten nor archived"):
            restore_memory(aria, id_, now=NOW)
        assert here.api("aria").post(f"/api/v1/memories/{id_}/restore").status_code == 409
    assert here.api("aria").get(f"/api/v1/memories/{id_}").json() == before
    forget_memory(aria, id_, now=NOW)
    assert here.api("aria").post(f"/api/v1/memories/{id_}/restore").status_code == 200
    assert here.api("aria").post(f"/api/v1/memories/{id_}/restore").status_code == 409


def test_forgetting_twice_or_by_http(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    said = here.remember(here.robot("aria"), "Gone soon.").id
    address = f"/api/v1/memories/{said}"
    assert api.delete(address).status_code == 204
    assert api.delete(address).status_code == 404
    assert api.post(f"{address}/restore", {}, format="json").status_code == 200
    assert api.post(f"{address}/restore", {}, format="json").status_code == 409
    assert api.post(f"{address}/archive", {}, format="json").status_code == 200
    assert api.post(f"{address}/archive", {}, format="json").status_code == 409
    with organisation_scope(here.id):
        acts = list(AuditEntry.objects.order_by("at", "id").values_list("action", "target"))
    told = [action for action, target in acts if target == said]
    acted = ["memory.archived", "memory.forgotten", "memory.restored"]
    assert sorted(told) == ["gate.passed", *acted]
