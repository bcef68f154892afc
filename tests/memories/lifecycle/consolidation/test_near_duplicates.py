"""Near-duplicates inside one audience become items; private ones are their owner's alone."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from memories.curation import review_decisions
from memories.curation.review_decisions import ReviewDecision
from memories.curation.undo_review_decision import undo_review_decision
from memories.jobs import run_jobs
from memories.jobs.models import JobType
from memories.jobs.organisation_run import create_run_once
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.world import NOW, World

FIRST = "Invoices above 5,000 euros need a second signature."
SECOND = "Invoices above 5,000 euros need the second signature."


@pytest.mark.conformance("W05")
@pytest.mark.conformance("A25")
def test_twins_go_to_whom_they_belong_and_are_merged_or_kept(lasting_world: World) -> None:
    here = lasting_world.here
    bolt, mina = here.robot("bolt"), here.person("mina")
    older = here.remember(bolt, FIRST).id
    here.remember(mina, FIRST, visibility="private")
    here.remember(here.robot("aria"), FIRST, group="launch", conversation="monday")
    here.remember(bolt, "The office closes at six.")
    here.embed()
    newer = here.remember(bolt, SECOND).id
    here.remember(mina, SECOND, visibility="private")
    here.remember(here.robot("aria"), SECOND, group="launch", conversation="monday")
    here.embed()
    item, *others = waiting(here.person("chidi"))
    assert (item.cause, item.memory_id, item.other_id, others) == ("duplicate", newer, older, [])
    own, *others = waiting(mina)
    assert (own.memory.audience.kind, others) == ("member", [])
    assert waiting(here.person("bob")) == []

    done = review_decisions.merge_item(
        here.person("chidi"), item.id, ReviewDecision(version=1, into_version=1), now=NOW
    )
    assert done.state == "merged"
    with resolve_principal(here.person("bob")).scope():
        kept = dict(Memory.objects.values_list("id", "status"))
    assert (kept[older], kept[newer]) == ("active", "archived")
    undo_review_decision(here.person("chidi"), item.id, now=NOW)
    review_decisions.reject_item(here.person("chidi"), item.id, ReviewDecision(), now=NOW)
    here.embed()
    assert waiting(here.person("chidi")) == []
    review_decisions.reject_item(mina, own.id, ReviewDecision(), now=NOW)


@pytest.mark.conformance("A25")
def test_a_pair_that_somebody_deletes_just_now_keeps_nobody_waiting(lasting_world: World) -> None:
    """The embedding worker has locked the newer one; to wait for the older one would be a deadlock
    with whoever deletes both."""
    here = lasting_world.here
    older = here.remember(here.robot("bolt"), FIRST).id
    here.embed()
    here.remember(here.robot("bolt"), SECOND)

    def embed() -> None:
        try:
            here.embed()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as threads, organisation_scope(here.id, using="worker"):
        rows = Memory.objects.using("worker").select_for_update()
        assert rows.get(organisation_id=here.id, id=older).content == FIRST
        threads.submit(embed).result(timeout=20)
    assert waiting(here.person("chidi")) == []
    assert create_run_once(here.id, JobType.CONSOLIDATE, "2026-03-02", now=NOW)
    assert run_jobs.run_next_job()
    assert [item.cause for item in waiting(here.person("chidi"))] == ["duplicate"]


PARAPHRASES = [
    ("Mina takes care of the museum shop.", "The museum shop is taken care of by Mina."),
    (
        "A spare key of the cellar hangs behind the bar.",
        "The cellar's spare key is hanging behind the bar.",
    ),
]
ALIKE = ["The office closes at six on Fridays.", "The office opens at nine on Fridays."]


@pytest.mark.conformance("A25")
@pytest.mark.parametrize("threshold", [None, 0.995])
def test_a_paraphrase_is_a_pair_by_the_real_encoder(
    lasting_world: World, settings: Any, threshold: float | None
) -> None:
    """By the threshold of the model or the one that is set; what only looks alike is none."""
    settings.ENCODER, settings.NEAR_DUPLICATE_SIMILARITY = "minilm", threshold
    here = lasting_world.here
    for text in (*(one for pair in PARAPHRASES for one in pair), *ALIKE):
        here.remember(here.robot("bolt"), text)
    here.embed()
    found = {
        frozenset((item.memory.content, item.other.content))
        for item in waiting(here.person("chidi"))
        if item.cause == "duplicate"
    }
    assert found == (set(map(frozenset, PARAPHRASES)) if threshold is None else set())


@pytest.mark.conformance("W05")
@pytest.mark.parametrize("where", ["private", "group", "internal"])
def test_the_same_words_for_other_readers_are_no_pair(lasting_world: World, where: str) -> None:
    """However near: an item would show its decider words that they do not read."""
    here = lasting_world.here
    wrote = here.person("mina") if where == "private" else here.robot("aria")
    group = {"group": "launch"} if where == "group" else {}
    here.remember(wrote, FIRST, visibility=where, **group)
    here.embed()
    here.remember(here.robot("bolt"), FIRST)
    here.embed()
    with organisation_scope(here.id, using="worker"):
        assert list(Proposal.objects.using("worker").filter(organisation_id=here.id)) == []
    # With a twin of the same readers there is one item, about these two.
    here.remember(here.robot("bolt"), SECOND)
    here.embed()
    with organisation_scope(here.id, using="worker"):
        [item] = Proposal.objects.using("worker").filter(organisation_id=here.id)
        pair = Memory.objects.using("worker").filter(id__in=(item.memory_id, item.other_id))
        assert len({row.audience_id for row in pair}) == 1
        assert {row.content for row in pair} == {FIRST, SECOND}
