"""Why a memory came, with each part of its score; and why it did not (N13)."""

from typing import Any
from uuid import UUID

import pytest

from memories.lifecycle.forget import archive_memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("N13")
QUESTION = "When is the launch?"


def ask(here: Tenant, who: str, id_: UUID, **fields: Any) -> dict[str, Any]:
    client = here.api(who) if who in here.robots else here.browser(who)
    body = {"query": QUESTION, **fields}
    answer = client.post(f"/api/v1/memories/{id_}/explain", body, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def codes(found: dict[str, Any]) -> list[str]:
    return [reason["code"] for reason in found["reasons"]]


def test_it_says_why_it_came_with_the_parts_that_recall_has(lasting_world: World) -> None:
    here = lasting_world.here
    id_ = here.remember(here.robot("aria"), "The launch is on Tuesday.").id
    here.remember(here.robot("aria"), "Lunch is at noon.")
    here.embed()
    found = ask(here, "bob", id_)
    recalled = here.browser("bob").post(
        "/api/v1/recall", {"query": QUESTION, "explain": True}, format="json"
    )
    hit = recalled.json()["results"][0]
    assert (found["served"], found["rank"], found["score"]) == (True, 1, hit["score"])
    assert set(found["scores"]) == set(hit["scores"])
    assert found["scores"]["keyword"] == hit["scores"]["keyword"]
    assert found["scores"]["vector"] == hit["scores"]["vector"]
    assert "It says “launch”." in [reason["text"] for reason in found["reasons"]]


def test_asking_counts_as_no_access(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "The launch is on Tuesday.").id
    ask(here, "bob", id_)
    assert here.browser("bob").get(f"/api/v1/memories/{id_}").json()["access_count"] == 0


def test_no_room_in_the_answer(world: World) -> None:
    here = world.here
    best = here.remember(here.robot("aria"), "Launch! The launch, the launch date.").id
    other = here.remember(here.robot("aria"), "A word about the launch, among many others here.").id
    ranks = {id_: ask(here, "bob", id_, limit=1) for id_ in (best, other)}
    assert sorted(r["rank"] for r in ranks.values()) == [1, 2]
    last = next(r for r in ranks.values() if r["rank"] == 2)
    assert (last["served"], codes(last)) == (False, ["below-limit"])
    assert last["score"] < last["needed"]


def test_each_filter_that_leaves_it_out_is_named(world: World) -> None:
    here = world.here
    id_ = here.remember(
        here.robot("aria"), "The launch is on Tuesday.", tags=("date",), category="event"
    ).id
    found = ask(
        here,
        "bob",
        id_,
        filters={"tags": ["other"], "categories": ["event"], "min_importance": 0.99},
        timeframe={"to": "2020-01-01T00:00:00Z"},
        include_shared=False,
    )
    assert set(codes(found)) == {
        "excluded-by-filters.tags",
        "excluded-by-filters.min_importance",
        "excluded-by-timeframe",
        "excluded-by-include_shared",
    }
    assert (found["served"], found["rank"]) == (False, None)


def test_archived_shares_no_word_and_closed_where_it_was_asked(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    lunch = here.remember(aria, "Lunch at noon.").id
    assert codes(ask(here, "bob", lunch, strategy="keyword")) == ["no-words", "no-candidate"]
    archive_memory(aria, lunch, now=NOW)
    assert codes(ask(here, "ada", lunch)) == ["archived"]
    design = here.remember(aria, "The launch, as design sees it.", group="design").id
    assert codes(ask(here, "mina", design, group="launch")) == ["not-readable-there"]
    assert codes(ask(here, "mina", design, shareable_with="launch")) == ["not-readable-there"]
    assert ask(here, "mina", design)["served"]


def test_explaining_keeps_to_an_opt_out_as_recall_does(world: World) -> None:
    """What may leave its group is one rule; explaining had a second one without the opt-out."""
    here = world.here
    said = here.remember(
        here.robot("aria"),
        "Mina knows the launch codes by heart.",
        group="design",
        member=str(here.members["mina"].id),
        shareable=True,
    ).id
    assert "not-readable-there" not in codes(ask(here, "mina", said, shareable_with="launch"))
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(sharing_off_at=NOW)
    assert codes(ask(here, "mina", said, shareable_with="launch")) == ["not-readable-there"]


@pytest.mark.conformance("T06")
def test_what_may_not_be_read_is_not_found(world: World) -> None:
    here = world.here
    hidden = [
        here.remember(here.person("mina"), "Launch: mine.", visibility="private").id,
        here.remember(here.robot("aria"), "Launch: a note.", visibility="internal").id,
        world.there.remember(world.there.robot("aria"), "Launch: theirs.").id,
        UUID(int=7),
    ]
    answers = [
        here.browser("ada").post(f"/api/v1/memories/{i}/explain", {"query": "x"}, format="json")
        for i in hidden
    ]
    assert {a.status_code for a in answers} == {404}
    bodies = [{k: v for k, v in a.json().items() if k != "request_id"} for a in answers]
    assert all(body == bodies[0] for body in bodies)
