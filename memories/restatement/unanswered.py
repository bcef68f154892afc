"""Turns for which the language model never answered: count them for their readers, and ask
again."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, QuerySet

from memories.jobs.hints import hint_restating
from memories.jobs.owed_work import PendingState
from memories.restatement.models import PendingRestatement
from orgs import audit
from orgs.principals import Actor, resolve


@dataclass(frozen=True, slots=True)
class UnansweredTurns:
    """The number of such turns that the asker reads, and the last reason: a kind of failure, never
    a text."""

    count: int
    reason: str


def _dead(actor: Actor) -> "QuerySet[PendingRestatement]":
    return PendingRestatement.objects.filter(
        organisation_id=actor.organisation_id, state=PendingState.DEAD
    )


def unanswered(actor: Actor) -> UnansweredTurns:
    """The turns that are not tried any more, as far as the asker reads them."""
    with resolve(actor).scope():
        found = _dead(actor).aggregate(count=Count("id"), reason=Max("reason"))
    return UnansweredTurns(found["count"], found["reason"] or "")


def ask_again(actor: Actor, *, now: datetime) -> int:
    """Queue all of them for the language model again. Returns how many."""
    with resolve(actor).scope():
        count = _dead(actor).update(state=PendingState.WAITING, attempts=0, leased_until=None)
        audit.record("restating.retried", actor=actor, now=now, count=count)
        hint_restating(actor.organisation_id)
    return count
