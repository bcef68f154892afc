"""When a base backup is due, and what is no longer needed. Pure rules: no clock, no files."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from config.archive.catalogue import FULL, INCREMENTAL, BaseBackup, find_chain

# A clock that was corrected may leave a backup in the future; a far one must not stop the next.
MAX_AHEAD = timedelta(hours=2)


def choose_due_backup(
    bases: Sequence[BaseBackup],
    now: datetime,
    *,
    base_every: timedelta,
    full_every: timedelta,
) -> str | None:
    """FULL, INCREMENTAL, or None if none is due. bases: those of the series, in order."""
    if not bases or find_chain(bases, bases[-1]) is None:
        return FULL
    last_full = [base for base in bases if base.kind == FULL][-1]
    if _is_due(last_full.begun_at, now, full_every):
        return FULL
    return INCREMENTAL if _is_due(bases[-1].begun_at, now, base_every) else None


def _is_due(before: datetime, now: datetime, every: timedelta) -> bool:
    return now - before >= every or before - now > MAX_AHEAD


def list_needed_bases(
    bases: Sequence[BaseBackup],
    usable: Sequence[BaseBackup],
    reference: datetime,
    keep: timedelta,
) -> list[BaseBackup]:
    """Those that a moment within `keep` before the reference needs, with their chains.

    The oldest of them is the last usable one that ended before the window, as its moments begin
    there. usable: those from which something can be restored, of `Series.usable_bases`. While the
    log is not archived, one of the others must not take the place of the last that is usable.
    """
    older = [base for base in usable if base.ended_at <= reference - keep]
    first = older[-1].start_lsn if older else 0
    needed: set[str] = set()
    for base in bases:
        if base.start_lsn >= first:
            chain = find_chain(bases, base) or [base]
            needed |= {one.id for one in chain}
    return [base for base in bases if base.id in needed]


def first_needed_segment(usable: Sequence[BaseBackup], reference: datetime, keep: timedelta) -> int:
    """The number of the oldest segment that such a moment needs; 0 if all are needed."""
    older = [base for base in usable if base.ended_at <= reference - keep]
    return older[-1].first_segment if older else 0


def retention_reference(
    bases: Sequence[BaseBackup], now: datetime, base_every: timedelta
) -> datetime:
    """From when the window counts back: now, but at most the end of the newest base backup, and
    at most twice `base_every` after the one before it.

    So nothing is deleted while no base backups are made, nor because one was made while the clock
    was wrong.
    """
    if not bases:
        return datetime.min.replace(tzinfo=now.tzinfo)
    ends = [base.ended_at for base in bases]
    before = ends[-2] + 2 * base_every if len(ends) > 1 else ends[-1]
    return min(now, ends[-1], before)
