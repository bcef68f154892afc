"""The parts of a decision as rows: bound to its memory, copied with it, withdrawn by the members
named in them."""

from typing import Any
from uuid import UUID

from django.db import models

from memories.curation.decision_records.models import Claim, Debate, Decision, Dissent, Participant
from memories.curation.decision_records.voice_attribution import Attribution
from memories.store.models.memory import Memory
from orgs.database.bulk_insert import insert_rows
from orgs.models.base import id_like
from orgs.principals import Principal

_ATTRIBUTED_MODELS: tuple[type[Participant | Claim | Dissent], ...] = (Participant, Claim, Dissent)


def part_columns(memory: Memory) -> dict[str, Any]:
    """The columns that bind a part to its memory."""
    return {
        "organisation_id": memory.organisation_id,
        "memory_id": memory.id,
        "audience_id": memory.audience_id,
        "kind": memory.kind,
    }


def attribution_columns(voice: Attribution) -> dict[str, Any]:
    """The columns that name a voice."""
    return {"name": voice.name, "member_id": voice.member_id, "robot_id": voice.robot_id}


def is_decision(memory: Memory) -> bool:
    """Whether the memory is a decision; in its readers' scope, and without a statement where the
    decision was selected with it."""
    if Memory.decision.is_cached(memory):
        return hasattr(memory, "decision")
    here = {"organisation_id": memory.organisation_id, "memory_id": memory.id}
    return Decision.objects.filter(**here).exists()


def words_of_record(memory: Memory, *, of_robots: bool) -> tuple[list[str], list[str]]:
    """(texts, names that nobody here has) in the record of a decision; empty for any other memory.
    In its readers' scope.

    of_robots: only what robots wrote.
    """
    here = {"organisation_id": memory.organisation_id, "memory_id": memory.id}
    record = Decision.objects.filter(**here).first()
    if record is None:
        return [], []
    dissents = list(Dissent.objects.filter(**here))
    noted = [one for one in dissents if not of_robots or one.noted_by_robot_id]
    answered = [one for one in dissents if not of_robots or one.answered_by_robot_id]
    texts = [text for one in noted for text in (one.content, one.reasoning)]
    texts += [one.rebuttal for one in answered]
    named: list[Participant | Claim | Dissent] = [*noted]
    # Who recorded the decision wrote its claims and names.
    if not of_robots or memory.author_id is None:
        claims = list(Claim.objects.filter(**here))
        texts += [one.text for one in claims]
        named += [*claims, *Participant.objects.filter(**here)]
    names = [one.name for one in named if not (one.member_id or one.robot_id)]
    return texts, [record.domain, *names]


def list_named_members(memory: Memory) -> set[UUID]:
    """The ids of members in the record of a decision; empty for any other memory. In its readers'
    scope."""
    here = {"organisation_id": memory.organisation_id, "memory_id": memory.id}
    named: set[UUID] = set()
    if not is_decision(memory):
        return named
    for model in _ATTRIBUTED_MODELS:
        rows = model._default_manager.filter(**here, member__isnull=False)
        named |= set(rows.values_list("member_id", flat=True))
    return named


def copy_record(source: Memory, made: UUID) -> None:
    """Copy the record of a decision to a copy of its memory; nothing happens if the source is no
    decision.

    Call in a scope that reads both.
    """
    here = {"organisation_id": source.organisation_id, "memory_id": source.id}
    record = Decision.objects.filter(**here).first()
    copied = Memory.objects.filter(organisation_id=source.organisation_id, id=made).first()
    if record is None or copied is None:
        return
    insert_rows([_bind_to(record, copied)])
    for model in _ATTRIBUTED_MODELS:
        rows = list(model._default_manager.filter(**here).order_by("position", "id"))
        for row in rows:
            row.id = id_like(made, copied.created_at)
        insert_rows([_bind_to(row, copied) for row in rows])


def _bind_to(row: models.Model, memory: Memory) -> models.Model:
    for name, value in part_columns(memory).items():
        setattr(row, name, value)
    return row


def delete_own_parts(principal: Principal) -> int:
    """Delete the asker's rows in all records that they read, and their debates.

    Call in their scope. Returns how many rows of records were deleted.
    """
    mine = {
        "organisation_id": principal.organisation_id,
        "member_id": principal.actor.member_id,
    }
    Debate.objects.filter(**mine).delete()
    return sum(model._default_manager.filter(**mine).delete()[0] for model in _ATTRIBUTED_MODELS)
