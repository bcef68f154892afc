"""Propositions and summaries follow the memories that they were made from.

Call inside a scope that reads these. The rule: what was derived from a text is forgotten when the
text may no longer be shown. A proposition goes also when its memory is archived, and comes back
with it. A summary stays then, because it replaces the archived memories. A forgotten summary does
not come back with its sources.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from memories.store.models.choices import QuarantineGate, Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.models.version import Derivation, Version

# How a memory that was forgotten or archived comes back.


def restored_status(memory: Memory) -> str:
    """The status of a withdrawn memory that comes back: quarantined, pending or active, as
    before."""
    if memory.held_for == QuarantineGate.POISON:
        return Status.QUARANTINED
    return Status.PENDING_REVIEW if memory.proposed_audience_id else Status.ACTIVE


# What `mark_restored` changes.
RESTORED_FIELDS = (
    *("status", "forgotten_at", "forgotten_by_subject", "archived_at", "archived_for"),
    *("restored_at", "updated_at"),
)


def mark_restored(memory: Memory, status: str, now: datetime) -> None:
    """Give the row this status, with no trace of why it was away; the caller saves and indexes
    it."""
    memory.status, memory.forgotten_at, memory.archived_at = status, None, None
    memory.forgotten_by_subject, memory.archived_for = False, ""
    memory.restored_at = memory.updated_at = now


# In a memory's `source`: the id of the one that it is a proposition of.
PROPOSITION_OF = "proposition_of"
# The fields that propositions share with their memory.
INHERITED_FIELDS = ("shareable", "expires_at", "valid_until")
# In a summary's `source`: how many memories it was made of. Its key is this and its own id, which
# no writer can know before the memory is there.
SUMMARY_SOURCE_COUNT = "summary_of"
SUMMARY_KEY_PREFIX = "summary:"
_FORGOTTEN_FIELDS = ("status", "forgotten_at", "updated_at", "forgotten_by_subject")


def is_proposition(memory: Memory) -> bool:
    """Whether it was taken from another memory as one fact of it."""
    return isinstance(memory.source, dict) and PROPOSITION_OF in memory.source


def is_summary(memory: Memory) -> bool:
    """Whether the worker made it to replace several memories."""
    return memory.key == f"{SUMMARY_KEY_PREFIX}{memory.id}"


def propositions_of(rows: Sequence[Memory]) -> MemoryQuerySet:
    """The propositions of these memories, whatever their state."""
    return _derived_from(rows).filter(source__has_key=PROPOSITION_OF)


def summaries_of(rows: Sequence[Memory]) -> MemoryQuerySet:
    """The summaries of these memories, whatever their state."""
    return _derived_from(rows).filter(key__startswith=SUMMARY_KEY_PREFIX)


def _derived_from(rows: Sequence[Memory]) -> MemoryQuerySet:
    organisation_id = rows[0].organisation_id
    links = Derivation.objects.filter(
        organisation_id=organisation_id, source_id__in=[row.id for row in rows]
    )
    return Memory.objects.filter(organisation_id=organisation_id, id__in=links.values("memory_id"))


def sources_of(summary: Memory) -> MemoryQuerySet:
    """What a summary was made of, whatever its state."""
    links = Derivation.objects.filter(organisation_id=summary.organisation_id, memory_id=summary.id)
    return Memory.objects.filter(
        organisation_id=summary.organisation_id, id__in=links.values("source_id")
    )


def is_summary_current(summary: Memory) -> bool:
    """Whether all sources of a summary are there, unchanged and with the same readers."""
    rows = sources_of(summary)
    there = rows.filter(
        audience_id=summary.audience_id, status__in=(Status.ACTIVE, Status.ARCHIVED)
    )
    changed = Version.objects.filter(
        organisation_id=summary.organisation_id,
        memory_id__in=rows.values("id"),
        replaced_at__gte=summary.created_at,
    )
    return there.count() == summary.source.get(SUMMARY_SOURCE_COUNT) and not changed.exists()


def update_dependents(memory: Memory, changed: Mapping[str, Any]) -> None:
    """Propositions expire with their memory and have no more readers than it; summaries neither
    last longer nor have more readers than any of their sources."""
    new = {name: value for name, value in changed.items() if name in INHERITED_FIELDS}
    if new:
        propositions_of([memory]).update(**new)
        _restrict_summaries([memory], new)


def _restrict_summaries(rows: Sequence[Memory], new: Mapping[str, Any]) -> None:
    made = list(summaries_of(rows).select_for_update().order_by("id"))
    if not made:
        return
    for row in made:
        row.shareable = row.shareable and new.get("shareable", True)
        ends = [end for end in (row.expires_at, new.get("expires_at")) if end]
        row.expires_at = min(ends, default=None)
    Memory.objects.bulk_update(made, INHERITED_FIELDS)
    _restrict_summaries(made, new)


def forget_dependents(
    rows: Sequence[Memory], now: datetime, *, by_subject: bool, archived: bool = False
) -> list[Memory]:
    """Forget what was derived from removed memories; the caller removes it from the search.

    archived: the memories leave only recall, so their summaries stay. Otherwise archived ones are
    forgotten as well, because they hold the same words.
    """
    mine = Q(status=Status.ACTIVE, source__has_key=PROPOSITION_OF)
    if not archived:
        said = Q(source__has_key=PROPOSITION_OF) | Q(key__startswith=SUMMARY_KEY_PREFIX)
        mine = said & Q(status__in=(Status.ACTIVE, Status.ARCHIVED))
    gone = list(_derived_from(rows).filter(mine).select_for_update().order_by("id"))
    for row in gone:
        row.status, row.forgotten_at, row.updated_at = Status.FORGOTTEN, now, now
        row.forgotten_by_subject = by_subject
    Memory.objects.bulk_update(gone, _FORGOTTEN_FIELDS)
    return gone


def restore_propositions(memory: Memory, went_at: datetime, now: datetime) -> list[Memory]:
    """The propositions that went together with a memory, active again and still to be indexed."""
    back = list(
        propositions_of([memory])
        .filter(status=Status.FORGOTTEN, forgotten_at=went_at, audience_id=memory.audience_id)
        .select_for_update()
        .order_by("id")
    )
    for row in back:
        mark_restored(row, Status.ACTIVE, now)
    Memory.objects.bulk_update(back, RESTORED_FIELDS)
    return back
