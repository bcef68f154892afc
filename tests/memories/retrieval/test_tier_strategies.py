"""In which tiers a recall looks, over real rows: limits, thresholds, order, and nothing else."""

from collections.abc import Iterable
from datetime import timedelta
from math import exp
from typing import Any
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from memories.embedding.model_catalogue import get_model
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.ranking import rank_pass
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.scoring_profiles import TIER_STRATEGIES, TIERS, effective_tiers
from tests.memories.retrieval.vector_distances import (
    fix_query_vector,
    half_precision,
    neighbours_of_threshold,
    set_similarities,
)
from tests.world import NOW, Tenant, World

WEIGHTS = {"fast": 1.0, "medium": 0.75, "slow": 0.5, "glacial": 0.25}
SMALLEST_STEP = 0.0003


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    fix_query_vector(monkeypatch)
    return lasting_world.here


def rows(here: Tenant, given: Iterable[tuple[str, float, dict[str, Any]]]) -> dict[UUID, str]:
    """Remember (text, similarity, fields); id -> text."""
    wanted = list(given)
    drafts = [Draft(content=text, **fields) for text, _, fields in wanted]
    made = remember_many(here.robot("aria"), drafts, now=NOW)
    here.embed()
    ids = [one.id for one in made]
    set_similarities(
        here.robot("aria"), {i: near for i, (_, near, _) in zip(ids, wanted, strict=True)}
    )
    return {i: text for i, (text, _, _) in zip(ids, wanted, strict=True)}


def asked(api: APIClient, **fields: Any) -> list[dict[str, Any]]:
    answer = api.post("/api/v1/recall", {"query": "zebra", **fields}, format="json")
    assert answer.status_code == 200, answer.json()
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def texts(api: APIClient, **fields: Any) -> list[str]:
    return [hit["content"] for hit in asked(api, **fields)]


@pytest.fixture
def tiers_asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The tiers of each search, in their order."""
    seen: list[tuple[str, ...]] = []
    search = rank_pass.find_candidates

    def listening(question: Any, sources: Any) -> Any:
        seen.append(question.filters.tiers)
        return search(question, sources)

    monkeypatch.setattr(rank_pass, "find_candidates", listening)
    return seen


@pytest.mark.conformance("G03")
@pytest.mark.parametrize(
    ("strategy", "threshold"),
    [("fast_first", 0.3), ("weighted", 0.3), ("comprehensive", 0.3), ("insights", 0.3),
     ("cross_session", 0.2)],
)  # fmt: skip
def test_what_is_less_like_the_question_is_not_found(
    here: Tenant, strategy: str, threshold: float
) -> None:
    under, above = neighbours_of_threshold(threshold)
    assert under < threshold <= above < under + SMALLEST_STEP
    given = {"far": threshold - 0.01, "under": under, "above": above, "near": threshold + 0.01}
    rows(here, [(text, near, {"tier": "glacial"}) for text, near in given.items()])
    api = here.api("bolt")
    assert set(texts(api, tier_strategy=strategy)) == {"above", "near"}
    # Whoever says a threshold gets that one; a row that is exactly as near is near enough.
    assert set(texts(api, tier_strategy=strategy, min_similarity=under)) == {
        "under", "above", "near",
    }  # fmt: skip
    assert set(texts(api)) == set(given), "without a tier strategy there is no threshold"


@pytest.mark.conformance("G03")
def test_five_are_served_unless_the_asker_says_more(here: Tenant) -> None:
    rows(here, [(f"text {n}", 0.9, {"tier": "glacial"}) for n in range(12)])
    api = here.api("bolt")
    for strategy in TIER_STRATEGIES:
        assert len(asked(api, tier_strategy=strategy)) == 5
        assert len(asked(api, tier_strategy=strategy, limit=11)) == 11
    assert len(asked(api)) == 10


def test_without_a_vector_words_are_found_and_no_threshold_is_in_the_way(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The zebra sleeps")
    found = texts(here.api("bolt"), strategy="keyword", tier_strategy="comprehensive")
    assert found == ["The zebra sleeps"]


@pytest.mark.conformance("G04")
def test_a_slower_tier_is_asked_only_while_there_is_room(
    here: Tenant, tiers_asked: list[tuple[str, ...]]
) -> None:
    fast = [(f"fast {n}", 0.5 + n / 100, {"tier": "fast"}) for n in range(4)]
    rest = [
        ("fast but far", 0.29, {"tier": "fast"}),
        ("medium", 0.9, {"tier": "medium"}),
        ("slow", 0.95, {"tier": "slow"}),
        ("glacial", 0.99, {"tier": "glacial"}),
    ]
    rows(here, [*fast, *rest])
    api, first = here.api("bolt"), ["fast 3", "fast 2", "fast 1", "fast 0"]

    def told(**fields: Any) -> tuple[list[str], list[str]]:
        tiers_asked.clear()
        found = texts(api, tier_strategy="fast_first", **fields)
        assert all(len(tiers) == 1 for tiers in tiers_asked)
        return found, [tier for (tier,) in tiers_asked]

    assert told(limit=4) == (first, ["fast"])
    assert told(limit=3) == (first[:3], ["fast"])
    assert told() == ([*first, "medium"], ["fast", "medium"])
    assert told(limit=6) == ([*first, "medium", "slow"], ["fast", "medium", "slow"])
    every = [*first, "medium", "slow", "glacial"]
    assert told(limit=9) == (every, list(TIERS))
    assert told(filters={"tiers": ["glacial", "medium"]}) == (
        ["medium", "glacial"], ["medium", "glacial"],
    )  # fmt: skip
    assert told(limit=1, filters={"tiers": ["slow", "glacial"]}) == (["slow"], ["slow"])
    # The cross-encoder looks at twenty, but not for them in slower tiers.
    assert told(limit=4, rerank=True)[1] == ["fast"]


def test_an_explanation_places_what_a_slower_tier_holds(here: Tenant) -> None:
    made = rows(
        here, [(tier, 0.5 + n / 10, {"tier": tier}) for n, tier in enumerate(TIERS)]
    )  # fmt: skip
    for number, id_ in enumerate(made, 1):
        body = {"query": "zebra", "tier_strategy": "fast_first", "limit": 2}
        answer = here.api("bolt").post(f"/api/v1/memories/{id_}/explain", body, format="json")
        told = answer.json()
        assert (answer.status_code, told["rank"], told["limit"]) == (200, number, 2)
        assert told["served"] == (number <= 2)
        assert (told["reasons"][0]["code"] == "below-limit") == (number > 2)


@pytest.mark.conformance("G05")
def test_equally_near_rows_come_by_their_tiers(here: Tenant) -> None:
    """The slower a tier, the more important its row: without the weights the order is opposite."""
    importance = {"fast": 0.1, "medium": 0.4, "slow": 0.7, "glacial": 1.0}
    rows(here, [(t, 0.5, {"tier": t, "importance": importance[t]}) for t in TIERS])
    api = here.api("bolt")
    assert texts(api, tier_strategy="weighted") == list(TIERS)
    assert texts(api, profile="continuum") == list(TIERS)

    def scores(**fields: Any) -> dict[str, float]:
        query = Query(text="zebra", counts=False, strategy="vector", **fields)
        found = recall(here.robot("bolt"), query, now=NOW).hits
        assert [hit.relevance for hit, _ in found] == pytest.approx([1.0] * 4)
        return {memory.content: hit.score for hit, memory in found}

    plain = scores(tier_strategy="comprehensive")
    assert sorted(plain, key=lambda tier: -plain[tier]) == list(reversed(TIERS))
    weighted = {tier: plain[tier] * WEIGHTS[tier] for tier in TIERS}
    assert scores(tier_strategy="weighted") == pytest.approx(weighted)
    assert scores(profile="continuum") == pytest.approx(WEIGHTS)


@pytest.mark.conformance("G05")
def test_a_weight_counts_for_every_row_and_not_for_the_likely_ones_alone(here: Tenant) -> None:
    """More rows than the answer holds: none is left out by what the balanced score would allow."""
    slow = [(f"slow {n}", 0.6, {"tier": "glacial", "importance": 1.0}) for n in range(12)]
    rows(here, [*slow, ("fast", 0.35, {"tier": "fast", "importance": 0.1})])
    api = here.api("bolt")
    assert "fast" not in texts(api, limit=1, strategy="vector")
    for way in ({"tier_strategy": "weighted"}, {"profile": "continuum"}):
        assert texts(api, limit=1, strategy="vector", **way) == ["fast"]


@pytest.mark.conformance("G05")
def test_a_weight_counts_as_much_where_there_are_words_alone(world: World) -> None:
    here, api = world.here, world.here.api("bolt")
    for number in range(12):
        text = f"zebra lion tiger {number}"
        here.remember(here.robot("aria"), text, tier="glacial", importance=1.0)
    here.remember(here.robot("aria"), "zebra lion", tier="fast", importance=0.1)
    way = {"query": "zebra lion tiger", "strategy": "keyword", "limit": 1}
    assert texts(api, tier_strategy="comprehensive", **way) != ["zebra lion"]
    assert texts(api, tier_strategy="weighted", **way) == ["zebra lion"]


@pytest.mark.conformance("G06")
def test_all_tiers_are_one_list_by_score(here: Tenant) -> None:
    similarities = [half_precision(0.2 + n * 0.02) for n in range(36)]
    fields = [
        {"tier": TIERS[n % 4], "importance": (n * 7 % 36) / 36, "category": "fact"}
        for n in range(36)
    ]
    given = [(f"text {n}", similarities[n], fields[n]) for n in range(36)]
    rows(here, given)
    # Vectors alone: what the wording adds has tests of its own.
    now, floor = NOW + timedelta(days=20), get_model().meaning_floor
    best = max(similarities)
    expected = {}
    for text, near, about in given:
        if near < 0.3:
            continue
        relevance = (near - floor) / (best - floor)
        importance = about["importance"]
        strength = importance * exp(-0.02 * (1 - importance / 2) * 20)
        expected[text] = 0.85 * relevance + 0.10 * strength + 0.05 * WEIGHTS[about["tier"]]
    order = sorted(expected, key=lambda text: -expected[text])
    assert len({about["tier"] for text, _, about in given if text in order[:5]}) > 1

    for limit in (5, 40):
        query = Query(
            text="zebra", limit=limit, strategy="vector", tier_strategy="comprehensive",
            counts=False,
        )  # fmt: skip
        found = recall(here.robot("bolt"), query, now=now).hits
        assert [memory.content for _, memory in found] == order[:limit]
        assert {m.content: h.score for h, m in found} == pytest.approx(
            {text: expected[text] for text in order[:limit]}, abs=1e-6
        )


@pytest.mark.conformance("G21")
def test_insights_are_glacial_and_sessions_slow_or_glacial(
    here: Tenant, tiers_asked: list[tuple[str, ...]]
) -> None:
    rows(
        here,
        [(f"{tier} {near}", near, {"tier": tier}) for tier in TIERS for near in (0.15, 0.25, 0.5)],
    )
    api = here.api("bolt")
    assert texts(api, tier_strategy="insights") == ["glacial 0.5"]
    assert tiers_asked == [("glacial",)]
    assert set(texts(api, tier_strategy="cross_session")) == {
        "slow 0.25", "slow 0.5", "glacial 0.25", "glacial 0.5",
    }  # fmt: skip
    [fast] = [hit["id"] for hit in asked(api, limit=20) if hit["content"] == "fast 0.5"]
    body = {"query": "zebra", "tier_strategy": "insights"}
    told = api.post(f"/api/v1/memories/{fast}/explain", body, format="json").json()
    assert [reason["code"] for reason in told["reasons"]] == ["excluded-by-filters.tiers"]
    narrow = {"filters": {"tiers": ["fast", "slow"]}}
    assert set(texts(api, tier_strategy="cross_session", **narrow)) == {"slow 0.25", "slow 0.5"}
    assert texts(api, tier_strategy="insights", **narrow) == []
    assert set(texts(api, tier_strategy="comprehensive", **narrow)) == {"slow 0.5", "fast 0.5"}


def test_no_way_shows_what_the_asker_may_not_read(here: Tenant) -> None:
    here.remember(here.person("mina"), "mine", visibility="private", tier="glacial")
    here.remember(here.robot("aria"), "design", group="design", tier="glacial")
    here.remember(here.robot("aria"), "everyone", tier="glacial")
    here.embed()
    for strategy in TIER_STRATEGIES:
        for profile in ("balanced", "strength", "continuum"):
            way = {"tier_strategy": strategy, "profile": profile, "min_similarity": -1}
            assert texts(here.browser("bob"), **way) == ["everyone"]
            assert set(texts(here.browser("mina"), **way)) == {"mine", "design", "everyone"}


def test_the_tiers_of_a_strategy_and_of_a_filter_are_both_kept_to() -> None:
    assert effective_tiers(None, ["fast", "slow"]) == ("fast", "slow")
    assert effective_tiers(None, []) == effective_tiers("weighted", []) == ()
    assert effective_tiers("insights", []) == ("glacial",)
    assert effective_tiers("cross_session", ["glacial", "fast"]) == ("glacial",)
    assert effective_tiers("insights", ["fast"]) == ("none",)
