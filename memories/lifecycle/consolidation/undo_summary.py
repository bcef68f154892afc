"""Restore the sources of a summary."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memories.access.memory_access import lock_changeable_memory, record_memory_audit
from memories.access.permissions import ChangeForbiddenError, may_forget
from memories.indexing import search_index
from memories.jobs.worker_hints import notify_embedding_worker
from memories.store.dependents import is_summary, restore_propositions, sources_of
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.restore_status import RESTORED_FIELDS, mark_restored
from orgs.errors import AlreadyExistsError
from orgs.models.organisations import Organisation
from orgs.principals import Actor, resolve_principal


def undo_summary(actor: Actor, summary_id: UUID, *, now: datetime) -> int:
    """Make the sources of a summary active again, and archive the summary.

    Only sources that are archived since then are restored; those that somebody forgot, or restored
    and archived again, stay as they are. A worker does not summarise these again. Returns how many
    were restored. Raises NotFoundError, ChangeForbiddenError, and AlreadyExistsError for a memory
    that is no active summary.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        summary = lock_changeable_memory(principal, summary_id)
        if not may_forget(principal, summary):
            raise ChangeForbiddenError("You may read this memory, but it is not yours to undo.")
        if not is_summary(summary) or summary.status != Status.ACTIVE:
            raise AlreadyExistsError(
                "This is no summary in use, so there is nothing to bring back."
            )
        if summary.red_line:
            raise AlreadyExistsError("This summary is protected. Take the protection off first.")
        back = restore_archived(
            list(
                sources_of(summary)
                .filter(
                    status=Status.ARCHIVED,
                    archived_at=summary.created_at,
                    audience_id=summary.audience_id,
                )
                .select_for_update(of=("self",))
                .order_by("id")
            ),
            now,
        )
        summary.status, summary.archived_at, summary.updated_at = Status.ARCHIVED, now, now
        summary.save(update_fields=["status", "archived_at", "updated_at"])
        search_index.unindex_memories([summary], now, archived=True)
        record_memory_audit(principal, "memory.summary_undone", summary, now, restored=len(back))
    return len(back)


def restore_archived(rows: Sequence[Memory], now: datetime) -> list[Memory]:
    """Make locked archived memories active and index them, with the propositions that were archived
    with them."""
    if not rows:
        return []
    followers = []
    for row in rows:
        followers += restore_propositions(row, row.archived_at or now, now)
        mark_restored(row, Status.ACTIVE, now)
    Memory.objects.bulk_update(rows, RESTORED_FIELDS)
    organisation = Organisation.objects.get(id=rows[0].organisation_id)
    search_index.index_memories([*rows, *followers], organisation=organisation, now=now)
    notify_embedding_worker(organisation.id)
    return list(rows)
