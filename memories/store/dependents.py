"""Propositions and summaries, and the memories that they were made from.

Call inside a scope that reads these. What becomes of them when their memory is archived, forgotten
or changed is decided in `memories.state.transitions`.
"""

from collections.abc import Sequence

from memories.store.models.choices import QuarantineGate, Status
from memories.store.models.memory import PROPOSITION_OF, Memory, MemoryQuerySet
from memories.store.models.version import Derivation, Version


def restored_status(memory: Memory) -> str:
    """The status of a withdrawn memory that comes back: quarantined, pending or active, as
    before."""
    if memory.held_for == QuarantineGate.POISON:
        return Status.QUARANTINED
    return Status.PENDING_REVIEW if memory.proposed_audience_id else Status.ACTIVE


# The fields that propositions share with their memory.
INHERITED_FIELDS = ("shareable", "expires_at", "valid_from", "valid_until")
# In a summary's `source`: how many memories it was made of. Its key is this and its own id, which
# no writer can know before the memory is there.
SUMMARY_SOURCE_COUNT = "summary_of"
SUMMARY_KEY_PREFIX = "summary:"


def is_proposition(memory: Memory) -> bool:
    """Whether it was taken from another memory as one fact of it."""
    return isinstance(memory.source, dict) and PROPOSITION_OF in memory.source


def is_summary(memory: Memory) -> bool:
    """Whether the worker made it to replace several memories."""
    return memory.key == f"{SUMMARY_KEY_PREFIX}{memory.id}"


def propositions_of(rows: Sequence[Memory]) -> MemoryQuerySet:
    """The propositions of these memories, whatever their state."""
    return derived_from(rows).filter(source__has_key=PROPOSITION_OF)


def summaries_of(rows: Sequence[Memory]) -> MemoryQuerySet:
    """The summaries of these memories, whatever their state."""
    return derived_from(rows).filter(key__startswith=SUMMARY_KEY_PREFIX)


def derived_from(rows: Sequence[Memory]) -> MemoryQuerySet:
    """Every memory that names one of these as its source, whatever its state."""
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
