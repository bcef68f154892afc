"""What is one's own and what everyone knows, as one answer (Z05, Z06), and categories (Z07)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.models import Recall
from memories.retrieval.ranking.rank_pass import EXTRA_HITS
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.choices import Category
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")

RECALL = "/api/v1/recall"
FACT = "The cellar key hangs behind the fridge."
PRIVATE = {"visibility": "private"}


def ask(here: Tenant, who: str = "mina", query: str = "cellar key", **fields: Any) -> Any:
    client = here.api(who) if who in here.robots else here.browser(who)
    answer = client.post(RECALL, {"query": query, **fields}, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def contents(results: Sequence[Any]) -> list[str]:
    return [one["content"] for one in results]


def facts(who: Actor, texts: Sequence[str], **fields: Any) -> None:
    drafts = [Draft(content=text, **fields) for text in texts]
    assert {one.status for one in remember_many(who, drafts, now=NOW)} == {"active"}


@pytest.mark.conformance("Z06")
def test_of_one_fact_the_nearest_audience_is_served_and_the_others_are_named(here: Tenant) -> None:
    aria, mina = here.robot("aria"), here.person("mina")
    everyone = str(here.remember(aria, FACT).id)
    group = str(here.remember(aria, "the cellar key  hangs behind the fridge.", group="launch").id)
    own = str(here.remember(mina, FACT.upper(), **PRIVATE).id)
    here.remember(here.person("bob"), FACT, **PRIVATE)
    here.embed()

    [one] = ask(here)
    assert (one["id"], one["audience"]["kind"]) == (own, "member")
    told = {o["id"]: o["audience"] for o in one["consolidated"]}
    assert told == {
        everyone: {"kind": "organisation", "label": "Everyone in the organisation"},
        group: {"kind": "group", "label": "Everyone in #launch"},
    }
    assert {r["id"] for r in ask(here, prefer_personal=False)} == {everyone, group, own}
    assert not any("consolidated" in r for r in ask(here, prefer_personal=False))
    # The robot reads no member's own, and hears of none.
    [one] = ask(here, "aria")
    assert (one["id"], [o["id"] for o in one["consolidated"]]) == (group, [everyone])


def test_only_what_is_served_counts_as_served(here: Tenant) -> None:
    here.remember(here.robot("aria"), FACT)
    own = here.remember(here.person("mina"), FACT, **PRIVATE).id
    here.embed()
    body = {"query": "cellar key"}
    answer = here.browser("mina").post(RECALL, body, format="json").json()
    with resolve_principal(here.person("mina")).scope():
        row = Recall.objects.get(id=answer["recall_id"])
    assert [hit[0] for hit in row.hits] == [str(own)]


def test_other_speakers_times_talks_and_people_are_not_one(here: Tenant) -> None:
    """Each pair by itself; the same without what sets the two apart is one."""
    mina, bob = (str(here.members[name].id) for name in ("mina", "bob"))
    pairs: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "speakers": ({"speaker": "Zoe"}, {"speaker": "Yann"}),
        "times": ({"occurred_at": NOW}, {"occurred_at": NOW.replace(year=2025)}),
        "types": ({"type": "conversation"}, {}),
        "talks": ({}, {"conversation": "standup"}),
        "people": (
            {"member": mina, "group": "launch", "visibility": "protected"},
            {"member": bob, "group": "launch", "visibility": "group"},
        ),
        "nothing": ({"speaker": "Zoe", "occurred_at": NOW}, {}),
    }
    for name, (one, other) in pairs.items():
        for fields in ({"visibility": "organisation"} | one, {"group": "launch"} | other):
            here.remember(here.robot("aria"), f"The {name} key is long gone.", **fields)
    here.embed()
    for name in pairs:
        found = contents(ask(here, query=f"{name} key", limit=50))
        assert found.count(f"The {name} key is long gone.") == 1 + (name != "nothing"), name


def test_what_one_audience_holds_twice_stays_twice(here: Tenant) -> None:
    aria = here.robot("aria")
    here.remember(aria, FACT, key="a")
    here.remember(aria, FACT, key="b")
    here.embed()
    assert len(ask(here)) == 2
    here.remember(here.person("mina"), FACT, **PRIVATE)
    here.embed()
    [one] = ask(here)
    assert len(one["consolidated"]) == 2
    here.remember(here.person("mina"), FACT, occurred_at=NOW, **PRIVATE)
    here.embed()
    assert [len(one.get("consolidated", ())) for one in ask(here)] == [2, 0]


@pytest.mark.conformance("X06")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cellar key opens if code == 12.", "The cellar key opens if code != 12."),
        ("Cellar key: 1:5", "Cellar key: 1.5"),
        ("Cellar key found ✔", "Cellar key found ✘"),
        ("The cellar key hangs to the left.", "The cellar key hangs to the right."),
        ("Der cellar key ist da.", "Der cellar key ist nicht da."),
        ("In the kitchen hangs the cellar key", "The cellar key hangs in the kitchen"),
    ],
)
def test_what_differs_in_a_sign_or_a_word_is_served_twice(
    here: Tenant, one: str, other: str
) -> None:
    here.remember(here.robot("aria"), one)
    here.remember(here.person("mina"), other, **PRIVATE)
    here.embed()
    results = ask(here)
    assert sorted(contents(results)) == sorted([one, other])
    assert not any("consolidated" in hit for hit in results)


def test_a_double_frees_its_place_and_leaves_score_and_order(here: Tenant) -> None:
    """Once within the room that is looked at first, once beyond it."""
    aria, mina = here.robot("aria"), here.person("mina")
    texts = [f"Cellar key {'really ' * n}number {n} fits door {n}." for n in range(14)]
    facts(aria, texts)
    for doubled in (2, EXTRA_HITS + 4):
        facts(mina, texts[:doubled], visibility="private")
        here.embed()
        asked, now = Query(text="cellar key", limit=10, counts=False), timezone.now()
        every = replace(asked, limit=40, prefer_personal=False)
        best: dict[str, float] = {}
        for hit, row in recall(mina, every, now=now).hits:
            best.setdefault(row.content, hit.score)
        found = recall(mina, asked, now=now).hits
        assert [(row.content, hit.score) for hit, row in found] == list(best.items())[:10]
        own = [row for _, row in found if row.content in texts[:doubled]]
        assert own
        assert {row.audience.kind for row in own} == {"member"}


@pytest.mark.conformance("Z05")
def test_both_tiers_come_as_one_list_and_each_can_be_left_out(here: Tenant) -> None:
    mina = here.person("mina")
    here.remember(here.robot("aria"), "The cellar key of everyone is blue.")
    here.remember(here.robot("aria"), "The cellar key of launch is green.", group="launch")
    here.remember(mina, "My own cellar key is red.", **PRIVATE)
    here.remember(here.person("bob"), "Bob hides another cellar key.", **PRIVATE)
    here.embed()
    blue, green, red = (f"{a} is {b}." for a, b in (
        ("The cellar key of everyone", "blue"), ("The cellar key of launch", "green"),
        ("My own cellar key", "red"),
    ))  # fmt: skip

    def found(*names: str, **fields: Any) -> set[str]:
        filters = {"filters": {"visibilities": list(names)}} if names else {}
        return set(contents(ask(here, **filters, **fields)))

    assert found() == {blue, green, red}
    assert found(include_shared=False) == found(shared_limit=0) == {green, red}
    assert found("organisation") == {blue}
    assert found("organisation", include_shared=False) == set()
    assert found("private") == {red}
    assert found("group") == found("public") == {green}
    assert found("private", "organisation") == {red, blue}
    assert found("internal") == found("shared") == found("team") == found("persona") == set()


def test_private_means_its_own_notes_to_a_robot_alone(world: World) -> None:
    here = world.here
    aria = here.robot("aria")
    here.remember(aria, "A cellar key for me.", visibility="internal")
    here.remember(aria, "A cellar key for everyone.")
    notes = ["A cellar key for me."]
    for name in ("private", "internal"):
        assert contents(ask(here, "aria", filters={"visibilities": [name]})) == notes


@pytest.mark.parametrize("given", [["secret"], ["organisation", ""], "private", [1], None])
def test_another_visibility_is_refused_with_those_that_there_are(world: World, given: Any) -> None:
    here = world.here
    body = {"query": "key", "filters": {"visibilities": given}}
    answer = here.browser("mina").post(RECALL, body, format="json")
    assert answer.status_code == 400
    if given == ["secret"]:
        assert "internal, private, protected, shared, group, public" in answer.content.decode()


@pytest.mark.parametrize("given", [-1, 1.5, "2", True, 1001])
def test_a_shared_limit_is_a_count(world: World, given: Any) -> None:
    here = world.here
    body = {"query": "key", "shared_limit": given}
    assert here.browser("mina").post(RECALL, body, format="json").status_code == 400


@pytest.mark.conformance("Z06")
def test_no_more_of_what_is_shared_than_asked_for_and_it_hides_nothing(here: Tenant) -> None:
    """More of the organisation's rows fit better than any arm chooses."""
    facts(here.robot("aria"), [f"Cellar key, cellar key, number {n}." for n in range(130)])
    own = [f"Whoever looks for number {n} of my own shelf asks about a key." for n in range(8)]
    facts(here.person("mina"), own, visibility="private")
    here.embed()
    for limit, shared in ((10, 3), (10, 1), (10, 9), (3, 2)):
        found = ask(here, limit=limit, shared_limit=shared)
        kinds = [one["audience"]["kind"] for one in found]
        assert kinds.count("organisation") == shared
        assert kinds.count("member") == min(len(own), limit - shared)
        scores = [one["score"] for one in found]
        assert scores == sorted(scores, reverse=True)
    assert len(ask(here, limit=50, shared_limit=50)) == 50


def test_an_explanation_says_what_came_in_its_place(here: Tenant) -> None:
    everyone = here.remember(here.robot("aria"), FACT).id
    other = here.remember(here.robot("aria"), "The cellar key opens a door.").id
    own = here.remember(here.person("mina"), FACT, **PRIVATE).id
    here.embed()

    def why(id_: Any, **fields: Any) -> tuple[bool, list[str]]:
        answer = here.browser("mina").post(
            f"/api/v1/memories/{id_}/explain", {"query": "cellar key", **fields}, format="json"
        )
        found = answer.json()
        return found["served"], [reason["code"] for reason in found["reasons"]]

    assert why(everyone) == (False, ["consolidated"])
    assert why(own)[0]
    assert why(everyone, prefer_personal=False)[0]
    third = here.remember(here.robot("aria"), "The cellar, but which key?").id
    here.embed()
    told = [why(id_, shared_limit=1) for id_ in (other, third)]
    assert sorted(served for served, _ in told) == [False, True]
    assert ["above-shared-limit"] in [codes for _, codes in told]


@pytest.mark.parametrize("same", [False, True])
def test_it_costs_a_statement_only_where_something_may_be_the_same(
    here: Tenant, same: bool
) -> None:
    here.remember(here.robot("aria"), FACT)
    here.remember(here.robot("aria"), "Nobody has a second cellar key.", group="launch")
    own = FACT if same else "Somebody should paint the cellar."
    here.remember(here.person("mina"), own, **PRIVATE)
    here.embed()
    counts = []
    for prefer in (True, False):
        query = Query(text="cellar key", prefer_personal=prefer)
        recall(here.person("mina"), query, now=timezone.now())
        with CaptureQueriesContext(connection) as captured:
            recall(here.person("mina"), query, now=timezone.now())
        counts.append(len(captured))
    assert counts[0] - counts[1] == same


@pytest.mark.conformance("H46")
def test_each_filter_keeps_pollution_out(here: Tenant) -> None:
    """Precision of the first ten: what was planted for the question, of what was served."""
    good = {"category": "org_fact", "tags": ("cellar",), "importance": 0.9}
    bad = {"category": "event", "tags": ("attic",), "importance": 0.1}
    facts(here.robot("bolt"), [f"Cellar key {n} fits a door." for n in range(10)], **good)
    facts(here.robot("aria"), [f"Cellar key, that key {n}!" for n in range(40)], **bad)
    here.embed()

    def precision(**filters: Any) -> float:
        found = contents(ask(here, limit=10, filters=filters))
        return sum("fits a door" in text for text in found) / len(found)

    assert precision() < 0.8
    bolt = str(here.robots["bolt"].id)
    for filters in (
        {"robots": [bolt]}, {"categories": ["org_fact"]}, {"tags": ["cellar"]},
        {"min_importance": 0.5},
    ):  # fmt: skip
        assert precision(**filters) == 1.0, filters


@pytest.mark.conformance("Z07")
def test_the_twelve_categories(world: World) -> None:
    here = world.here
    names = [
        "preference", "fact", "event", "decision", "sentiment", "reminder", "relationship",
        "org_fact", "org_policy", "team_member", "project_info", "org_decision",
    ]  # fmt: skip
    assert sorted(Category.values) == sorted(names)
    api = here.api("aria")
    for name in names:
        body = {"content": f"The cellar key as {name}", "category": name}
        assert api.post("/api/v1/memories", body, format="json").status_code == 201
    for name in names:
        [one] = ask(here, "aria", filters={"categories": [name]}, limit=50)
        assert (one["content"], one["category"]) == (f"The cellar key as {name}", name)
    body = {"content": "A key", "category": "rumour"}
    assert api.post("/api/v1/memories", body, format="json").status_code == 400
