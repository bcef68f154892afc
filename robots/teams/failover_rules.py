"""When a robot of a team counts as silent, and which robot replaces it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRobotState:
    """A robot of a team. heard_at: its last heartbeat, or when it joined or became active."""

    id: UUID
    active: bool
    heard_at: datetime
    joined_at: datetime


def is_silent(heard_at: datetime, *, limit: timedelta, now: datetime) -> bool:
    """Whether the last heartbeat is `limit` or longer ago."""
    return now - heard_at >= limit


def select_replacements(
    mates: Sequence[TeamRobotState], *, limit: timedelta, now: datetime, waiting_too: bool
) -> list[tuple[UUID | None, UUID]]:
    """Pairs of ids (silent active robot, passive robot that replaces it).

    Each silent active robot is replaced by one passive robot: the one that joined first of those
    that are not silent. Without any active robot the first passive one becomes active, with None in
    place of the replaced one. waiting_too: silent passive robots are chosen as well, after the
    others.
    """
    fallen: list[UUID | None] = [
        mate.id
        for mate in _sorted_by_joining(mates, active=True)
        if is_silent(mate.heard_at, limit=limit, now=now)
    ]
    if not any(mate.active for mate in mates):
        fallen = [None]
    heard, silent = [], []
    for mate in _sorted_by_joining(mates, active=False):
        (silent if is_silent(mate.heard_at, limit=limit, now=now) else heard).append(mate.id)
    return list(zip(fallen, heard + silent if waiting_too else heard, strict=False))


def _sorted_by_joining(mates: Sequence[TeamRobotState], *, active: bool) -> list[TeamRobotState]:
    found = [mate for mate in mates if mate.active is active]
    return sorted(found, key=lambda mate: (mate.joined_at, mate.id))
