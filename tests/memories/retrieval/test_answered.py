"""A recall says whether what is known answers, by every strategy, and keeps what it said."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from memories.embedding import model_catalogue
from memories.embedding.model_catalogue import EmbeddingModel
from memories.indexing.models import Embedding
from memories.indexing.organisation_indexes import enable_projection
from memories.jobs.leases import WORKER
from memories.retrieval import query_vector
from memories.retrieval.answering.confidence import (
    classify_confidence,
    classify_hits,
    parse_recorded_hits,
)
from memories.retrieval.models import Recall
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.strategies.registry import STRATEGY_NAMES
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.large_scopes import force_index_search
from tests.world import NOW, Tenant, World

NONSENSE, KNOWN = "zzzqqq", "When is the launch of the harbour app?"


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    aria = here.robot("aria")
    for text in ("The launch of the harbour app is on Friday.", "Lunch is at noon."):
        here.remember(aria, text, speaker="Mina")
    for n in range(12):
        here.remember(aria, f"The printer number {n} is out of paper.", speaker="Bob")
    here.embed()
    return here


def ask(here: Tenant, query: str, robot: str = "aria", **more: Any) -> dict[str, Any]:
    answer = here.api(robot).post("/api/v1/recall", {"query": query, **more}, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


@pytest.mark.conformance("Q06")
def test_each_strategy_knows_what_answers_and_what_does_not(here: Tenant) -> None:
    enable_projection(here.id, "partitions")
    for strategy in STRATEGY_NAMES:
        yes = ask(here, KNOWN, strategy=strategy)
        known = yes["answered"], yes["results"][0]["folded"]
        assert known == ("yes", False), (strategy, yes["confidence"])
        assert "harbour" in yes["results"][0]["content"], strategy
        no = ask(here, NONSENSE, strategy=strategy)
        assert (no["answered"], 0 <= no["confidence"] < 0.08) == ("no", True), strategy
        assert all(hit["folded"] for hit in no["results"]), strategy


@pytest.mark.conformance("Q06")
def test_nothing_is_cut_and_the_limit_changes_no_word(here: Tenant) -> None:
    """A fold is a label: as many hits come as before, in their order, and as sure."""
    for query, more in product(
        (NONSENSE, KNOWN), ({}, {"prefer_personal": False}, {"shared_limit": 14})
    ):
        whole = ask(here, query, limit=14, **more)
        ids = [hit["id"] for hit in whole["results"]]
        assert len(ids) == 14
        for limit in (1, 3, 10):
            some = ask(here, query, limit=limit, **more)
            assert [hit["id"] for hit in some["results"]] == ids[:limit]
            for name in ("answered", "confidence"):
                assert some[name] == whole[name], (query, more)


@pytest.mark.conformance("Q06")
def test_where_nothing_is_known_nothing_answers(world: World) -> None:
    nothing = ask(world.here, KNOWN)
    assert (nothing["results"], nothing["answered"], nothing["confidence"]) == ([], "no", 0.0)


def test_a_large_scope_is_judged_alike(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {query: ask(here, query) for query in (KNOWN, NONSENSE)}
    force_index_search(monkeypatch, here.id)
    for query, before in small.items():
        now = ask(here, query)
        assert now["answered"] == before["answered"]
        assert now["confidence"] == pytest.approx(before["confidence"], abs=0.05)


def test_what_another_said_is_no_sure_answer(here: Tenant) -> None:
    theirs = ask(here, "When is Mina's launch of the harbour app?")
    others = ask(here, "When is Bob's launch of the harbour app?")
    assert theirs["answered"] == "yes"
    assert others["answered"] != "yes"
    assert others["confidence"] < theirs["confidence"]


def test_a_model_that_nobody_measured_says_no_by_nothing_but_words(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meaning may hold an answer, so the answer to nonsense is unsure; without meaning it is no."""
    monkeypatch.setattr(model_catalogue, "MODELS", {"fake": EmbeddingModel("fake", 0)})
    assert ask(here, NONSENSE)["answered"] == "unsure"
    assert ask(here, NONSENSE, strategy="vector")["answered"] == "unsure"
    assert ask(here, NONSENSE, strategy="keyword")["answered"] == "no"
    assert ask(here, KNOWN)["answered"] == "yes"


@pytest.mark.conformance("X08")
def test_vectors_of_a_question_in_unknown_letters_say_neither_yes_nor_no(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model of Latin letters has like vectors for all Japanese texts."""
    models = model_catalogue.MODELS
    latin = replace(models["fake"], letters=models["minilm"].letters)
    monkeypatch.setattr(model_catalogue, "MODELS", {"fake": latin})
    here.remember(here.robot("aria"), "会議の資料は青い棚にあります。")
    here.embed()
    vectors = Embedding.objects.using(WORKER)
    with organisation_scope(here.id, using=WORKER):
        own = vectors.get(memory__content__startswith="会議").own
    # The vector that any question in these letters would have.
    monkeypatch.setattr(query_vector, "encode_query", lambda *_, **__: np.array(own))
    asked = "猫の名前は何ですか"
    assert ask(here, asked)["answered"] == "unsure"
    assert ask(here, asked, strategy="vector")["answered"] == "unsure"
    assert ask(here, "資料は青い棚")["answered"] == "yes", "by its words"
    monkeypatch.undo()
    monkeypatch.setattr(query_vector, "encode_query", lambda *_, **__: np.array(own))
    assert ask(here, asked)["answered"] == "yes", "of a model that knows the letters"


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Where is it?", True),
        ("Wo ist die Straße, Łukasz?", True),
        ("?! 12:30 😀", True),
        ("", True),
        ("猫の名前は何ですか", False),
        ("Где мы?", False),
        ("ما اسم القطة؟", False),
        ("iPhone はどこ", True),
        ("PR の会議はどこ", False),
    ],
)
def test_a_model_reads_a_question_if_it_knows_half_of_the_letters(
    question: str, read: bool
) -> None:
    assert model_catalogue.MODELS["minilm"].reads(question) is read
    assert model_catalogue.MODELS["fake"].reads(question)


def test_the_record_keeps_what_was_said(here: Tenant) -> None:
    for query in (KNOWN, NONSENSE):
        found = ask(here, query)
        with resolve_principal(here.robot("aria")).scope():
            row = Recall.objects.get(id=found["recall_id"])
        assert row.answered == found["answered"] == classify_confidence(row.confidence or 0.0)
        assert round(row.confidence or 0.0, 4) == found["confidence"]
        assert row.folded == [hit["id"] for hit in found["results"] if hit["folded"]]
        assert [id_ for id_, *_ in row.hits] == [hit["id"] for hit in found["results"]]
        kept = parse_recorded_hits(row.hits)
        assert [hit.folded for hit in kept] == [hit["folded"] for hit in found["results"]]
        assert classify_hits(kept) == (row.answered, found["confidence"])


def test_a_context_asks_nothing_of_the_kind(here: Tenant) -> None:
    body = {"query": KNOWN, "max_tokens": 500}
    made = here.api("aria").post("/api/v1/context", body, format="json").json()
    with resolve_principal(here.robot("aria")).scope():
        row = Recall.objects.get(id=made["recall_id"])
    assert (row.answered, row.confidence, row.folded) == ("", None, [])
    assert classify_hits(parse_recorded_hits(row.hits)) == ("", None)


def test_what_is_over_answers_nothing(here: Tenant) -> None:
    """It stands in the index until somebody removes it, and counts for nothing."""
    aria = here.robot("aria")
    here.remember(aria, "The quoblit stands in Bremen.", expires_at=NOW)
    here.embed()
    answer = recall(aria, Query(text="Where stands the quoblit?"), now=NOW)
    assert "quoblit" not in " ".join(row.content for _, row in answer.hits)
    assert answer.answered != "yes"


@pytest.mark.conformance("Q06")
@pytest.mark.parametrize("large", [False, True])
def test_a_hidden_answer_is_no_answer(
    here: Tenant, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob reads nothing of the design group: its words change nothing, not by a digit."""
    question = "Where does the quoblit stand?"
    if large:
        force_index_search(monkeypatch, here.id)
    before = {s: ask(here, question, "bolt", strategy=s) for s in ("hybrid", "keyword", "vector")}
    for n in range(5):
        here.remember(here.robot("aria"), f"The quoblit {n} does stand in Bremen.", group="design")
    here.embed()
    for strategy, was in before.items():
        now = ask(here, question, "bolt", strategy=strategy)
        for name in ("answered", "confidence"):
            assert now[name] == was[name], strategy
        assert [(h["id"], h["folded"]) for h in now["results"]] == [
            (h["id"], h["folded"]) for h in was["results"]
        ]
    assert ask(here, question, "aria", group="design")["answered"] == "yes", "and aria is told"
