"""Architectures 4 and 5: zones, levels, and what is served once (A23, A24, A25)."""

from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.retrieval.recall import RecallResult, recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.strategies import registry
from memories.store.models.memory import Memory
from memories.store.models.use import Use
from orgs.principals import Actor, resolve_principal
from tests.world import Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")

WIDE = "Compare how and why apples differ across our groups between seasons, explain what matters"


def ask(who: Actor, text: str, **fields: Any) -> RecallResult:
    fields = {"strategy": "multi_level", "limit": 50} | fields
    return recall(who, Query(text=text, **fields), now=timezone.now())


def contents(answer: RecallResult) -> list[str]:
    return [memory.content for _, memory in answer.hits]


@pytest.mark.conformance("A23")
@pytest.mark.parametrize(
    ("score", "branch"),
    [
        (0.29, "rank_by_words"), (0.3, "rank_by_meaning"), (0.69, "rank_by_meaning"),
        (0.7, "rank_all_levels"),
    ],
)  # fmt: skip
def test_the_branch_is_the_complexitys(
    world: World, monkeypatch: pytest.MonkeyPatch, score: float, branch: str
) -> None:
    ran = []
    for name in ("rank_by_words", "rank_by_meaning", "rank_all_levels"):
        real = getattr(registry, name)
        monkeypatch.setattr(
            registry, name, lambda q, name=name, real=real: (ran.append(name), real(q))[1]
        )
    monkeypatch.setattr(registry, "score_complexity", lambda text: score)
    ask(world.here.person("mina"), "apple")
    assert ran == [branch]


@pytest.mark.conformance("A23")
def test_each_branch_keeps_to_its_levels_and_numbers(here: Tenant) -> None:
    """Twelve of each level: 5 by words; 10 individual ones by meaning; 10 + 5 + 3 of all."""
    aria, mina = here.robot("aria"), str(here.members["mina"].id)
    places: dict[str, dict[str, Any]] = {
        "individual": {"group": "launch", "member": mina}, "group": {"group": "launch"},
        "organisation": {},
    }  # fmt: skip
    for level, place in places.items():
        for n in range(12):
            here.remember(aria, f"apple of {level} {n}", **place)
    here.embed()
    person = here.person("mina")

    def by_level(answer: RecallResult) -> dict[str, int]:
        found = [memory.level for _, memory in answer.hits]
        return {level: found.count(level) for level in places if level in found}

    assert len(ask(person, "apple").hits) == 5
    assert by_level(ask(person, "What are all of the apples?")) == {"individual": 10}
    assert by_level(ask(person, WIDE)) == {"individual": 10, "group": 5, "organisation": 3}
    assert len(ask(person, WIDE, limit=4).hits) == 4


@pytest.mark.conformance("A24")
def test_one_text_on_three_levels_is_one_result(here: Tenant) -> None:
    aria, mina = here.robot("aria"), str(here.members["mina"].id)
    rows: list[dict[str, Any]] = [
        {"content": "The apples are red.", "confidence": 0.4},
        {"content": "the apples are  RED.", "confidence": 0.9, "group": "launch"},
        {"content": "The apples are red. ", "confidence": 0.6, "group": "launch", "member": mina,
         "visibility": "protected"},
        {"content": "Pears are green.", "confidence": 0.2},
    ]  # fmt: skip
    ids = [here.remember(aria, **row).id for row in rows]
    here.embed()
    with resolve_principal(here.person("mina")).scope():
        for id_, times in zip(ids, (3, 5, 7, 11), strict=True):
            memory = Memory.objects.get(id=id_)
            Use.objects.create(
                memory=memory, organisation_id=here.id, audience_id=memory.audience_id,
                kind=memory.kind, tier=memory.tier, access_count=times,
            )  # fmt: skip
    api = here.browser("mina")
    body = {"query": WIDE, "strategy": "multi_level", "limit": 50}
    results = api.post("/api/v1/recall", body, format="json").json()["results"]
    assert {hit["content"] for hit in results} == {"The apples are red. ", "Pears are green."}
    red = next(hit for hit in results if "red" in hit["content"])
    # The list that names Mina is nearer to her than the group, and that than everyone.
    assert (red["id"], red["audience"]["kind"]) == (str(ids[2]), "explicit")
    # Of 3, 5 and 7 others served she learns the powers of two below: 2, 4 and 4.
    assert (red["confidence"], red["access_count"]) == (0.9, 10)
    assert {one["id"] for one in red["consolidated"]} == {str(ids[0]), str(ids[1])}
    assert {one["audience"]["kind"] for one in red["consolidated"]} == {"group", "organisation"}
    assert "consolidated" not in next(hit for hit in results if "green" in hit["content"])
    with resolve_principal(here.person("mina")).scope():
        assert Memory.objects.filter(id__in=ids, status="active").count() == 4, "none is deleted"


@pytest.mark.conformance("X06")
def test_what_is_nearly_the_same_is_served_twice(here: Tenant) -> None:
    texts = ["The red apples are delivered on Monday morning",
             "On Monday morning the red apples get delivered",
             "The red apples are never delivered on Monday morning",
             "The red apples are delivered on Monday  MORNING"]  # fmt: skip
    for number, text in enumerate(texts):
        here.remember(here.robot("aria"), text, group="launch" if number < 3 else None)
    here.embed()
    served = contents(ask(here.person("mina"), WIDE))
    assert len(served) == 3
    assert {text.casefold() for text in served} >= {text.casefold() for text in texts[1:3]}


def test_zones_are_merged_and_the_nearest_of_equal_texts_is_served(here: Tenant) -> None:
    aria, mina = here.robot("aria"), str(here.members["mina"].id)
    here.remember(aria, "Apples are red.")
    here.remember(aria, "Apples are red.", group="launch")
    here.remember(aria, "Apples are red.", group="launch", member=mina, visibility="protected")
    own = here.remember(here.person("mina"), "Apples are red.", visibility="private").id
    for n in range(15):
        here.remember(aria, f"Apples of everyone, sort {n}.")
    here.remember(aria, "Apples of a list.", group="launch", member=mina, visibility="protected")
    here.embed()

    def served(name: str, limit: int) -> list[tuple[UUID, str, str]]:
        answer = ask(here.person(name), "apples", strategy="privacy_scoped", limit=limit)
        return [(m.id, m.content, m.audience.kind) for _, m in answer.hits]

    mine = served("mina", 50)
    assert len(mine) == 17
    assert [row for row in mine if row[1] == "Apples are red."] == [
        (own, "Apples are red.", "member")
    ]
    assert len(served("mina", 10)) == 10, "collapsing takes nothing from the limit"
    # Bob reads the group's and everyone's; Vera everyone's.
    kinds = {name: {row[2] for row in served(name, 50)} for name in ("bob", "vera")}
    assert kinds == {"bob": {"group", "organisation"}, "vera": {"organisation"}}
    assert [row[2] for row in served("bob", 50) if row[1] == "Apples are red."] == ["group"]
