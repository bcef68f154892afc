"""Feedback on a hit: given once by the asker, and what is learned from it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from memories.lifecycle.age import age_these
from memories.lifecycle.surprise import LEARNING, UNKNOWN, consolidation_score, success_rate
from memories.lifecycle.tiers import RULES
from memories.retrieval.answering.recorded import recorded
from memories.retrieval.models import Feedback, Recall
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.use import ALONE
from orgs.database.prepared_statements import fetched
from orgs.errors import AlreadyExists, NotFound
from orgs.models.base import new_id
from orgs.principals import Actor, resolve
from robots.access.act_for import act

OUTCOMES = ("success", "failure")
# Tiers whose memories are judged with each feedback; the others are judged on schedule.
_AT_ONCE = tuple(rule.tier for rule in RULES if rule.update == "per_event")

_LEARN = f"""
INSERT INTO memories_use AS u
    (organisation_id, memory_id, audience_id, kind, tier, surprise, updates, successes, failures,
     since_feedback, since_successes)
SELECT %(organisation)s, m.id, m.audience_id, m.kind, m.first_tier, %(alpha)s * %(raw)s, 1,
    %(success)s, %(failure)s, one.counts, %(success)s * one.counts
FROM memories_memory m, LATERAL (SELECT CASE WHEN {ALONE} THEN 0 ELSE 1 END AS counts) AS one
WHERE m.organisation_id = %(organisation)s AND m.id = %(memory)s
ON CONFLICT (organisation_id, memory_id) DO UPDATE
SET surprise = excluded.surprise + (1 - %(alpha)s) * u.surprise, updates = u.updates + 1,
    successes = u.successes + excluded.successes, failures = u.failures + excluded.failures,
    since_feedback = u.since_feedback + excluded.since_feedback,
    since_successes = u.since_successes + excluded.since_successes
RETURNING surprise, updates, successes, failures
"""
# Only counts the outcome; the usefulness was learned before.
_TURNED_OUT = f"""
UPDATE memories_use u
SET successes = u.successes + %(success)s, failures = u.failures + %(failure)s,
    since_successes = u.since_successes + %(success)s * CASE WHEN {ALONE} THEN 0 ELSE 1 END
FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = %(memory)s
  AND u.organisation_id = %(organisation)s AND u.memory_id = m.id
"""


@dataclass(frozen=True, slots=True)
class Learned:
    """The learned values of the memory after the feedback; all but updates in 0-1."""

    surprise: float
    success_rate: float
    consolidation: float
    updates: int
    tier: str


def give_feedback(
    actor: Actor,
    *,
    recall_id: UUID,
    memory_id: UUID,
    usefulness: float,
    outcome: str = "",
    now: datetime,
) -> Learned:
    """Give feedback on one hit of the caller's own recall. usefulness: 0-1.

    outcome: success, failure or empty. Raises NotFound for another's recall, for a memory that was
    no hit of it or cannot be read any more, and AlreadyExists the second time.
    """
    principal = resolve(actor)
    with principal.scope():
        # Row-level security shows the record of a recall only to its asker.
        recall = Recall.objects.filter(organisation_id=actor.organisation_id, id=recall_id).first()
    scores = {hit.id: hit.score for hit in recorded(recall.hits)} if recall else {}
    predicted = scores.get(memory_id)
    if recall is None or predicted is None:
        raise NotFound("no such answer")
    # With the member and group of the recall, and the present rights.
    asker = resolve(_as_asked(actor, recall))
    with asker.scope():
        memory = Memory.objects.filter(
            organisation_id=actor.organisation_id, id=memory_id, status=Status.ACTIVE
        ).first()
        if memory is None:
            raise NotFound("no such memory")
        raw = max(0.0, usefulness - predicted)
        _write(
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
                surprise=raw,
                created_at=now,
            )
        )
        values = _counted(actor, memory_id, outcome) | {"alpha": LEARNING, "raw": raw}
        [(surprise, updates, successes, failures)] = fetched(_LEARN, values)
        age_these(actor.organisation_id, [memory_id], tiers=_AT_ONCE, now=now)
        there = Memory.objects.with_names().get(organisation_id=actor.organisation_id, id=memory_id)
        return Learned(
            surprise,
            success_rate(successes, failures),
            consolidation_score(updates),
            updates,
            there.tier,
        )


def tell_outcome(
    actor: Actor, *, recall_id: UUID, memory_id: UUID, outcome: str, now: datetime
) -> None:
    """Report the outcome of a hit of the caller's own recall: success or failure.

    If there is feedback on its usefulness, the outcome is added to that; otherwise feedback with
    usefulness UNKNOWN is given. Raises what `give_feedback` raises.
    """
    principal = resolve(actor)
    with principal.scope():
        recall = Recall.objects.filter(organisation_id=actor.organisation_id, id=recall_id).first()
    if recall is None:
        raise NotFound("no such answer")
    asker = resolve(_as_asked(actor, recall))
    with asker.scope():
        here = Memory.objects.filter(
            organisation_id=actor.organisation_id, id=memory_id, status=Status.ACTIVE
        )
        told = Feedback.objects.filter(
            organisation_id=actor.organisation_id, recall_id=recall_id, memory_id=memory_id
        )
        if here.exists() and told.filter(outcome="").update(outcome=outcome):
            fetched(_TURNED_OUT, _counted(actor, memory_id, outcome))
            age_these(actor.organisation_id, [memory_id], tiers=_AT_ONCE, now=now)
            return
    give_feedback(
        actor,
        recall_id=recall_id,
        memory_id=memory_id,
        usefulness=UNKNOWN,
        outcome=outcome,
        now=now,
    )


def _counted(actor: Actor, memory_id: UUID, outcome: str) -> dict[str, Any]:
    """The parameters of the statements that learn from an outcome."""
    return {
        "organisation": actor.organisation_id,
        "memory": memory_id,
        "robot": actor.robot_id,
        "success": int(outcome == "success"),
        "failure": int(outcome == "failure"),
    }


def _as_asked(actor: Actor, recall: Recall) -> Actor:
    member = str(recall.member_id) if recall.member_id and not actor.is_person else None
    group = str(recall.group_id) if recall.group_id else None
    return act(actor, member=member, group=group, include_direct=True)


def _write(row: Feedback) -> None:
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise AlreadyExists("You have said so already of this hit.") from error
