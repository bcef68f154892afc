"""Suggested lessons: curators look at them, and accept or reject each once.

An accepted lesson is written into the other persona's block in the name of whoever accepts it,
through the gates and within the limit, with the lesson as its source. From then on the readers of
that persona read it; before, only those of the first persona did.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memories.access.visibility import MemoryRequestError
from memories.ingestion.drafts import RememberResult
from memories.state.supersede_memory import holds_q
from memories.store.lineage import add_sources, to_source_memory
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.expiry import not_expired_q
from orgs.models.audiences import AudienceType
from orgs.principals import Actor, Principal, resolve_principal
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.blocks.entries import entry_memories
from personas.blocks.layers import normalise_line
from personas.models.blocks import Block, Layer
from personas.models.personas import Persona
from personas.models.suggestions import Suggestion, SuggestionState

CURATORS_ONLY = "Only curators and admins see and decide what is suggested to personas."
# The key in an entry's source for the handle of the persona that it comes from.
SOURCE_HANDLE_KEY = "suggested_from"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedLesson:
    """id: of the suggestion. text: of the lesson as it is now. origin: the handle of the persona
    that learned it; persona: of the one to whom it is suggested. learner: the first one, None where
    it is gone; of: the second. made: the entry there."""

    id: UUID
    text: str
    origin: str
    persona: str
    learner: Persona | None
    of: Persona
    memory_id: UUID
    state: str
    suggested_at: datetime
    decided_at: datetime | None
    made: UUID | None


@dataclass(frozen=True, slots=True)
class AcceptedSuggestion:
    """entry: what became of it in the other persona's block; a gate may hold it back."""

    lesson: SuggestedLesson
    entry: RememberResult


def list_suggestions(
    actor: Actor,
    *,
    now: datetime,
    limit: int,
    state: str | None = SuggestionState.OPEN,
    persona: str | None = None,
    before: UUID | None = None,
) -> tuple[list[SuggestedLesson], UUID | None]:
    """A page of suggestions, the newest first, and the id after which the next one begins.

    state: None for all. Open suggestions are shown only while their lesson is valid. persona: a
    handle. Raises PermissionError for others than curators.
    """
    principal = _require_curator(actor)
    with principal.scope():
        rows = _visible_suggestions(principal, now)
        if state:
            rows = rows.filter(state=state)
        if persona:
            rows = rows.filter(persona__handle=persona)
        if before:
            rows = rows.filter(id__lt=before)
        found = list(rows.order_by("-id")[: limit + 1])
        lessons = _build_lessons(principal, found[:limit])
    return lessons, found[limit - 1].id if len(found) > limit else None


def accept_suggestion(actor: Actor, suggestion_id: UUID, *, now: datetime) -> AcceptedSuggestion:
    """Write the lesson into the block of the persona to whom it is suggested.

    Raises PermissionError, NotFoundError, AlreadyExistsError if it was decided, MemoryRequestError
    for a lesson that is not valid any more, and what `add_entry` raises, such as BlockTooLongError.
    """
    principal = _require_curator(actor)
    with principal.scope():
        row = _lock_open_suggestion(principal, suggestion_id, now)
        lesson = entry_memories(principal.organisation_id, now).filter(id=row.memory_id).first()
        if lesson is None:
            raise MemoryRequestError("The lesson does not hold any more. Reject it.")
        block = Block.objects.get(
            organisation_id=principal.organisation_id,
            layer=Layer.SHARED,
            persona_id=row.persona_id,
        )
        wanted = WriteOptions(
            source={
                SOURCE_HANDLE_KEY: _personas_by_audience(principal, [row])[row.audience_id].handle
            }
        )
        entry = add_entry(
            actor, block.id, normalise_line(lesson.content), wanted=wanted, now=now
        ).entry
        assert entry is not None  # noqa: S101 - for the type checker
        _add_source(actor, entry.id, lesson, now)
        row.made_id = entry.id
        _record_decision(principal, row, SuggestionState.ACCEPTED, now, made=str(entry.id))
        return AcceptedSuggestion(_build_lessons(principal, [row])[0], entry)


def reject_suggestion(actor: Actor, suggestion_id: UUID, *, now: datetime) -> SuggestedLesson:
    """Leave the lesson where it is; it is not suggested to that persona again.

    Raises PermissionError, NotFoundError, and AlreadyExistsError once it is decided.
    """
    principal = _require_curator(actor)
    with principal.scope():
        row = _lock_open_suggestion(principal, suggestion_id, now)
        _record_decision(principal, row, SuggestionState.REJECTED, now)
        return _build_lessons(principal, [row])[0]


def _require_curator(actor: Actor) -> Principal:
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY)
    return resolve_principal(actor)


def _visible_suggestions(principal: Principal, now: datetime) -> "QuerySet[Suggestion]":
    """The suggestions that the asker reads, without lessons that were forgotten or moved."""
    holds = Q(memory__status=Status.ACTIVE, memory__sensitive=False)
    holds &= not_expired_q(now, "memory__")
    holds &= holds_q(now, "memory__")
    rows = Suggestion.objects.filter(
        holds | ~Q(state=SuggestionState.OPEN),
        organisation_id=principal.organisation_id,
        audience__kind=AudienceType.PERSONA,
        memory__sensitive=False,
    )
    return rows.exclude(memory__status=Status.FORGOTTEN).select_related("memory", "persona")


def _lock_open_suggestion(principal: Principal, suggestion_id: UUID, now: datetime) -> Suggestion:
    """An undecided suggestion, locked. Raises NotFoundError, and AlreadyExistsError if it was
    decided."""
    rows = _visible_suggestions(principal, now).filter(id=suggestion_id)
    row = rows.select_for_update(of=("self",)).first()
    if row is None:
        raise NotFoundError("no such suggestion")
    if row.state != SuggestionState.OPEN:
        raise AlreadyExistsError(f"It was {row.state} already. Nothing was changed.")
    return row


def _personas_by_audience(principal: Principal, rows: Sequence[Suggestion]) -> dict[UUID, Persona]:
    """The persona of each audience."""
    personas = Persona.objects.filter(organisation_id=principal.organisation_id)
    known = {str(one.id): one for one in personas.only("handle", "industry", "role")}
    wanted = {row.audience_id for row in rows}
    return {
        id_: known[key]
        for (kind, key), id_ in principal.named.items()
        if kind == AudienceType.PERSONA and id_ in wanted and key in known
    }


def _build_lessons(principal: Principal, rows: Sequence[Suggestion]) -> list[SuggestedLesson]:
    origins = _personas_by_audience(principal, rows)
    return [
        SuggestedLesson(
            id=row.id,
            text=normalise_line(row.memory.content),
            origin=learner.handle if learner else "",
            persona=row.persona.handle,
            learner=learner,
            of=row.persona,
            memory_id=row.memory_id,
            state=row.state,
            suggested_at=row.suggested_at,
            decided_at=row.decided_at,
            made=row.made_id,
        )
        for row in rows
        for learner in [origins.get(row.audience_id)]
    ]


def _add_source(actor: Actor, made: UUID, lesson: Memory, now: datetime) -> None:
    """Note the lesson as a source of the new entry, so that an erasure finds both.

    If a gate holds the entry back, its audience is new, so the rights are resolved again.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        row = Memory.objects.filter(organisation_id=principal.organisation_id, id=made).first()
        if row is not None and row.id != lesson.id:
            add_sources([row], {row.id: [to_source_memory(lesson)]}, now)


def _record_decision(
    principal: Principal, row: Suggestion, state: SuggestionState, now: datetime, **detail: Any
) -> None:
    actor = principal.actor
    row.state, row.decided_by_id, row.decided_at = state, actor.member_id, now
    row.save(update_fields=["state", "decided_by", "decided_at", "made"])
    audit.record_entry(
        f"suggestion.{state}",
        actor=actor,
        now=now,
        target=row.persona_id,
        target_type="persona",
        suggestion=str(row.id),
        lesson=str(row.memory_id),
        **detail,
    )
