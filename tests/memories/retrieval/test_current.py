"""A fact that changed, as a robot is told of it: in an answer and in a context."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from tests.world import NOW, World

QUESTION = "Which port does the billing service listen on?"
OLD, NEW = (f"The billing service listens on port {port}." for port in (8401, 9020))
SAID = datetime(2026, 1, 10, 9, tzinfo=UTC), datetime(2026, 2, 20, 9, tzinfo=UTC)


def draft(text: str, at: datetime, **more: Any) -> Draft:
    return Draft(content=text, occurred_at=at, **({"group": "design"} | more))


@pytest.fixture
def told(lasting_world: World) -> World:
    """The old fact, said as the question is, and the new one among others."""
    drafts = [
        draft(OLD, SAID[0], key="port-old"), draft(NEW, SAID[1], key="port-new"),
        draft("The canteen closes at two.", SAID[1]),
    ]  # fmt: skip
    here = lasting_world.here
    remember_many(here.robot("aria"), drafts, now=NOW)
    here.embed()
    return lasting_world


def answer(world: World, **asked: Any) -> dict[str, dict[str, Any]]:
    body = {"query": QUESTION, "limit": 5} | asked
    found = world.here.api("aria").post("/api/v1/recall", body, format="json")
    assert found.status_code == 200, found.json()
    return {hit["key"]: hit for hit in found.json()["results"]}


@pytest.mark.conformance("X03", open="stories of change: 85 % current first")
@pytest.mark.conformance("X04", open="stories: 75 % marked")
def test_the_newer_comes_first_and_the_older_says_since_when_it_is_outdated(told: World) -> None:
    hits = answer(told)
    assert [*hits][:2] == ["port-new", "port-old"]
    new, old = hits["port-new"], hits["port-old"]
    assert (new["state"], new["contradicted_by"], new["outdated_since"]) == ("current", None, None)
    assert (old["state"], old["contradicted_by"]) == ("outdated", new["id"])
    assert datetime.fromisoformat(old["outdated_since"]) == SAID[1]
    assert hits[None]["state"] is None
    assert new["score"] >= old["score"]


@pytest.mark.conformance("X03")
def test_a_newer_one_below_the_limit_takes_the_place(told: World) -> None:
    assert [*answer(told, limit=1)] == ["port-new"]


@pytest.mark.conformance("X04")
def test_a_context_says_what_was_true_until_when(told: World) -> None:
    body = {"query": QUESTION, "include_recent": False}
    made = told.here.api("aria").post("/api/v1/context", body, format="json").json()
    lines = [line for line in made["text"].splitlines() if "billing service" in line]
    assert [("9020" in line, "8401" in line) for line in lines] == [(True, False), (False, True)]
    assert "current" in lines[0]
    assert "was true until 2026-02-20 Fri" in lines[1]
    states = {one["details"].get("state") for one in made["citations"]}
    assert {"current", "outdated"} <= states


@pytest.mark.conformance("X04")
def test_who_reads_only_the_older_one_is_told_of_no_newer_one(lasting_world: World) -> None:
    """Bob sits in no group; what design knows changes nothing in his answer."""
    here = lasting_world.here
    drafts = [
        draft(OLD, SAID[0], key="port-old", group=None, visibility="organisation"),
        draft(NEW, SAID[1], key="port-new"),
    ]
    remember_many(here.robot("aria"), drafts, now=NOW)
    here.embed()
    body = {"query": QUESTION}
    found = here.browser("bob").post("/api/v1/recall", body, format="json").json()["results"]
    told = [hit for hit in found if "billing" in hit["content"]]
    assert [(hit["key"], hit["state"], hit["contradicted_by"]) for hit in told] == [
        ("port-old", None, None)
    ]
    assert answer(lasting_world)["port-old"]["state"] == "disputed"


@pytest.mark.conformance("X04")
def test_a_mere_name_disputes_what_a_member_said(lasting_world: World) -> None:
    here = lasting_world.here
    post = here.browser("mina").post
    body = {"content": OLD, "group": "design", "key": "port-old", "occurred_at": SAID[0]}
    assert post("/api/v1/memories", body, format="json").status_code == 201
    remember_many(
        here.robot("aria"), [draft(NEW, SAID[1], key="port-new", speaker="Somebody")], now=NOW
    )
    here.embed()
    hits = answer(lasting_world)
    assert [*hits][:2] == ["port-old", "port-new"]
    assert hits["port-old"]["state"] == "disputed"
    assert hits["port-old"]["outdated_since"] is None
    assert hits["port-new"]["state"] is None
