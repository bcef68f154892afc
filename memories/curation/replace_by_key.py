"""Remember, or edit what has the key already."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.audience_labels import memory_audience_label
from memories.access.permissions import ChangeForbiddenError, RedLineError, get_readable_memory
from memories.curation.edit_memory import edit_memory
from memories.indexing.models import embedding_state
from memories.ingestion.drafts import Draft, DraftRefusal, RememberOutcome, RememberResult
from memories.ingestion.remember import REFUSAL_ERRORS, KeyConflictError, remember_many
from memories.review.models import Proposal
from memories.safety.gate_refusals import GateRefusedError
from memories.state.supersede_memory import SUPERSEDES
from memories.store.encryption.texts import EncryptedTextError
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor

# What an edit raises beside what a remember refuses for.
REPLACE_ERRORS = (
    AlreadyExistsError,
    ChangeForbiddenError,
    EncryptedTextError,
    GateRefusedError,
    RedLineError,
)


def remember_or_replace(
    actor: Actor,
    drafts: Sequence[Draft],
    replacements: Sequence[Mapping[str, Any] | None],
    *,
    now: datetime,
) -> list[RememberOutcome]:
    """Remember drafts. Where the key of a draft with a replacement names a memory for the same
    readers, that one is edited instead, by the rules of `edit_memory`: another text, or the same
    with other fields. A forgotten one is not: its key stays taken.

    replacements: by draft the changes, as `edit_memory` takes them, or None.
    """
    outcomes = remember_many(actor, drafts, now=now)
    for index, changes in enumerate(replacements):
        if changes is None:
            continue
        if _is_key_conflict(outcomes[index]):
            # Again: an earlier draft of the same call may have written or changed what has the key.
            outcomes[index] = remember_many(actor, [drafts[index]], now=now)[0]
        if existing := _has_key(outcomes[index], drafts[index], changes):
            outcomes[index] = _replace(
                actor, drafts[index], outcomes[index], existing, changes, now
            )
    return outcomes


def _is_key_conflict(outcome: RememberOutcome) -> bool:
    return isinstance(outcome, DraftRefusal) and isinstance(outcome.error, KeyConflictError)


def _has_key(outcome: RememberOutcome, draft: Draft, changes: Mapping[str, Any]) -> UUID | None:
    """The id of the memory that is to be edited in place of a draft; None for none."""
    if isinstance(outcome, DraftRefusal):
        return outcome.error.existing if isinstance(outcome.error, KeyConflictError) else None
    # The same text: what is left to change are its other fields.
    if draft.key is not None and outcome.deduplicated and changes.keys() - {"content"}:
        return outcome.id
    return None


def _replace(
    actor: Actor,
    draft: Draft,
    outcome: RememberOutcome,
    existing: UUID,
    changes: Mapping[str, Any],
    now: datetime,
) -> RememberOutcome:
    """The result of the edit; the outcome as it is where there is nothing to edit."""
    try:
        writer = resolve_actor(actor, member=draft.member, group=draft.group)
        principal = resolve_principal(writer)
        with principal.scope():
            before = get_readable_memory(principal, existing)
        if before.key != draft.key or before.status == Status.FORGOTTEN:
            return outcome
        edited = edit_memory(writer, existing, changes, now=now)
    except NotFoundError:
        return outcome
    except (*REFUSAL_ERRORS, *REPLACE_ERRORS) as error:
        return DraftRefusal(error)
    waits = isinstance(edited, Proposal)
    shown = changes.keys() - {SUPERSEDES}
    with principal.scope():
        memory = get_readable_memory(principal, existing)
        if not waits and all(getattr(memory, n) == getattr(before, n) for n in shown):
            return outcome
        older = Memory.objects.filter(
            organisation_id=memory.organisation_id,
            id__in=changes.get(SUPERSEDES, ()),
            superseded_by_id=memory.id,
        )
        superseded = tuple(older.values_list("id", flat=True))
        embedding = embedding_state(memory)
    return RememberResult(
        id=memory.id,
        status=Status.PENDING_REVIEW if waits else memory.status,
        audience_kind=memory.audience.kind,
        audience_id=memory.audience_id,
        audience_label=memory_audience_label(memory),
        remember_count=memory.remember_count,
        embedding=embedding,
        replaced=not waits,
        superseded=superseded,
        waiting=(edited.id,) if isinstance(edited, Proposal) else (),
    )
