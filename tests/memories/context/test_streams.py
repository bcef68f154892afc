"""The stream of a robot: what it is worth when, and that nobody else sees it."""

from datetime import timedelta
from math import exp
from typing import Any

import pytest
from django.utils import timezone

from memories.context.streams import streams
from memories.context.streams.stream_scores import (
    IMPORTANCE_BY_TYPE,
    exponential_recency,
    score_stream_entry,
)
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.world import Tenant, World

URL = "/api/v1/streams"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def noted(here: Tenant, robot: str, content: str, status: int = 201, **fields: Any) -> Any:
    answer = here.api(robot).post(URL, {"content": content, **fields}, format="json")
    here.read()
    assert answer.status_code == status, answer.json()
    return answer.json()


def recalled(here: Tenant, robot: str, query: str, **more: Any) -> Any:
    answer = here.api(robot).post(f"{URL}/recall", {"query": query, **more}, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def listed(here: Tenant, robot: str, **asked: Any) -> list[str]:
    answer = here.api(robot).get(URL, asked)
    assert answer.status_code == 200, answer.json()
    return [one["content"] for one in answer.json()["results"]]


@pytest.mark.conformance("G28")
def test_the_score_by_hand() -> None:
    assert IMPORTANCE_BY_TYPE == {"observation": 0.5, "reflection": 0.7, "insight": 0.9}
    assert exponential_recency(0) == exponential_recency(-5) == 1
    assert exponential_recency(24) == pytest.approx(exp(-1))
    assert exponential_recency(48) == pytest.approx(0.135335, abs=1e-6)
    assert score_stream_entry(hours=0, importance=0, relevance=0) == pytest.approx(0.3)
    assert score_stream_entry(hours=1e6, importance=1, relevance=0) == pytest.approx(0.3)
    assert score_stream_entry(hours=1e6, importance=0, relevance=1) == pytest.approx(0.4)
    # .3 x .367879 + .3 x .7 + .4 x .5
    assert score_stream_entry(hours=24, importance=0.7, relevance=0.5) == pytest.approx(
        0.520364, abs=1e-6
    )


@pytest.mark.conformance("G28")
def test_each_kind_has_its_importance(here: Tenant) -> None:
    for kind in ("observation", "reflection", "insight"):
        noted(here, "aria", f"A note, {kind}.", kind=kind)
    noted(here, "aria", "An observation of weight.", importance=0.8)
    found = here.api("aria").get(URL).json()["results"]
    assert [(one["kind"], one["importance"]) for one in found] == [
        ("observation", 0.8),
        ("insight", 0.9),
        ("reflection", 0.7),
        ("observation", 0.5),
    ]


@pytest.mark.conformance("G28")
def test_recall_weighs_time_importance_and_relevance(here: Tenant) -> None:
    now = timezone.now()
    times = {"The press asked about Falcon.": 48 * HOUR, "Bob likes tea.": HOUR}
    for content, age in times.items():
        noted(here, "aria", content, occurred_at=(now - age).isoformat())
    noted(here, "aria", "Trust grows slowly.", kind="insight", occurred_at=(now - DAY).isoformat())
    found = recalled(here, "aria", "Falcon press")["results"]
    by_text = {one["content"]: one for one in found}
    assert len(found) == 3, "what has nothing to do with it is weighed as well"
    falcon, tea = by_text["The press asked about Falcon."], by_text["Bob likes tea."]
    insight = by_text["Trust grows slowly."]
    assert falcon["relevance"] > 0
    assert tea["score"] == pytest.approx(
        0.3 * exp(-1 / 24) + 0.15 + 0.4 * tea["relevance"], abs=1e-4
    )
    assert falcon["score"] == pytest.approx(
        0.3 * exp(-2) + 0.15 + 0.4 * falcon["relevance"], abs=1e-4
    )
    assert insight["score"] == pytest.approx(
        0.3 * exp(-1) + 0.27 + 0.4 * insight["relevance"], abs=1e-4
    )
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)


def test_ten_by_default_and_what_is_served_counts(here: Tenant) -> None:
    for number in range(12):
        noted(here, "aria", f"Observation {number}.")
    assert len(recalled(here, "aria", "anything")["results"]) == 10
    answer = recalled(here, "aria", "anything", limit=3)
    shown = {one["id"] for one in answer["results"]}
    told = {"recall_id": answer["recall_id"], "memory": next(iter(shown)), "usefulness": 0.9}
    assert here.api("aria").post("/api/v1/feedback", told, format="json").status_code in (200, 201)
    with resolve_principal(here.robot("aria")).scope():
        rows = Memory.objects.select_related("use")
        counts = {str(row.id): row.access_count for row in rows}
    assert {id_ for id_, count in counts.items() if count == 2} == shown


def test_an_old_entry_that_answers_is_found_among_thousands(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_LATEST", 2)
    old = timezone.now() - 400 * DAY
    noted(here, "aria", "The safe opens with a brass key.", occurred_at=old.isoformat())
    noted(here, "aria", "Rain fell in March.", occurred_at=old.isoformat())
    for number in range(3):
        noted(here, "aria", f"Observation {number}.")
    found = [one["content"] for one in recalled(here, "aria", "brass key of the safe")["results"]]
    assert "The safe opens with a brass key." in found
    assert "Rain fell in March." not in found
    assert len(found) == 3


@pytest.mark.conformance("G28")
def test_no_other_sees_a_stream(world: World) -> None:
    here = world.here
    made = noted(here, "aria", "Mina seemed tired.")
    for robot in ("bolt", "clio"):
        assert listed(here, robot) == []
        assert recalled(here, robot, "Mina tired")["results"] == []
        assert here.api(robot).get(f"/api/v1/memories/{made['id']}").status_code == 404
        assert here.api(robot).get(f"{URL}/summary").json()["count"] == 0
    for person in ("ada", "chidi", "mina"):
        assert here.browser(person).get(URL).status_code == 403
        assert (
            here.browser(person).post(f"{URL}/recall", {"query": "x"}, format="json").status_code
            == 403
        )
        assert here.browser(person).get(f"/api/v1/memories/{made['id']}").status_code == 404
    assert listed(world.there, "aria") == []
    assert listed(here, "aria") == ["Mina seemed tired."]


def test_what_is_sensitive_is_in_no_stream(here: Tenant) -> None:
    made = noted(here, "aria", "The door opens with 4711.")
    body = {"sensitive": True}
    answer = here.api("aria").patch(f"/api/v1/memories/{made['id']}", body, format="json")
    assert answer.status_code == 200
    assert listed(here, "aria") == []
    assert recalled(here, "aria", "the door")["results"] == []
    summary = here.api("aria").get(f"{URL}/summary").json()
    assert (summary["count"], summary["text"]) == (0, "")


def test_what_others_wrote_takes_no_place_of_an_entry(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_HITS", 1)
    monkeypatch.setattr(streams, "MAX_LATEST", 1)
    noted(here, "aria", "The falcon sleeps.")
    noted(here, "aria", "Nothing happened here.")
    asked = "Where does the falcon fly in winter?"
    here.remember(here.robot("bolt"), asked, visibility="organisation")
    here.read()
    found = [one["content"] for one in recalled(here, "aria", asked)["results"]]
    assert sorted(found) == ["Nothing happened here.", "The falcon sleeps."]


def test_other_notes_are_no_entries(here: Tenant) -> None:
    here.remember(here.robot("aria"), "A plain note of Falcon.", visibility="internal")
    here.remember(
        here.robot("aria"),
        "For all: Falcon.",
        visibility="organisation",
        metadata={"stream": "insight"},
    )
    here.remember(
        here.robot("aria"), "Odd: Falcon.", visibility="internal", metadata={"stream": "gossip"}
    )
    noted(here, "aria", "An entry about Falcon.")
    assert listed(here, "aria") == ["An entry about Falcon."]
    found = recalled(here, "aria", "Falcon")["results"]
    assert [one["content"] for one in found] == ["An entry about Falcon."]


def test_the_same_seen_twice_is_two_entries(here: Tenant) -> None:
    noted(here, "aria", "The door was open.", occurred_at="2026-03-01T10:00:00Z")
    noted(here, "aria", "The door was open.", occurred_at="2026-03-02T10:00:00Z")
    assert listed(here, "aria") == ["The door was open."] * 2


def test_lists_narrow_by_kind_and_time(here: Tenant) -> None:
    noted(here, "aria", "First.", occurred_at="2026-03-01T10:00:00Z")
    noted(here, "aria", "Second.", kind="reflection", occurred_at="2026-03-02T10:00:00Z")
    assert listed(here, "aria", kind="reflection") == ["Second."]
    assert listed(here, "aria", since="2026-03-01T10:00:01Z") == ["Second."]
    assert listed(here, "aria", until="2026-03-02T10:00:00Z") == ["Second.", "First."]
    assert listed(here, "aria", timeframe="yesterday") == []
    noted(here, "aria", "Of yesterday.", occurred_at=(timezone.now() - DAY).isoformat())
    assert listed(here, "aria", timeframe="yesterday") == ["Of yesterday."]
    for wrong in (
        {"timeframe": "soonish"},
        {"timeframe": "today", "since": "2026-03-01T10:00:00Z"},
    ):
        assert here.api("aria").get(URL, wrong).status_code == 400
    noted(here, "aria", "Wrong.", 400, kind="gossip")
    noted(here, "aria", " ", 400)
    noted(here, "aria", "Wrong.", 400, importance=1.5)


@pytest.mark.conformance("G28")
def test_a_summary_is_made_of_its_own_lines(here: Tenant) -> None:
    at = "2026-03-02T10:{:02}:00Z".format
    for number in range(20):
        noted(here, "aria", f"Observation number {number}.", occurred_at=at(number))
    noted(here, "aria", "A small insight.", kind="insight", importance=0.6, occurred_at=at(30))
    noted(here, "aria", "A great insight.", kind="insight", occurred_at=at(31))
    noted(here, "aria", "A reflection.", kind="reflection", occurred_at=at(32))
    noted(here, "aria", "Of another day.", kind="insight", occurred_at="2026-03-05T10:00:00Z")
    span = {"since": "2026-03-02T00:00:00Z", "until": "2026-03-02T23:59:59Z"}
    found = here.api("aria").get(f"{URL}/summary", span).json()
    assert found["count"] == 23
    assert found["kinds"] == {"observation": 20, "reflection": 1, "insight": 2}
    lines = found["text"].split("\n")
    assert lines[:3] == ["A great insight.", "A small insight.", "A reflection."]
    # Nothing has a vector yet: the last of each fifth.
    assert lines[3:] == [f"Observation number {number}." for number in (3, 7, 11, 15, 19)]
    assert len(found["memories"]) == 8
    short = here.api("aria").get(f"{URL}/summary", {**span, "max_tokens": 8}).json()
    assert short["text"] == "A great insight.\nA small insight."
    assert short["tokens"] == 8
    shorter = here.api("aria").get(f"{URL}/summary", {**span, "max_tokens": 7}).json()
    assert (shorter["text"], shorter["tokens"]) == ("A great insight.", 4)
    nothing = here.api("aria").get(f"{URL}/summary", {"timeframe": "yesterday"}).json()
    assert (nothing["count"], nothing["text"]) == (0, "")


def test_what_is_forgotten_is_out_of_the_stream(here: Tenant) -> None:
    made = noted(here, "aria", "Mina seemed tired.")
    assert here.api("aria").delete(f"/api/v1/memories/{made['id']}").status_code == 204
    assert listed(here, "aria") == []
    assert recalled(here, "aria", "Mina tired")["results"] == []
