"""Turns for which the language model never answered: count them for their readers, and ask
again."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, QuerySet

from memories.jobs.pending_work import PendingState
from memories.jobs.worker_hints import notify_restatement_worker
from memories.restatement.models import PendingRestatement
from orgs import audit
from orgs.principals import Actor, resolve_principal


@dataclass(frozen=True, slots=True)
class UnansweredTurns:
    """The number of such turns that the asker reads, and the last reason: a kind of failure, never
    a text."""

    count: int
    reason: str


def _dead_turns(actor: Actor) -> "QuerySet[PendingRestatement]":
    return PendingRestatement.objects.filter(
        organisation_id=actor.organisation_id, state=PendingState.DEAD
    )


def count_unanswered(actor: Actor) -> UnansweredTurns:
    """The turns that are not tried any more, as far as the asker reads them."""
    with resolve_principal(actor).scope():
        found = _dead_turns(actor).aggregate(count=Count("id"), reason=Max("reason"))
    return UnansweredTurns(found["count"], found["reason"] or "")


def retry_unanswered(actor: Actor, *, now: datetime) -> int:
    """Queue all of them for the language model again. Returns how many."""
    with resolve_principal(actor).scope():
        count = _dead_turns(actor).update(state=PendingState.WAITING, attempts=0, leased_until=None)
        audit.record_entry("restating.retried", actor=actor, now=now, count=count)
        notify_restatement_worker(actor.organisation_id)
    return count
