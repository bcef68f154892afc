"""What ranks the found: the profiles over real rows, and what is past its day."""

from datetime import timedelta
from math import exp
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from memories.lifecycle.forget import forget_memory
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.scoring_profiles import score_by_strength, score_continuum
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World


def asked(api: APIClient, query: str = "zebra", **fields: Any) -> list[dict[str, Any]]:
    answer = api.post("/api/v1/recall", {"query": query, **fields}, format="json")
    assert answer.status_code == 200, answer.json()
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def texts(api: APIClient, **fields: Any) -> list[str]:
    return [hit["content"] for hit in asked(api, **fields)]


def test_the_profiles_by_hand() -> None:
    # .5 x .4 + .3 x .9 + .2 x .7 = .61
    one = {
        "strength": np.array([0.4]),
        "confidence": np.array([0.9]),
        "importance": np.array([0.7]),
    }
    assert score_by_strength(**one) == pytest.approx([0.61])
    # .6 x (none, fast, medium, slow, glacial)
    found = score_continuum(relevance=np.full(5, 0.6), tier=np.array([0, 1, 2, 3, 4]))
    assert found == pytest.approx([0.0, 0.6, 0.45, 0.3, 0.15])


@pytest.mark.conformance("Z10")
def test_the_strength_profile_ranks_what_is_strong_sure_and_important(world: World) -> None:
    """Each row would come first by another part; relevance, which found them, ranks nothing."""
    here, now = world.here, NOW + timedelta(days=30)
    given: dict[str, tuple[float, float, str, float]] = {
        # importance, confidence, category, its rate
        "zebra zebra": (0.9, 0.1, "reminder", 0.2),
        "A zebra among many other animals of the zoo": (0.5, 0.5, "preference", 0.01),
        "Here the zebra is one word of several": (0.3, 1.0, "preference", 0.01),
        "A zebra": (0.5, 0.75, "event", 0.05),
    }
    expected = {}
    for text, (importance, confidence, category, rate) in given.items():
        here.remember(
            here.robot("aria"), text, importance=importance, confidence=confidence,
            category=category,
        )  # fmt: skip
        strength = importance * exp(-rate * (1 - importance / 2) * 30)
        expected[text] = 0.5 * strength + 0.3 * confidence + 0.2 * importance
    order = sorted(given, key=lambda text: -expected[text])
    assert order == [
        "Here the zebra is one word of several",
        "A zebra among many other animals of the zoo",
        "A zebra",
        "zebra zebra",
    ]
    query = Query(text="zebra", profile="strength", counts=False)
    found = recall(here.robot("bolt"), query, now=now).hits
    assert [memory.content for _, memory in found] == order
    assert [hit.score for hit, _ in found] == pytest.approx([expected[text] for text in order])
    # As many as there is room for are the best of all, not of those that are likely by relevance.
    short = recall(here.robot("bolt"), Query(text="zebra", profile="strength", limit=1), now=now)
    assert [memory.content for _, memory in short.hits] == order[:1]


@pytest.mark.conformance("Z10")
def test_the_profile_is_chosen_over_http(world: World) -> None:
    here, api = world.here, world.here.api("bolt")
    here.remember(here.robot("aria"), "zebra zebra", importance=0.5, confidence=1.0)
    here.remember(here.robot("aria"), "One zebra in a long text", importance=0.5, confidence=0.0)
    plain = texts(api)
    assert texts(api, profile="balanced") == plain == ["One zebra in a long text", "zebra zebra"]
    assert texts(api, profile="strength") == list(reversed(plain))


def expire(here: Tenant, *ids: UUID) -> None:
    with resolve_principal(here.robot("aria")).scope():
        rows = Memory.objects.filter(id__in=ids)
        assert rows.update(expires_at=timezone.now() - timedelta(days=1)) == len(ids)


@pytest.mark.conformance("Z13")
def test_what_is_past_its_day_comes_up_only_if_asked_for_and_has_no_strength(
    lasting_world: World,
) -> None:
    here, api = lasting_world.here, lasting_world.here.api("bolt")
    aria = here.robot("aria")
    over, kept, gone = [
        here.remember(aria, f"zebra {name}", importance=1.0).id for name in ("over", "kept", "gone")
    ]
    here.embed()
    expire(here, over, gone)
    forget_memory(aria, gone, now=timezone.now())
    for strategy in ("auto", "keyword", "vector", "hybrid", "privacy_scoped", "multi_level"):
        assert texts(api, strategy=strategy) == ["zebra kept"]
        assert texts(api, strategy=strategy, include_expired=False) == ["zebra kept"]
        both = asked(api, strategy=strategy, include_expired=True, explain=True)
        assert {hit["content"] for hit in both} == {"zebra kept", "zebra over"}
        strength = {hit["id"]: hit["scores"]["strength"] for hit in both}
        assert strength[str(over)] == 0.0
        assert strength[str(kept)] > 0.0
    assert texts(api, include_expired=True, rerank=True, profile="strength") == [
        "zebra kept", "zebra over",
    ]  # fmt: skip
    # .5 x 0 + .3 x 1 + .2 x 1
    scores = {
        hit["id"]: hit["score"] for hit in asked(api, profile="strength", include_expired=True)
    }
    assert scores[str(over)] == pytest.approx(0.5)


@pytest.mark.conformance("Z13")
def test_the_day_itself_is_over_and_the_moment_before_is_not(world: World) -> None:
    here, day = world.here, NOW + timedelta(days=7)
    here.remember(here.robot("aria"), "zebra", expires_at=day)

    def strengths(now: Any, **fields: Any) -> list[float]:
        query = Query(text="zebra", counts=False, **fields)
        return [hit.strength for hit, _ in recall(here.robot("bolt"), query, now=now).hits]

    before = day - timedelta(microseconds=1)
    [alive] = strengths(before)
    assert alive > 0
    assert strengths(before, include_expired=True) == [alive]
    assert strengths(day) == []
    assert strengths(day, include_expired=True) == [0.0]


def test_what_is_past_its_day_has_the_readers_that_it_had(world: World) -> None:
    here = world.here
    mine = here.remember(here.person("mina"), "zebra of mina", visibility="private").id
    design = here.remember(here.robot("aria"), "zebra of design", group="design").id
    with resolve_principal(here.person("mina")).scope():
        Memory.objects.filter(id=mine).update(expires_at=NOW)
    expire(here, design)
    assert texts(here.browser("bob"), include_expired=True) == []
    assert set(texts(here.browser("mina"), include_expired=True)) == {
        "zebra of mina", "zebra of design",
    }  # fmt: skip


def test_an_explanation_counts_as_the_recall_does(world: World) -> None:
    here, api = world.here, world.here.api("bolt")
    over = here.remember(here.robot("aria"), "zebra").id
    expire(here, over)
    address = f"/api/v1/memories/{over}/explain"
    plain = api.post(address, {"query": "zebra"}, format="json").json()
    assert [reason["code"] for reason in plain["reasons"]] == ["expired"]
    body = {"query": "zebra", "include_expired": True, "profile": "strength"}
    told = api.post(address, body, format="json").json()
    assert (told["served"], told["rank"], told["scores"]["strength"]) == (True, 1, 0.0)
    assert told["score"] == asked(api, include_expired=True, profile="strength")[0]["score"]
