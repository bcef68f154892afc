"""Restore the sources of a summary."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memories.access.lookup import changeable, note
from memories.access.permissions import NotYours, may_forget
from memories.indexing import index
from memories.jobs.hints import hint_embedding
from memories.store.dependents import bring_along, is_summary, sources
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.status import COMES_BACK, come_back
from orgs.errors import AlreadyExists
from orgs.models.organisations import Organisation
from orgs.principals import Actor, resolve


def undo_summary(actor: Actor, summary_id: UUID, *, now: datetime) -> int:
    """Make the sources of a summary active again, and archive the summary.

    Only sources that are archived since then are restored; those that somebody forgot, or restored
    and archived again, stay as they are. A worker does not summarise these again. Returns how many
    were restored. Raises NotFound, NotYours, and AlreadyExists for a memory that is no active
    summary.
    """
    principal = resolve(actor)
    with principal.scope():
        summary = changeable(principal, summary_id)
        if not may_forget(principal, summary):
            raise NotYours("You may read this memory, but it is not yours to undo.")
        if not is_summary(summary) or summary.status != Status.ACTIVE:
            raise AlreadyExists("This is no summary in use, so there is nothing to bring back.")
        if summary.red_line:
            raise AlreadyExists("This summary is protected. Take the protection off first.")
        back = bring_back(
            list(
                sources(summary)
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
        index.unindex([summary], now, archived=True)
        note(principal, "memory.summary_undone", summary, now, restored=len(back))
    return len(back)


def bring_back(rows: Sequence[Memory], now: datetime) -> list[Memory]:
    """Make locked archived memories active and index them, with the propositions that were archived
    with them."""
    if not rows:
        return []
    followers = []
    for row in rows:
        followers += bring_along(row, row.archived_at or now, now)
        come_back(row, Status.ACTIVE, now)
    Memory.objects.bulk_update(rows, COMES_BACK)
    organisation = Organisation.objects.get(id=rows[0].organisation_id)
    index.index([*rows, *followers], organisation=organisation, now=now)
    hint_embedding(organisation.id)
    return list(rows)
