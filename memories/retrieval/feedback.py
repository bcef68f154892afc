"""Feedback on a hit: given once by the asker, and what is learned from it.

It is learned for the asker at once, and for others from the next day, if enough can read the memory
or a robot reports that asks for nobody (`lifecycle.publish_uses`): who reports was served it.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.access.reader_counts import counts_for_others
from memories.lifecycle.surprise import (
    DEFAULT_USEFULNESS,
    LEARNING_RATE,
    NEXT_SURPRISE_SQL,
    compute_success_rate,
    compute_surprise,
    score_consolidation,
)
from memories.questions.record_question import RATED_CTE
from memories.retrieval.answering.confidence import parse_recorded_hits
from memories.retrieval.models import Feedback, Recall
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.reader_use import ReaderUse
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, scope
from orgs.errors import AlreadyExistsError, ReferenceNotFoundError
from orgs.models.base import new_id
from orgs.principals import Actor, Principal, resolve_principal
from orgs.wired_functions import wired
from robots.access.acting_for_members import resolve_actor

OUTCOMES = ("success", "failure")
# From this usefulness downwards a hit was of no use.
USELESS_BELOW = 0.2
_LEARN_SQL = f"""
WITH known AS (
    INSERT INTO memories_use (organisation_id, memory_id, audience_id, kind, tier, given_tier)
    SELECT organisation_id, id, audience_id, kind, first_tier, first_tier FROM memories_memory
    WHERE organisation_id = %(organisation)s AND id = %(memory)s
    ON CONFLICT (organisation_id, memory_id) DO NOTHING
), {RATED_CTE}
INSERT INTO memories_readeruse AS u (organisation_id, memory_id, reader, member_id, surprise,
    updates, successes, failures)
VALUES (%(organisation)s, %(memory)s, %(reader)s, %(member)s, %(alpha)s * %(alone)s, 1, %(success)s,
    %(failure)s)
ON CONFLICT (organisation_id, memory_id, reader) DO UPDATE
SET surprise = {NEXT_SURPRISE_SQL}, updates = u.updates + 1,
    successes = u.successes + excluded.successes, failures = u.failures + excluded.failures
"""
# Only counts the outcome; the usefulness was learned before.
_ADD_OUTCOME_SQL = f"""
WITH {RATED_CTE}
UPDATE memories_readeruse u
SET successes = u.successes + %(success)s, failures = u.failures + %(failure)s
WHERE u.organisation_id = %(organisation)s AND u.memory_id = %(memory)s AND u.reader = %(reader)s
"""


# The name of a tool: as tools are called in code and protocols, no sentence.
TOOL_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}$"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReport:
    """How one call of a tool turned out, as a robot says.

    tool: matches TOOL_PATTERN. outcome: one of OUTCOMES. persona: the handle of the persona that it
    served; None for the one of the member that is surest. member: for whom the robot acts; None for
    a personal robot's own.
    """

    tool: str
    outcome: str
    persona: str | None = None
    member: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedToolCall:
    """The persona and the tool under which the call is counted."""

    persona: str
    tool: str


@wired
def record_tool_outcome(actor: Actor, report: ToolReport, *, now: datetime) -> CountedToolCall:
    """Count how a call of a tool for a person of a persona turned out.

    Raises PermissionError for people and viewers' robots, NotFoundError for a persona or member
    that the robot does not read, SharingOptOutError, and an error of its own where no persona is
    known.
    """
    raise NotImplementedError


@cache
def _counted_for() -> str:
    """The audience of a memory, if what is reported may count for its other readers."""
    return (
        "SELECT a.id FROM orgs_audience a WHERE a.organisation_id = %(organisation)s "
        f"AND a.id = %(audience)s AND {counts_for_others()}"
    )


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """The learned values of the memory after the feedback; all but updates in 0-1."""

    surprise: float
    success_rate: float
    consolidation: float
    updates: int
    tier: str


# Of the asker's last recalls, in which a hit is looked for.
MAX_RECALLS_BACK = 50


def find_last_recall_of(principal: Principal, memory_id: UUID) -> UUID | None:
    """The last of the asker's recent recalls that served the memory, or None."""
    with principal.scope():
        rows = Recall.objects.filter(
            organisation_id=principal.organisation_id,
            member_id=principal.actor.member_id,  # type: ignore[misc]  # None for nobody
            robot_id=principal.actor.robot_id,
        )
        for recall in rows.order_by("-created_at")[:MAX_RECALLS_BACK]:
            if any(hit.id == memory_id for hit in parse_recorded_hits(recall.hits)):
                return recall.id
    return None


def record_feedback(
    actor: Actor,
    *,
    recall_id: UUID,
    memory_id: UUID,
    usefulness: float,
    outcome: str = "",
    now: datetime,
) -> FeedbackResult:
    """Give feedback on one hit of the caller's own recall. usefulness: 0-1.

    outcome: success, failure or empty. Raises NotFoundError for another's recall, for a memory that
    was no hit of it or cannot be read any more, and AlreadyExistsError the second time.
    """
    recall, asker = _get_own_recall(actor, recall_id, memory_id)
    scores = {hit.id: hit.score for hit in parse_recorded_hits(recall.hits)}
    predicted = scores.get(memory_id)
    if predicted is None:
        raise ReferenceNotFoundError("memory", memory_id)
    with asker.scope():
        memory = Memory.objects.filter(
            organisation_id=actor.organisation_id, id=memory_id, status=Status.ACTIVE
        ).first()
        if memory is None:
            raise ReferenceNotFoundError("memory", memory_id)
        alone = compute_surprise(usefulness, predicted)
        _save_feedback(
            asker,
            Feedback(
                id=new_id(),
                organisation_id=actor.organisation_id,
                audience_id=asker.own_audience,
                recall_id=recall.id,
                memory_id=memory_id,
                robot_id=actor.robot_id,
                member_id=recall.member_id,
                usefulness=usefulness,
                outcome=outcome,
                predicted=predicted,
                surprise=alone,
                created_at=now,
                told_at=now,
                counted_for=_audience_that_learns(asker, memory),
            ),
        )
        bad = _is_bad(recall, memory_id, usefulness, outcome)
        values = _outcome_values(asker, memory_id, outcome, bad) | {
            "alpha": LEARNING_RATE,
            "alone": alone,
        }
        fetch_all(_LEARN_SQL, values)
        there = Memory.objects.with_names().get(organisation_id=actor.organisation_id, id=memory_id)
        return FeedbackResult(
            there.used.surprise,
            compute_success_rate(there.used.successes, there.used.failures),
            score_consolidation(there.used.updates),
            there.used.updates,
            there.tier,
        )


def record_outcome(
    actor: Actor, *, recall_id: UUID, memory_id: UUID, outcome: str, now: datetime
) -> None:
    """Report the outcome of a hit of the caller's own recall: success or failure.

    If there is feedback on its usefulness, the outcome is added to that; otherwise feedback with
    usefulness UNKNOWN is given. Raises what `record_feedback` raises.
    """
    recall, asker = _get_own_recall(actor, recall_id, memory_id)
    with asker.scope():
        is_here = Memory.objects.filter(
            organisation_id=actor.organisation_id, id=memory_id, status=Status.ACTIVE
        ).exists()
        told = Feedback.objects.filter(
            organisation_id=actor.organisation_id, recall_id=recall_id, memory_id=memory_id
        )
        more = {"outcome": outcome, "told_at": now, "published": False}
        with _scope_of_own_rows(asker):
            is_added = is_here and told.filter(outcome="").update(**more) > 0
        if is_added:
            bad = _is_bad(recall, memory_id, DEFAULT_USEFULNESS, outcome)
            fetch_all(_ADD_OUTCOME_SQL, _outcome_values(asker, memory_id, outcome, bad))
            return
    record_feedback(
        actor,
        recall_id=recall_id,
        memory_id=memory_id,
        usefulness=DEFAULT_USEFULNESS,
        outcome=outcome,
        now=now,
    )


def _audience_that_learns(asker: Principal, memory: Memory) -> UUID | None:
    values = {
        "organisation": memory.organisation_id,
        "audience": memory.audience_id,
        "reader": asker.reader,
    }
    rows = fetch_all(_counted_for(), values)
    return rows[0][0] if rows else None


def _is_bad(recall: Recall, memory_id: UUID, usefulness: float, outcome: str) -> UUID | None:
    """The recall, if this says that its question was answered badly: the first of its hits that
    answer was of no use."""
    hits = (hit.id for hit in parse_recorded_hits(recall.hits) if not hit.folded)
    useless = outcome == "failure" or usefulness <= USELESS_BELOW
    return recall.id if useless and next(hits, None) == memory_id else None


def _outcome_values(
    asker: Principal, memory_id: UUID, outcome: str, bad: UUID | None
) -> dict[str, Any]:
    """The parameters of the statements that learn from an outcome. bad: see `_is_bad`."""
    return {
        "badly_answered": bad,
        "organisation": asker.organisation_id,
        "memory": memory_id,
        "reader": asker.reader,
        "member": asker.actor.member_id,
        "success": int(outcome == "success"),
        "failure": int(outcome == "failure"),
    }


def _get_own_recall(actor: Actor, recall_id: UUID, memory_id: UUID) -> tuple[Recall, Principal]:
    """(the recall, its asker: with the member and group of the recall, and the present rights).

    Raises NotFoundError; of a key that is limited to groups also for a recall in another group, and
    for a memory that it was never served itself, but another key of its robot was.
    """
    # Row-level security shows the record of a recall only to its asker.
    with _scope_of_own_rows(resolve_principal(actor)):
        recall = Recall.objects.filter(organisation_id=actor.organisation_id, id=recall_id).first()
    limit = actor.key_groups
    if recall is None or (limit is not None and recall.group_id not in {None, *limit}):
        raise ReferenceNotFoundError("answer", recall_id)
    asker = resolve_principal(_actor_of_recall(actor, recall))
    if limit is not None:
        with asker.scope():
            uses = ReaderUse.objects.filter(
                organisation_id=asker.organisation_id, memory_id=memory_id, reader=asker.reader
            )
            if not uses.exists():
                raise ReferenceNotFoundError("memory", memory_id)
    return recall, asker


def _actor_of_recall(actor: Actor, recall: Recall) -> Actor:
    member = str(recall.member_id) if recall.member_id and not actor.is_person else None
    group = str(recall.group_id) if recall.group_id else None
    return resolve_actor(actor, member=member, group=group, include_direct=True)


def _scope_of_own_rows(principal: Principal) -> AbstractContextManager[None]:
    """The scope of recalls and feedback of the asker. A key that is limited to groups does not read
    what else is its robot's own."""
    return scope(Scope(principal.organisation_id, audiences=(principal.own_audience,)))


def _save_feedback(asker: Principal, row: Feedback) -> None:
    try:
        with transaction.atomic(), _scope_of_own_rows(asker):
            row.save(force_insert=True)
    except IntegrityError as error:
        raise AlreadyExistsError("You have said so already of this hit.") from error
