"""Recall end to end over real rows, with the fake encoder: which arm finds what."""

from typing import Any

import pytest
from django.utils import timezone

from memories.embedding.query_cache import encode_query
from memories.indexing.models import Text
from memories.retrieval.recall import RecallResult, recall
from memories.retrieval.resolve_filters import Query
from orgs.database.rls import organisation_scope
from orgs.organisations.groups import remove_from_group
from orgs.principals import Actor, resolve_principal
from tests.memories.search_rows import set_search_vector
from tests.world import Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")


def ask(who: Actor, text: str, **fields: Any) -> RecallResult:
    return recall(who, Query(text=text, **fields), now=timezone.now())


def contents(answer: RecallResult) -> list[str]:
    return [memory.content for _, memory in answer.hits]


@pytest.mark.conformance("G17")
def test_words_find_an_acronym_that_meaning_misses(here: Tenant) -> None:
    aria = here.robot("aria")
    here.remember(aria, "The SLA names four nines.")
    here.embed()
    # Sixty memories nearer to the question in meaning than the one that names the acronym.
    for n in range(60):
        here.remember(aria, f"Our agreement, part {n}.")
    here.embed()
    question = "How about the SLA?"
    with resolve_principal(aria).scope():
        sla = Text.objects.get(memory__content="The SLA names four nines.")
        opposite = [-float(x) for x in encode_query(question)]
        set_search_vector(sla.memory_id, opposite)

    alone = ask(aria, question, strategy="vector", limit=50)
    assert "The SLA names four nines." not in contents(alone)
    for fusion in ("weighted_rrf", "rrf", "minmax"):
        both = ask(aria, question, strategy="hybrid", fusion=fusion, limit=50)
        assert "The SLA names four nines." in contents(both), fusion


@pytest.mark.conformance("H21")
def test_tags_are_the_third_list_of_reciprocal_ranks(here: Tenant) -> None:
    aria = here.robot("aria")
    tagged = here.remember(aria, "Entirely other words.", tags=("billing",))
    for n in range(5):
        here.remember(aria, f"Notes on billing number {n}.")
    here.embed()

    found = ask(aria, "billing", strategy="hybrid", fusion="rrf", limit=10)
    scores = {memory.id: hit.relevance for hit, memory in found.hits}

    # First of the tags and last of the vectors: found by two lists, by words not at all.
    by_minmax = {m.id: h.keyword for h, m in ask(aria, "billing").hits}
    assert by_minmax.get(tagged.id) is None
    assert scores[tagged.id] > 0


def test_a_neighbouring_turn_lends_its_words(here: Tenant) -> None:
    aria = here.robot("aria")
    for position, (speaker, text) in enumerate(
        [
            ("Mina", "Who repairs the espresso machine?"),
            ("Bob", "Gregor does, on Mondays."),
            ("Mina", "Lovely."),
        ]
    ):
        here.remember(
            aria, text, group="launch", speaker=speaker, conversation="kitchen", position=position
        )
    here.embed()

    found = ask(aria, "espresso machine repair", group="launch", strategy="keyword")

    assert "Gregor does, on Mondays." in contents(found)


def test_words_of_a_narrower_audience_are_not_lent(here: Tenant) -> None:
    aria = here.robot("aria")
    here.remember(
        aria,
        "The salary of Gregor is 4711.",
        group="launch",
        member=str(here.members["mina"].id),
        visibility="private",
        conversation="kitchen",
        position=1,
    )
    here.remember(
        aria, "Noted, thanks.", group="launch", conversation="kitchen", position=2, speaker="Bob"
    )
    here.embed()

    found = ask(aria, "salary 4711 Gregor", group="launch", strategy="keyword")

    assert contents(found) == []


@pytest.mark.conformance("T21")
def test_what_is_safe_to_say_in_a_group(here: Tenant) -> None:
    aria = here.robot("aria")
    mina, bob = (str(here.members[name].id) for name in ("mina", "bob"))
    here.remember(aria, "Budget talk: everyone knows the budget.")
    here.remember(aria, "Budget talk: launch knows the budget.", group="launch")
    here.remember(aria, "Budget talk: design plans the budget.", group="design")
    here.remember(
        aria,
        "Budget talk: Mina alone doubts the budget.",
        group="launch",
        member=mina,
        visibility="protected",
    )
    here.remember(
        aria,
        "Budget talk: Mina told Bob the budget.",
        group="launch",
        member=mina,
        visibility="protected",
        listeners=(bob,),
    )
    here.remember(aria, "Budget talk: my notes on the budget.", visibility="internal")
    here.embed()

    # These texts are near each other.
    every: dict[str, Any] = {"limit": 50, "prefer_personal": False}
    alone = ask(aria, "budget talk", shareable_with="launch", **every)
    for_mina = ask(
        aria, "budget talk", group="launch", member=mina, shareable_with="launch", **every
    )

    said = {
        "Budget talk: everyone knows the budget.",
        "Budget talk: launch knows the budget.",
    }
    told_both = said | {"Budget talk: Mina told Bob the budget."}
    assert set(contents(alone)) == said
    assert set(contents(for_mina)) == told_both

    # Safe means every current member: who joins narrows it, who leaves widens it.
    with organisation_scope(here.id):
        remove_from_group(
            organisation_id=here.id,
            group_id=here.groups["launch"].id,
            member_ids=[here.members["bob"].id],
        )
    mina_left = ask(
        aria, "budget talk", group="launch", member=mina, shareable_with="launch", **every
    )
    assert set(contents(mina_left)) == told_both | {"Budget talk: Mina alone doubts the budget."}
