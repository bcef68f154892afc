"""When a robot of a team counts as silent, and who takes the place of one that does. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Mate:
    """A robot of a team. heard_at: its last heartbeat, or when it joined or became active."""

    id: UUID
    active: bool
    heard_at: datetime
    joined_at: datetime


def is_silent(heard_at: datetime, *, limit: timedelta, now: datetime) -> bool:
    """Whether nothing was heard for `limit` or longer."""
    return now - heard_at >= limit


def successors(
    mates: Sequence[Mate], *, limit: timedelta, now: datetime, waiting_too: bool
) -> list[tuple[UUID | None, UUID]]:
    """Who takes whose place, as (silent active robot, passive robot).

    Each silent active robot gives its place to one passive robot, the first by joining of those
    that are heard. Without any active robot the first passive one leads, in nobody's place (None).
    waiting_too: passive robots that are silent come after the others; otherwise they stay passive.
    """
    fallen: list[UUID | None] = [
        mate.id
        for mate in _by_joining(mates, active=True)
        if is_silent(mate.heard_at, limit=limit, now=now)
    ]
    if not any(mate.active for mate in mates):
        fallen = [None]
    heard, silent = [], []
    for mate in _by_joining(mates, active=False):
        (silent if is_silent(mate.heard_at, limit=limit, now=now) else heard).append(mate.id)
    return list(zip(fallen, heard + silent if waiting_too else heard, strict=False))


def _by_joining(mates: Sequence[Mate], *, active: bool) -> list[Mate]:
    found = [mate for mate in mates if mate.active is active]
    return sorted(found, key=lambda mate: (mate.joined_at, mate.id))
