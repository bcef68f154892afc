"""The profile hive over real rows: exact through the API, each part by what the rows say."""

from datetime import timedelta
from math import exp, log
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.memory import Memory
from memories.store.models.use import Use
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World


def used(here: Tenant, id_: UUID, times: int) -> None:
    with resolve_principal(here.robot("aria")).scope():
        row = Memory.objects.get(id=id_)
        Use.objects.update_or_create(
            memory_id=id_,
            defaults={
                "organisation_id": row.organisation_id, "audience_id": row.audience_id,
                "kind": row.kind, "tier": row.tier, "access_count": times,
            },
        )  # fmt: skip


def scores(here: Tenant, text: str = "zebra", **fields: Any) -> dict[str, tuple[float, Any]]:
    """Text -> (score, similarity) at NOW + 1 day."""
    query = Query(text=text, profile="hive", counts=False, explain=True, **fields)
    found = recall(here.robot("bolt"), query, now=NOW + timedelta(days=1)).hits
    return {row.content: (hit.score, hit.similarity) for hit, row in found}


@pytest.mark.conformance("H22")
def test_every_part_of_the_score(lasting_world: World) -> None:
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    week_ago = NOW - timedelta(days=6)
    given: dict[str, tuple[dict[str, Any], float, float, int]] = {
        # fields, Jaccard with the filter's {red, sweet}, age in hours, accesses
        "zebra both": ({"tags": ("red", "sweet")}, 1.0, 24.0, 0),
        "zebra one": ({"tags": ("red",)}, 0.5, 24.0, 8),
        "zebra more": ({"tags": ("red", "x:y"), "occurred_at": week_ago}, 1 / 4, 168.0, 0),
        "zebra ahead": ({"tags": ("red",), "occurred_at": NOW + timedelta(days=9)}, 0.5, 0.0, 64),
    }
    for text, (fields, _, _, times) in given.items():
        id_ = here.remember(aria, text, **fields).id
        if times:
            used(here, id_, times)
    here.embed()
    found = scores(here, filters={"tags": ["red", "sweet"]})
    assert set(found) == set(given)
    for text, (_, tags, hours, times) in given.items():
        score, similarity = found[text]
        assert similarity is not None
        score10 = 10 * (
            0.5 * similarity + 0.3 * tags + 0.1 * exp(-hours / 168) + 0.1 * log(1 + times) / 10
        )
        assert 10 * score == pytest.approx(score10, abs=1e-9)
    assert list(found) == sorted(found, key=lambda text: -found[text][0])


@pytest.mark.conformance("H22")
def test_what_is_unknown_counts_as_a_half(world: World) -> None:
    """Nothing is embedded in this world: words find, and the semantic part is not known."""
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "zebra plain")
    here.remember(aria, "zebra tagged", tags=("other",))
    recency = 0.1 * exp(-24 / 168)
    found = scores(here)
    assert {similarity for _, similarity in found.values()} == {None}
    assert found["zebra plain"][0] == pytest.approx(0.25 + 0.15 + recency, abs=1e-9)
    assert found["zebra tagged"][0] == pytest.approx(0.25 + 0.0 + recency, abs=1e-9)


@pytest.mark.conformance("H22")
def test_words_of_the_question_are_tags_as_well(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "zebra", tags=("rent-contract",))
    here.remember(aria, "zebra too", tags=("rent-contract", "cost"))
    here.remember(aria, "zebra without")
    here.remember(aria, "Other words altogether", tags=("rent-contract",))
    here.remember(aria, "zebra there", tags=("question",), group="design")
    rest = 0.25 + 0.1 * exp(-24 / 168)
    found = scores(here, "zebra, rent contracts, question")
    told = {text: round((score - rest) / 0.3, 9) for text, (score, _) in found.items()}
    # The asker reads no memory that has the tag "question", so the words do not spell it.
    assert told == {
        "zebra": 1.0, "zebra too": 0.5, "zebra without": 0.0, "Other words altogether": 1.0,
    }  # fmt: skip


def test_a_filter_brings_the_tags_above_it(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "zebra", tags=("a:b",))
    [(score, _)] = scores(here, filters={"tags": ["a:b"]}).values()
    assert score == pytest.approx(0.25 + 0.3 + 0.1 * exp(-24 / 168), abs=1e-9)


@pytest.mark.conformance("H22")
def test_the_profile_over_http(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "zebra").id
    used(here, id_, 2**20)
    body = {"query": "zebra", "profile": "hive", "explain": True}
    with resolve_principal(here.robot("aria")).scope():
        at = Memory.objects.get(id=id_).created_at
    before = timezone.now()
    answer = here.api("bolt").post("/api/v1/recall", body, format="json")
    after = timezone.now()
    [hit] = answer.json()["results"]
    most, least = (
        0.25 + 0.15 + 0.1 * exp(-(now - at).total_seconds() / 3600 / 168) + 0.01 * log(2**20 + 1)
        for now in (before, after)
    )
    # The API rounds to six digits.
    assert least - 1e-6 <= hit["score"] <= most + 1e-6
