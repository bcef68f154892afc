"""Tags with counts: each question by a fixture, and what the asker may not read."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from memories.lifecycle.forget import archive_memory, forget_memory
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.world import Tenant, World


def answered(api: APIClient, **query: Any) -> dict[str, Any]:
    answer = api.get("/api/v1/tags", query)
    assert answer.status_code == 200, answer.json()
    found: dict[str, Any] = answer.json()
    return found


def counts(api: APIClient, **query: Any) -> dict[str, int]:
    return {one["tag"]: one["memories"] for one in answered(api, **query)["results"]}


@pytest.fixture
def here(world: World) -> Tenant:
    """Six memories that everyone reads; bolt asks."""
    tenant = world.here
    for number, tags in enumerate(
        [
            ("project:apollo:engine", "cost"),
            ("project:apollo", "cost"),
            ("project:apollo", "risk"),
            ("project:zeus", "cost", "risk"),
            ("projection",),
            (),
        ]
    ):
        tenant.remember(tenant.robot("aria"), f"Note {number}.", tags=tags)
    return tenant


@pytest.mark.conformance("H27")
def test_the_most_used_come_first(here: Tenant) -> None:
    found = answered(here.api("bolt"), popular="true")
    assert [(one["tag"], one["memories"]) for one in found["results"]] == [
        ("project", 4),
        ("cost", 3),
        ("project:apollo", 3),
        ("risk", 2),
        ("project:apollo:engine", 1),
        ("project:zeus", 1),
        ("projection", 1),
    ]
    assert found["more"] is False
    assert answered(here.api("bolt")) == found, "nothing asked for"
    short = answered(here.api("bolt"), limit=2)
    assert ([one["tag"] for one in short["results"]], short["more"]) == (["project", "cost"], True)


@pytest.mark.conformance("H27")
def test_exact_is_that_tag_alone(here: Tenant) -> None:
    api = here.api("bolt")
    assert counts(api, q="project:apollo") == {"project:apollo": 3}
    assert counts(api, q="Project", match="exact") == {"project": 4}
    assert counts(api, q="apollo") == counts(api, q="proj") == {}


@pytest.mark.conformance("H27")
def test_prefix_is_the_beginning(here: Tenant) -> None:
    api = here.api("bolt")
    assert list(counts(api, q="project:a", match="prefix")) == [
        "project:apollo",
        "project:apollo:engine",
    ]
    assert counts(api, q="Project:z", match="prefix") == {"project:zeus": 1}
    assert counts(api, q="%", match="prefix") == counts(api, q="apollo", match="prefix") == {}


@pytest.mark.conformance("H27")
def test_fuzzy_forgives_a_slip(here: Tenant) -> None:
    """Trigrams of "cosst": ␣␣c ␣co cos oss sst st␣; of "cost": ␣␣c ␣co cos ost st␣. 4 of 7."""
    api = here.api("bolt")
    [found] = answered(api, q="cosst", match="fuzzy")["results"]
    assert (found["tag"], found["memories"]) == ("cost", 3)
    assert found["similarity"] == pytest.approx(4 / 7, abs=1e-6)
    assert counts(api, q="zzz", match="fuzzy") == {}
    # "rise" and "risk" share 3 of 7 trigrams, "rope" and "risk" 1 of 9.
    assert counts(api, q="rise", match="fuzzy") == {"risk": 2}
    assert counts(api, q="rope", match="fuzzy") == {}
    # ␣␣c ␣co cox ... of "corn" and "cost": 2 of 8 = .25; "cot": 2 of 7 = .286; "cos": 3 of 6.
    assert counts(api, q="cot", match="fuzzy") == {}
    assert counts(api, q="cos", match="fuzzy") == {"cost": 3}


@pytest.mark.conformance("H27")
def test_the_tree_nests_levels(here: Tenant) -> None:
    found = answered(here.api("bolt"), tree="true")

    def drawn(nodes: list[dict[str, Any]]) -> list[Any]:
        return [(n["tag"], n["level"], n["memories"], drawn(n["children"])) for n in nodes]

    assert drawn(found["tree"]) == [
        ("cost", "cost", 3, []),
        (
            "project", "project", 4,
            [
                (
                    "project:apollo", "apollo", 3,
                    [("project:apollo:engine", "engine", 1, [])],
                ),
                ("project:zeus", "zeus", 1, []),
            ],
        ),
        ("projection", "projection", 1, []),
        ("risk", "risk", 2, []),
    ]  # fmt: skip
    short = answered(here.api("bolt"), tree="true", limit=1)
    assert drawn(short["tree"]) == [("project", "project", 4, [])]
    assert short["more"] is True


@pytest.mark.conformance("H27")
def test_related_share_two_memories_or_more(here: Tenant) -> None:
    api = here.api("bolt")
    assert counts(api, related="cost") == {"project": 3, "project:apollo": 2}
    assert counts(api, related="risk") == {"project": 2}
    assert counts(api, related="projection") == counts(api, related="absent") == {}


def test_only_what_is_in_use_counts(here: Tenant) -> None:
    aria = here.robot("aria")
    gone, away, over = [here.remember(aria, f"Old {n}.", tags=("cost", "old")).id for n in range(3)]
    assert counts(here.api("bolt"), q="old") == {"old": 3}
    forget_memory(aria, gone, now=timezone.now())
    archive_memory(aria, away, now=timezone.now())
    with resolve_principal(aria).scope():
        Memory.objects.filter(id=over).update(expires_at=timezone.now() - timedelta(days=1))
    assert counts(here.api("bolt"), q="old") == {}
    assert counts(here.api("bolt"), q="cost") == {"cost": 3}


QUESTIONS: list[dict[str, str]] = [
    {},
    {"popular": "true"},
    {"tree": "true"},
    {"q": "cost"},
    {"q": "co", "match": "prefix"},
    {"q": "cost", "match": "fuzzy"},
    {"related": "cost"},
]


def test_hidden_rows_change_no_answer(here: Tenant, world: World) -> None:
    asking = {name: here.browser(name) for name in ("bob", "mina", "vera")}

    def told() -> list[dict[str, Any]]:
        return [
            {name: answered(api, **question) for name, api in asking.items()}
            for question in QUESTIONS
        ]

    whole = told()
    for number in range(2):
        tags = ("cost", "hidden", "project:apollo", "costs:secret")
        here.remember(here.person("mina"), f"Mine {number}.", tags=tags, visibility="private")
        here.remember(here.robot("aria"), f"Design {number}.", tags=tags, group="design")
        here.remember(here.robot("aria"), f"Internal {number}.", tags=tags, visibility="internal")
        there = world.there
        there.remember(there.robot("aria"), f"Elsewhere {number}.", tags=tags)
    for question, before, after in zip(QUESTIONS, whole, told(), strict=True):
        assert after["bob"] == before["bob"], question
        assert after["vera"] == before["vera"], question
        assert after["mina"] != before["mina"], "she reads hers and those of #design"
        if not question.get("tree"):
            gained = {one["tag"]: one["memories"] for one in after["mina"]["results"]}
            known = {one["tag"]: one["memories"] for one in before["mina"]["results"]}
            more = {gained[tag] - known.get(tag, 0) for tag in gained} - {0}
            assert more == {4}, "the robot's own notes are nobody's"


def test_one_question_at_a_time(here: Tenant) -> None:
    api = here.api("bolt")
    for query in (
        {"q": "a", "tree": "true"}, {"related": "a", "popular": "true"}, {"match": "fuzzy"},
        {"q": "a", "match": "like"}, {"tree": "perhaps"}, {"limit": "0"}, {"limit": "1001"},
        {"q": "a" * 101}, {"q": "\x00"}, {"unknown": "1"},
    ):  # fmt: skip
        answer = api.get("/api/v1/tags", query)
        assert (query, answer.status_code) == (query, 400)
    assert APIClient().get("/api/v1/tags").status_code == 401


def test_the_number_of_statements_does_not_grow(here: Tenant) -> None:
    api = here.api("bolt")

    def statements() -> list[int]:
        found = []
        for question in QUESTIONS:
            with CaptureQueriesContext(connection) as seen:
                answered(api, **question)
            found.append(len(seen))
        return found

    statements()
    before = statements()
    for number in range(20):
        here.remember(here.robot("aria"), f"More {number}.", tags=(f"cost:of-{number}", "cost"))
    assert statements() == before
