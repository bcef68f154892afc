"""Restatements, stored beside the verbatim text of a memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, Max, QuerySet

from memories.jobs.leases import RETRIED, PendingState, PendingWork
from memories.jobs.worker_hints import notify_restatement_worker
from memories.store.models.memory_part import MemoryPart
from orgs import audit
from orgs.principals import Actor, resolve_principal


class RestatementSource(models.TextChoices):
    """Who made a restatement: the rules or a language model."""

    RULES = "rules"
    LLM = "llm"


class Restatement(MemoryPart):
    """A memory with pronouns and relative dates resolved; it never replaces the memory's own words.

    `text` is empty if nothing had to be resolved. `entities`: [{name, type}]. `lent`: whether it
    uses other turns; then it is deleted when one of these is removed, or one of `shown`, the texts
    that a language model was shown. Every active memory that is not sensitive has a row once it was
    read. It is deleted with the memory's other parts when that is forgotten or edited, and made
    again.
    """

    text = models.TextField(blank=True, default="")
    keywords = ArrayField(models.CharField(max_length=100), default=list)
    persons = ArrayField(models.CharField(max_length=300), default=list)
    location = models.CharField(max_length=200, blank=True, default="")
    entities = models.JSONField(default=list)
    topic = models.CharField(max_length=300, blank=True, default="")
    source = models.CharField(
        max_length=5, choices=RestatementSource.choices, default=RestatementSource.RULES
    )
    lent = models.BooleanField(default=False)
    shown = ArrayField(models.UUIDField(), default=list)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "memory"], name="restatement_once"),
            models.CheckConstraint(
                condition=models.Q(source__in=RestatementSource.values),
                name="restatement_source_known",
            ),
        ]
        indexes = [
            models.Index(
                fields=["organisation", "audience"],
                condition=models.Q(source="llm"),
                name="restatement_by_llm",
            )
        ]

    def __str__(self) -> str:
        return f"restatement of memory {self.memory_id}"


class PendingRestatement(PendingWork):
    """A turn that waits for a language model, if one is configured."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory"], name="pending_restatement_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["organisation", "state", "created_at"], name="pending_restatement_queue"
            )
        ]


# Turns for which the language model never answered: count them for their readers, and ask again.


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
    return _settle_turns(actor, "restating.retried", RETRIED, now)


def drop_unanswered(actor: Actor, *, now: datetime) -> int:
    """Leave all of them with what the rules worked out. Returns how many."""
    return _settle_turns(actor, "restating.dropped", {"state": PendingState.DROPPED}, now)


def _settle_turns(actor: Actor, act: str, changes: Mapping[str, Any], now: datetime) -> int:
    with resolve_principal(actor).scope():
        count = _dead_turns(actor).update(**changes)
        audit.record_entry(act, actor=actor, now=now, count=count)
        notify_restatement_worker(actor.organisation_id)
    return count
