"""An answer over HTTP: sentences marked in their memories, for each asker from what they read."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.answers.answer_question import (
    MAX_MEMORIES,
    NOTHING_ANSWERS,
    RecalledText,
    _to_candidates,
)
from memories.retrieval.models import Recall
from memories.retrieval.search_types import Hit
from memories.store.models.reader_use import ReaderUse
from orgs.models.base import new_id
from orgs.principals import resolve_principal
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("X18")
URL, QUESTION = "/api/v1/answer", "When is the launch of the harbour app?"
TALK = "Good morning! The launch of the harbour app is on Friday. Who brings cake?"


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    aria = here.robot("aria")
    here.remember(aria, TALK, speaker="Mina", key="talk", tags=["ship"])
    for n in range(6):
        here.remember(aria, f"The printer number {n} is out of paper.", speaker="Bob")
    here.embed()
    return here


def ask(here: Tenant, query: str, robot: str = "aria", status: int = 200, **more: Any) -> Any:
    answer = here.api(robot).post(URL, {"query": query, **more}, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def test_the_sentence_that_answers_is_marked_in_its_memory(here: Tenant) -> None:
    answer = ask(here, QUESTION)
    [cited] = answer["citations"]
    sentence = "The launch of the harbour app is on Friday."
    # Nobody has proven to be this Mina.
    assert (answer["text"], answer["by"]) == (f"“Mina”: {sentence}", "rules")
    assert answer["sentences"] == [{"text": f"“Mina”: {sentence}", "cites": [1]}]
    assert (answer["answered"], answer["confidence"] >= 0.6) == ("yes", True)
    assert cited["number"] == 1
    assert cited["content"] == TALK
    assert cited["content"][cited["start"] : cited["end"]] == sentence
    assert (cited["key"], cited["tags"], cited["state"]) == ("talk", ["ship"], None)
    assert (cited["speaker"], cited["speaker_member"]) == ("Mina", None), "a mere name"
    assert answer["disagrees"] == []


def test_the_same_question_has_the_same_answer(here: Tenant) -> None:
    own = ("recall_id", "took_ms", "confidence")
    first, second = ({k: v for k, v in ask(here, QUESTION).items() if k not in own} for _ in "ab")
    for one in (*first["citations"], *second["citations"]):
        # Being served makes it stronger.
        one.pop("score")
    assert first == second


def test_nothing_here_answers_that(here: Tenant) -> None:
    answer = ask(here, "zzzqqq")
    assert (answer["text"], answer["answered"], answer["by"]) == (NOTHING_ANSWERS, "no", None)
    assert answer["sentences"] == answer["citations"] == answer["disagrees"] == []


def test_an_organisation_without_memories_answers_nothing(world: World) -> None:
    answer = ask(world.here, QUESTION)
    assert (answer["text"], answer["confidence"]) == (NOTHING_ANSWERS, 0.0)


def test_what_the_answer_shows_counts_as_recalled_and_nothing_else(here: Tenant) -> None:
    answer = ask(here, QUESTION)
    [cited] = answer["citations"]
    with resolve_principal(here.robot("aria")).scope():
        used = ReaderUse.objects.filter(organisation_id=here.id)
        assert [str(one.memory_id) for one in used] == [cited["id"]]
        kept = Recall.objects.get(id=answer["recall_id"])
    assert [hit[0] for hit in kept.hits] == [cited["id"]]
    assert (kept.answered, QUESTION in str(kept.hits)) == ("yes", False)
    said = {"recall_id": answer["recall_id"], "memory": cited["id"], "usefulness": 0.9}
    assert here.api("aria").post("/api/v1/feedback", said, format="json").status_code == 201


def test_nobody_is_answered_from_what_they_do_not_read(here: Tenant) -> None:
    secret = "The launch of the harbour app is on Sunday, says the board."
    here.remember(here.robot("bolt"), secret, visibility="internal")
    mina = str(here.members["mina"].id)
    own = {"group": "launch", "member": mina, "visibility": "private"}
    here.remember(here.robot("aria"), "My launch of the harbour app is on Monday.", **own)
    here.embed()
    for answer in (ask(here, QUESTION), ask(here, QUESTION, group="launch")):
        assert "Sunday" not in str(answer)
        assert "Monday" not in str(answer)
        assert answer["text"] == "“Mina”: The launch of the harbour app is on Friday."
    assert "Sunday" in ask(here, QUESTION, robot="bolt")["text"]


def test_what_replaces_it_answers_and_what_it_replaces_disagrees(lasting_world: World) -> None:
    here = lasting_world.here
    older = "Tomasz lives in Berlin."
    for text, at in ((older, "2026-01-05"), ("Tomasz moved from Berlin to Paris.", "2026-02-05")):
        body = {"content": text, "occurred_at": f"{at}T10:00:00Z", "speaker": "Mina"}
        made = here.api("aria").post("/api/v1/memories", body, format="json")
        assert made.status_code == 201, made.json()
    here.read()
    here.embed()
    answer = ask(here, "Does Tomasz live in Berlin?")
    assert answer["text"] == "“Mina”: Tomasz moved from Berlin to Paris."
    assert [cited["state"] for cited in answer["citations"]] == ["current"]
    [other] = answer["disagrees"]
    assert (other["content"], other["state"]) == (older, "outdated")
    assert other["contradicted_by"] == answer["citations"][0]["id"]


@pytest.mark.conformance("X05")
def test_what_nobody_has_decided_yet_disagrees(lasting_world: World) -> None:
    here, price = lasting_world.here, "What does the parking permit cost a month?"
    texts = [f"The parking permit costs {euros} euros a month." for euros in (30, 45)]
    at = {"visibility": "organisation", "occurred_at": "2026-03-10T09:00:00Z"}
    old = here.api("bolt").post("/api/v1/memories", {"content": texts[0], **at}, format="json")
    more = {"content": texts[1], "supersedes": [old.json()["id"]], **at}
    assert here.api("clio").post("/api/v1/memories", more, format="json").json()["proposals"]
    here.read()
    here.embed()
    answer = ask(here, price)
    [cited], [other] = answer["citations"], answer["disagrees"]
    assert {cited["content"], other["content"]} == set(texts)
    assert answer["text"] == cited["content"]
    assert {cited["state"], other["state"]} == {"disputed"}
    assert (cited["contradicted_by"], other["contradicted_by"]) == (other["id"], cited["id"])
    page = here.browser("bob").get("/memories/", {"q": price}).content.decode()
    assert other["content"] in page.partition("Says otherwise")[2]
    # What is undecided now was not so then, and is nothing to tell others.
    for more in ({"as_of": "2026-04-01"}, {"shareable_with": "design"}):
        asked = ask(here, price, robot="clio", **more)
        assert {hit["state"] for hit in asked["citations"]} == {None}
        assert asked["disagrees"] == []


def test_filters_and_times_narrow_as_in_a_recall(here: Tenant) -> None:
    assert ask(here, QUESTION, filters={"tags": ["ship"]})["citations"]
    assert ask(here, QUESTION, filters={"tags": ["other"]})["text"] == NOTHING_ANSWERS
    assert ask(here, QUESTION, timeframe="2024")["text"] == NOTHING_ANSWERS
    auto = ask(here, "When is the launch of the harbour app in 2024?", timeframe="auto")
    assert (auto["query"], len(auto["timeframe"])) == ("When is the launch of the harbour app?", 1)
    reranked = ask(here, QUESTION, rerank=True)
    assert reranked["reranked"] or reranked["not_reranked"]
    assert reranked["text"] == ask(here, QUESTION)["text"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"limit": MAX_MEMORIES + 1}, "limit"),
        ({"explain": True}, "explain"),
        ({"working": True}, "working"),
        ({"filters": {"kinds": ["x"]}}, "filters"),
        ({"timeframe": "sometime"}, "timeframe"),
    ],
)
def test_wrong_fields_are_named(here: Tenant, body: dict[str, Any], field: str) -> None:
    refused = ask(here, QUESTION, status=400, **body)
    assert [one["field"].partition(".")[0] for one in refused["errors"]] == [field]


def test_a_robot_without_the_scope_to_act_is_refused_as_in_a_recall(here: Tenant) -> None:
    here.add_robot("reader", scopes=("read",))
    answer = here.api("reader").post(URL, {"query": "x", "member": "nobody"}, format="json")
    asked = here.api("reader").post(
        "/api/v1/recall", {"query": "x", "member": "nobody"}, format="json"
    )
    assert answer.status_code == asked.status_code >= 400
    here.add_robot("writer", scopes=("write",))
    assert here.api("writer").post(URL, {"query": "x"}, format="json").status_code == 403


def test_how_many_statements_an_answer_sends_does_not_grow(here: Tenant) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as sent:
            ask(here, "Which printer is out of paper?")
        return len(sent)

    count()
    before = count()
    for n in range(10):
        here.remember(here.robot("aria"), f"Printer {n} has paper again.", speaker="Bob")
    here.embed()
    assert count() <= before


def test_the_sentences_are_weighed_by_the_order_of_the_cross_encoder() -> None:
    """.4 + 8 x .026 comes before .7 - 20 x .01, which is less."""
    first = Hit(new_id(), 0.4, score=0.4, rerank=8.0)
    second = Hit(new_id(), 0.7, score=0.7, rerank=-20.0)
    texts = {hit.id: RecalledText("It is in locker nine.", "Mina", None) for hit in (first, second)}
    found = _to_candidates([first, second], texts)
    assert [one.hit.id for one in found] == [first.id, second.id]
    assert [one.score for one in found] == pytest.approx([0.608, 0.5])
