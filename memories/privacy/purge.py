"""Empty the trash: erase memories that were forgotten long ago, as far as the asker may."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import erasable
from memories.access.red_lines import unheld
from memories.privacy.erase import NotConfirmed, erase_rows, without_held
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.principals import Actor, Principal, resolve

# The most memories of one transaction, and of one call.
BATCH, MOST = 100, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """memories: how many were erased, or would be. more: whether others are left."""

    memories: int
    more: bool
    dry_run: bool


def purge_deleted(
    actor: Actor,
    *,
    older_than: datetime,
    confirm: bool,
    now: datetime,
    dry_run: bool = False,
) -> Purged:
    """Erase memories that were forgotten before a time and that the asker may erase, at most MOST.

    Protected memories stay with their sources, unless they are the asker's own. Each batch is a
    transaction, so a call that breaks off keeps what it did. Raises NotConfirmed, with the number
    of memories, if `confirm` is False.
    """
    principal = resolve(actor)
    if dry_run or not confirm:
        with principal.scope():
            found = _due(principal, older_than).count()
        if dry_run:
            return Purged(memories=min(found, MOST), more=found > MOST, dry_run=True)
        raise NotConfirmed(
            f"{found:,} memories in the trash would be erased for good. Send `confirm`: true to "
            "erase them. Nothing was erased."
        )
    gone, last = 0, UUID(int=0)
    while gone < MOST:
        erased, after = _erase_some(actor, older_than, last, now)
        if after is None:
            break
        gone, last = gone + erased, after
    with principal.scope():
        more = _due(principal, older_than).filter(id__gt=last).exists()
    return Purged(memories=gone, more=more, dry_run=False)


def _erase_some(
    actor: Actor, older_than: datetime, after: UUID, now: datetime
) -> tuple[int, UUID | None]:
    """Erase the batch after an id. Returns (how many were erased, the last id of the batch or None
    if it was empty)."""
    # Resolved again: rights may have changed since the last batch.
    principal = resolve(actor)
    with principal.scope():
        rows = _due(principal, older_than).select_for_update(of=("self",)).with_names()
        batch = list(rows.filter(id__gt=after).order_by("id")[:BATCH])
        if batch and (may := without_held(principal, batch)):
            erase_rows(principal, may, now)
    return (len(may), batch[-1].id) if batch else (0, None)


def _due(principal: Principal, older_than: datetime) -> MemoryQuerySet:
    return Memory.objects.filter(
        erasable(principal.actor),
        unheld(principal.actor),
        organisation_id=principal.organisation_id,
        status=Status.FORGOTTEN,
        forgotten_at__lt=older_than,
    )
