"""`rerank: true`: the first twenty in the cross-encoder's order, or the plain order and why."""

import time
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from rest_framework.test import APIClient

from memories.embedding.cross_encoders.cross_encoder import DeadlineExceededError
from memories.lifecycle.forget import forget_memory
from memories.retrieval.ranking.cues import MAX_CUES, MIN_CUES
from memories.retrieval.reranking import rerank as module
from memories.retrieval.reranking.rerank import (
    LOGIT_WEIGHT,
    NEGATIVE_LOGIT_WEIGHT,
    RERANK_DEPTH,
    deepen_limit,
    order_by_logits,
    reranked_score,
)
from memories.retrieval.scoring_profiles import BALANCED_WEIGHTS
from memories.retrieval.search_types import Hit
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World

Judge = Callable[[str], float]


class Listening:
    """A cross-encoder that judges as it is told and keeps what it read."""

    name = "listening"

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.read: list[str] = []

    def logits(self, question: str, texts: Sequence[str], *, deadline: float) -> list[float]:
        self.read += texts
        return [self.judge(text) for text in texts]


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Callable[[Judge], Listening]:
    def use(judge: Judge) -> Listening:
        model = Listening(judge)
        monkeypatch.setattr(module, "get_cross_encoder", lambda: model)
        return model

    return use


def ask(api: APIClient, query: str, **asked: Any) -> dict[str, Any]:
    answer = api.post("/api/v1/recall", {"query": query, **asked}, format="json")
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def texts(found: dict[str, Any]) -> list[str]:
    return [hit["content"] for hit in found["results"]]


def remembered(here: Tenant, count: int) -> None:
    """Each says less of a zebra than the one before."""
    for number in range(count):
        here.remember(
            here.robot("bolt"), f"zebra number {number:02}", importance=0.9 - number / 100
        )


@pytest.mark.conformance("Q07")
@pytest.mark.conformance(
    "X09", open="LoCoMo recall@10 86 reranked is 84.0; token vectors did not pay"
)
def test_the_first_twenty_are_reordered_and_the_rest_stays(world: World, listening: Any) -> None:
    here = world.here
    remembered(here, 25)
    plain = texts(ask(here.api("bolt"), "zebra", strategy="keyword", limit=25))
    model = listening(lambda text: 10.0 * plain.index(text) - 60)

    found = ask(here.api("bolt"), "zebra", strategy="keyword", limit=25, rerank=True, explain=True)

    assert len(model.read) == RERANK_DEPTH == 20
    assert texts(found) == [*reversed(plain[:20]), *plain[20:]]
    assert (found["reranked"], found["not_reranked"]) == (True, None)
    logits = [hit["scores"].get("rerank") for hit in found["results"]]
    assert logits == [*(10.0 * place - 60 for place in range(19, -1, -1)), *[None] * 5]


def test_a_small_limit_is_filled_from_the_first_twenty(world: World, listening: Any) -> None:
    here = world.here
    remembered(here, 22)
    plain = ask(here.api("bolt"), "zebra", strategy="keyword", limit=22)["results"]
    twentieth, beyond = plain[19], plain[20]
    listening(lambda text: 9.0 if text in (twentieth["content"], beyond["content"]) else -9.0)

    found = ask(here.api("bolt"), "zebra", strategy="keyword", limit=2, rerank=True)["results"]

    assert [hit["content"] for hit in found] == [twentieth["content"], plain[0]["content"]]
    assert found[0]["score"] == pytest.approx(twentieth["score"], abs=1e-3), "of the plain order"
    with resolve_principal(here.robot("bolt")).scope():
        counts = dict(Memory.objects.values_list("content", "known_use__access_count"))
    assert counts.pop(twentieth["content"]) == counts.pop(plain[0]["content"]) == 2
    assert set(counts.values()) == {1}, "who is not served is not counted"


def test_without_being_asked_nothing_is_read(world: World, listening: Any) -> None:
    here = world.here
    remembered(here, 3)
    model = listening(lambda text: 0.0)
    found = ask(here.api("bolt"), "zebra", explain=True)
    assert model.read == []
    assert "reranked" not in found
    assert "not_reranked" not in found
    assert not [hit for hit in found["results"] if "rerank" in hit["scores"]]
    assert ask(here.api("bolt"), "nothing of the kind", rerank=True)["results"] == []


@pytest.mark.conformance("Q07")
@pytest.mark.parametrize("why", ["time-limit", "model-missing", "model-failed"])
def test_whatever_goes_wrong_leaves_the_plain_order_and_is_said(
    world: World, settings: Any, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    here = world.here
    remembered(here, 5)
    plain = texts(ask(here.api("bolt"), "zebra 03", limit=3))
    if why == "time-limit":
        settings.RERANK_SECONDS = 0
    if why == "model-missing":
        settings.RERANKER = "no such model"
    if why == "model-failed":

        def broken(*given: Any, **more: Any) -> list[float]:
            raise RuntimeError(given[1])

        monkeypatch.setattr(
            "memories.embedding.cross_encoders.fake_cross_encoder.FakeCrossEncoder.logits", broken
        )
    found = ask(here.api("bolt"), "zebra 03", limit=3, rerank=True)
    assert (found["reranked"], found["not_reranked"]) == (False, why)
    assert texts(found) == plain


def test_a_failure_is_logged_without_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def logits(self, question: str, read: Sequence[str], *, deadline: float) -> list[float]:
            raise RuntimeError(question)

    monkeypatch.setattr(module, "get_cross_encoder", Broken)
    one = Hit(id=uuid4(), relevance=0.5, score=0.5)
    found = module.rerank("my secret", [one], {one.id: "text"}, seconds=1)
    assert (found.hits, found.why_not) == ([one], "model-failed")
    assert "RuntimeError" in caplog.text
    assert "my secret" not in caplog.text


def test_the_limit_runs_from_the_start_and_ends_between_two_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float] = []

    class Slow:
        def logits(self, question: str, read: Sequence[str], *, deadline: float) -> list[float]:
            given.append(deadline - time.monotonic())
            raise DeadlineExceededError

    monkeypatch.setattr(module, "get_cross_encoder", Slow)
    assert module.rerank("q", [], {}, seconds=7).why_not == "time-limit"
    assert 6 < given[0] <= 7


def test_the_weight_is_a_twentieth_of_the_fused_arms() -> None:
    of_the_score = BALANCED_WEIGHTS[0] / (1 + MAX_CUES - MIN_CUES)
    assert pytest.approx(0.05 * of_the_score, abs=0.0005) == LOGIT_WEIGHT


@pytest.mark.parametrize(
    ("score", "logit", "expected"),
    [
        (0.50, None, 0.500),
        (0.50, 5.0, 0.630),
        (0.50, 0.0, 0.500),
        (0.50, -5.0, 0.450),
    ],
)
def test_a_worked_example(score: float, logit: float | None, expected: float) -> None:
    """A yes adds 5 x .026 = .13, a no as sure takes off 5 x .01 = .05."""
    hit = Hit(id=uuid4(), relevance=0.5, score=score, rerank=logit)
    assert reranked_score(hit) == pytest.approx(expected, abs=1e-9)


def test_a_no_counts_less_than_a_yes() -> None:
    """For a vague question the model says no to all: .03 of the plain order outweighs 2.9 of it."""
    first, second = (Hit(id=uuid4(), relevance=0, score=score) for score in (0.50, 0.47))
    order = order_by_logits([first, second], {first.id: -10.9, second.id: -8.0})
    assert [hit.id for hit in order] == [first.id, second.id]
    order = order_by_logits([first, second], {first.id: 5.0, second.id: 7.9})
    assert [hit.id for hit in order] == [second.id, first.id]
    assert (LOGIT_WEIGHT, NEGATIVE_LOGIT_WEIGHT) == (0.026, 0.01)


def test_as_many_are_found_as_the_model_reads() -> None:
    assert [deepen_limit(limit) for limit in (1, 20, 21, 100)] == [20, 20, 21, 100]


@pytest.mark.conformance(
    "X09", open="LoCoMo recall@10 86 reranked is 84.0; token vectors did not pay"
)
def test_the_order_weighs_the_logit_and_keeps_ties() -> None:
    first, second, third, unread = (Hit(id=uuid4(), relevance=0, score=s) for s in (6, 5, 5, 4))
    under, over = 0.99 / LOGIT_WEIGHT, 1.01 / LOGIT_WEIGHT
    hits = [first, second, third, unread]
    kept = order_by_logits(hits, {first.id: 0.0, second.id: under, third.id: under})
    assert [hit.id for hit in kept] == [hit.id for hit in hits]
    moved = order_by_logits(hits, {first.id: 0.0, second.id: over, third.id: over})
    assert [hit.id for hit in moved] == [second.id, third.id, first.id, unread.id]
    assert [hit.score for hit in moved] == [5, 5, 6, 4]
    assert [hit.rerank for hit in moved] == [over, over, 0.0, None]


def test_what_is_forgotten_while_the_model_reads_is_not_served(
    world: World, listening: Any
) -> None:
    here = world.here
    remembered(here, 3)
    ids = {m["content"]: m["id"] for m in ask(here.api("bolt"), "zebra")["results"]}
    gone = "zebra number 01"

    def judge(text: str) -> float:
        if text == gone:
            forget_memory(here.robot("bolt"), UUID(ids[gone]), now=NOW)
        return 0.0

    model = listening(judge)
    found = texts(ask(here.api("bolt"), "zebra", rerank=True))
    assert gone in model.read
    assert set(found) == {"zebra number 00", "zebra number 02"}


def test_the_model_reads_outside_any_transaction(lasting_world: World, listening: Any) -> None:
    here = lasting_world.here
    remembered(here, 2)
    inside: list[bool] = []

    def judge(text: str) -> float:
        inside.append(connection.in_atomic_block)
        return 0.0

    listening(judge)
    assert len(ask(here.api("bolt"), "zebra", rerank=True)["results"]) == 2
    assert inside == [False, False]


def test_an_explanation_speaks_of_the_plain_order_alone(world: World) -> None:
    here = world.here
    said = here.remember(here.robot("bolt"), "zebra")
    api = here.api("bolt")
    body = {"query": "zebra", "rerank": True}
    answer = api.post(f"/api/v1/memories/{said.id}/explain", body, format="json")
    assert answer.status_code == 400
