"""Pairs of equal words are merged by themselves where the policy says so, and nothing else is."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as tried
from hypothesis import strategies as st

from memories.curation import review_decisions
from memories.curation.copy_and_merge import auto_merge_pair, is_auto_mergeable
from memories.curation.review_decisions import ReviewDecision
from memories.curation.undo_review_decision import undo_review_decision
from memories.lifecycle.ageing_policy import update_policy
from memories.review import item_locks
from memories.review.models import Proposal
from memories.review.propose import report_memory
from memories.review.protect import protect_memory
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from memories.views.review.item_presenter import state_badge
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from tests.fake_language_model import fake_model
from tests.memories.curation.test_decide import waiting
from tests.memories.lifecycle.llm_checks.test_pairs import consolidate, kept
from tests.world import NOW, Tenant, World

FIRST = "Invoices above 5,000 euros need a second signature."
SAME = "invoices  above 5,000 euros need a second SIGNATURE."
NEAR = "Invoices above 5,000 euros need the second signature."
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def here(lasting_world: World, jobs_of_here: None) -> Tenant:
    return lasting_world.here


def allow(here: Tenant) -> None:
    update_policy(here.person("ada"), {"merge_duplicates": True}, now=NOW)


def rows(here: Tenant) -> dict[UUID, Memory]:
    with organisation_scope(here.id, using="worker"):
        found = Memory.objects.using("worker").filter(organisation_id=here.id)
        return {row.id: row for row in found}


def items(here: Tenant) -> list[Proposal]:
    with organisation_scope(here.id, using="worker"):
        found = Proposal.objects.using("worker").filter(organisation_id=here.id)
        return list(found.order_by("id"))


def statuses(here: Tenant, *ids: UUID) -> list[str]:
    found = rows(here)
    return [found[id_].status for id_ in ids]


def test_equal_words_become_one_and_a_curator_takes_it_back(here: Tenant) -> None:
    allow(here)
    older, newer = kept(here, FIRST), kept(here, SAME, robot="clio")
    assert consolidate(here)["merged"] == 1
    assert statuses(here, older, newer) == [Status.ACTIVE, Status.ARCHIVED]
    now = rows(here)[older]
    assert (now.content, now.remember_count, now.version) == (FIRST, 2, 1)
    with organisation_scope(here.id, using="worker"):
        said = Contribution.objects.using("worker").filter(memory_id=older)
        assert said.count() == 2, "who said the newer one says it now too"
    [item] = items(here)
    assert (item.state, item.decided_by_id, item.other_id) == ("merged", None, older)
    assert state_badge(item)["label"] == "Merged by itself"
    with organisation_scope(here.id):
        [entry] = AuditEntry.objects.filter(action="proposal.merged")
    assert (entry.target, entry.member, entry.detail["by_itself"]) == (item.id, None, True)
    page = here.browser("chidi").get(f"/review/{item.id}/").content.decode()
    assert "Merged by itself" in page
    assert "Undo this decision" in page
    with pytest.raises(NotFoundError):
        undo_review_decision(here.person("bob"), item.id, now=LATER)
    undo_review_decision(here.person("chidi"), item.id, now=LATER)
    assert statuses(here, older, newer) == [Status.ACTIVE, Status.ACTIVE]
    assert rows(here)[older].remember_count == 1
    assert consolidate(here, 2)["merged"] == 0, "a person has decided otherwise"
    assert [one.id for one in waiting(here.person("chidi"))] == [item.id]
    answer = ReviewDecision(version=1, into_version=1)
    review_decisions.merge_item(here.person("ada"), item.id, answer, now=LATER)
    [item] = items(here)
    assert state_badge(item)["label"] == "Merged", "by a person this time"
    with pytest.raises(PermissionError):
        undo_review_decision(here.person("chidi"), item.id, now=LATER)
    assert statuses(here, older, newer) == [Status.ACTIVE, Status.ARCHIVED], "it was hers to decide"


def test_what_waits_for_another_decision_is_not_merged_away(here: Tenant) -> None:
    allow(here)
    older, newer = kept(here, FIRST), kept(here, SAME)
    report = report_memory(here.person("bob"), newer, reason="It is 6,000.", now=NOW)
    assert consolidate(here)["merged"] == 0
    assert statuses(here, older, newer) == [Status.ACTIVE] * 2
    chidi = here.person("chidi")
    assert {one.cause for one in waiting(chidi)} == {"duplicate", "report"}
    review_decisions.reject_item(
        chidi, report.id, ReviewDecision(version=1, reason="It is 5,000."), now=LATER
    )
    assert consolidate(here, 2)["merged"] == 1


def test_without_the_policy_nothing_is_merged(here: Tenant) -> None:
    older, newer = kept(here, FIRST), kept(here, SAME)
    assert "merged" not in consolidate(here)
    assert statuses(here, older, newer) == [Status.ACTIVE] * 2
    assert [one.cause for one in waiting(here.person("chidi"))] == ["duplicate"]


def test_what_is_only_near_is_left_to_a_person(here: Tenant) -> None:
    allow(here)
    older, newer = kept(here, FIRST), kept(here, NEAR)
    assert consolidate(here)["merged"] == 0
    assert statuses(here, older, newer) == [Status.ACTIVE] * 2
    assert len(waiting(here.person("chidi"))) == 1


def test_what_is_protected_or_open_at_somebodys_is_left(here: Tenant) -> None:
    allow(here)
    older, newer = kept(here, FIRST), kept(here, SAME)
    [item] = items(here)
    item_locks.lock_item(here.person("chidi"), item.id, now=NOW)
    assert auto_merge_pair(item, now=NOW) is False
    protect_memory(here.person("ada"), older, reason="Kept.", now=NOW)
    assert auto_merge_pair(item, now=NOW + timedelta(days=1)) is False
    assert statuses(here, older, newer) == [Status.ACTIVE] * 2


def test_the_same_item_is_merged_once(here: Tenant) -> None:
    kept(here, FIRST)
    kept(here, SAME)
    [item] = items(here)
    assert [auto_merge_pair(item, now=NOW), auto_merge_pair(item, now=NOW)] == [True, False]


def test_a_language_model_may_hold_it_back(here: Tenant, settings: Any) -> None:
    """Letter case alone can tell a people from what one does with shoes."""
    allow(here)
    older = kept(here, "The new depot needs Polish bags and Polish tables.")
    newer = kept(here, "The new depot needs polish bags and polish tables.")
    with fake_model(settings) as model:
        model.answer = lambda question: "nonsense"
        assert consolidate(here)["merged"] == 0, "no answer, no merge"
        model.answer = lambda question: {"relation": "contradict"}
        assert consolidate(here, 2)["merged"] == 0
        assert consolidate(here, 3)["merged"] == 0
        assert len(model.asked) == 2, "the answer is kept"
    assert statuses(here, older, newer) == [Status.ACTIVE] * 2


def test_a_language_model_that_agrees_lets_it_pass(here: Tenant, settings: Any) -> None:
    allow(here)
    kept(here, FIRST)
    kept(here, SAME)
    with fake_model(settings) as model:
        model.answer = lambda question: {"relation": "same"}
        assert consolidate(here)["merged"] == 1


WORDS = ("bags", "Mina", "opens", "accepts", "every", "before", "Monday", "near", "not", "9", "14")
CHANGES = {
    "9": ("8", "90", "-9", "9.5"), "14": ("30", "1 4"), "opens": ("closes",),
    "accepts": ("rejects",), "every": ("no", "some"), "before": ("after",), "near": ("far",),
    "not": ("",), "bags": ("no bags", "bags never", "bags without"), "Mina": ("not Mina",),
}  # fmt: skip


@st.composite
def contradictions(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and one with another number, a "not" more or less, or an opposite."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=3, max_size=12))
    at = draw(st.sampled_from([n for n, word in enumerate(words) if word in CHANGES] or [0]))
    other = [*words]
    other[at] = draw(st.sampled_from(CHANGES.get(words[at], ("not " + words[at],))))
    return " ".join(words), " ".join(" ".join(other).split()).upper()


def alone(text: str) -> Memory:
    return Memory(content=text, listeners=[])


@tried(
    max_examples=500,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(contradictions())
def test_what_contradicts_is_never_equal(pair: tuple[str, str]) -> None:
    one, other = pair
    assert not is_auto_mergeable(alone(one), alone(other)), pair


@pytest.mark.conformance("X06")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It costs 1.5 euros a bag.", "It costs 1 5 euros a bag."),
        ("Job 7 retries if status == 429.", "Job 7 retries if status != 429."),
        ("The p95 stays < 200 ms.", "The p95 stays > 200 ms."),
        ("No, more bags than forty go in.", "No more bags than forty go in."),
    ],
)
def test_what_differs_in_a_sign_is_never_merged(one: str, other: str) -> None:
    assert not is_auto_mergeable(alone(one), alone(other))
    assert is_auto_mergeable(alone(one), alone(one.upper())), "and these are equal"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("speaker", "Bob"), ("key", "a"), ("sensitive", True), ("shareable", True),
        ("expires_at", NOW), ("occurred_at", NOW), ("kind", "group"), ("type", "event"),
    ],
)  # fmt: skip
def test_what_differs_beside_the_words_is_left_to_a_person(field: str, value: Any) -> None:
    other = alone(SAME)
    assert is_auto_mergeable(alone(FIRST), other)
    setattr(other, field, value)
    assert not is_auto_mergeable(alone(FIRST), other)
