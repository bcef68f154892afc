"""Empty the trash: erase memories that were forgotten long ago, as far as the asker may."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.access.permissions import may_erase_q, red_line_allows_q
from memories.privacy.erase_memory import erase_rows, without_protected_derived
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.errors import ConfirmationError
from orgs.principals import Actor, Principal, resolve_principal

# The most memories of one transaction, and of one call.
BATCH_SIZE, MAX_MEMORIES = 100, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeResult:
    """memories: how many were erased, or would be. more: whether others are left."""

    memories: int
    more: bool
    dry_run: bool


def purge_trash(
    actor: Actor,
    *,
    older_than: datetime,
    confirm: bool,
    now: datetime,
    dry_run: bool = False,
) -> PurgeResult:
    """Erase memories that were forgotten before a time and that the asker may erase, at most MOST.

    Protected memories stay with their sources, unless they are the asker's own. Each batch is a
    transaction, so a call that breaks off keeps what it did. Raises ConfirmationError, with the
    number of memories, if `confirm` is False.
    """
    principal = resolve_principal(actor)
    if dry_run or not confirm:
        with principal.scope():
            found = _purgeable(principal, older_than).count()
        if dry_run:
            return PurgeResult(
                memories=min(found, MAX_MEMORIES), more=found > MAX_MEMORIES, dry_run=True
            )
        raise ConfirmationError(
            f"{found:,} memories in the trash would be erased for good. Send `confirm`: true to "
            "erase them. Nothing was erased."
        )
    gone, last = 0, UUID(int=0)
    while gone < MAX_MEMORIES:
        erased, after = _erase_batch(actor, older_than, last, now)
        if after is None:
            break
        gone, last = gone + erased, after
    with principal.scope():
        more = _purgeable(principal, older_than).filter(id__gt=last).exists()
    return PurgeResult(memories=gone, more=more, dry_run=False)


def _erase_batch(
    actor: Actor, older_than: datetime, after: UUID, now: datetime
) -> tuple[int, UUID | None]:
    """Erase the batch after an id. Returns (how many were erased, the last id of the batch or None
    if it was empty)."""
    # Resolved again: rights may have changed since the last batch.
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _purgeable(principal, older_than).select_for_update(of=("self",)).with_names()
        batch = list(rows.filter(id__gt=after).order_by("id")[:BATCH_SIZE])
        if batch and (may := without_protected_derived(principal, batch)):
            erase_rows(principal, may, now)
    return (len(may), batch[-1].id) if batch else (0, None)


def _purgeable(principal: Principal, older_than: datetime) -> MemoryQuerySet:
    return Memory.objects.filter(
        may_erase_q(principal.actor),
        red_line_allows_q(principal.actor),
        organisation_id=principal.organisation_id,
        status=Status.FORGOTTEN,
        forgotten_at__lt=older_than,
    )
