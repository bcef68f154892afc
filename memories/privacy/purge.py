"""Empty the trash: erase for good what was forgotten long ago, as far as the asker may."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import erasable
from memories.access.red_lines import unheld
from memories.privacy.erase import NotConfirmed, erase_rows, without_held
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.principals import Actor, Principal, resolve

# Memories of one transaction, and of one call.
BATCH, MOST = 100, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """memories: how many of the trash are erased, or would be. more: whether others are left."""

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
    """Erase what was forgotten before a moment and the asker may erase, at most MOST a call.

    What is protected stays, unless it is the asker's own, and what it was made of. A batch
    is a transaction, so a call that breaks off keeps what it did. Raises NotConfirmed, which says
    how many it would be.
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
    """How many went of the batch after an id, and the batch's last id; None where it is empty."""
    # Resolved anew: rights may have gone since the last batch.
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
