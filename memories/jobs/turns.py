"""Turns: an organisation with much work lets the others have theirs.

Hints stand in one queue, first come, first served. An organisation that writes all day would have
a hint there for each second, and whoever writes one thing would wait behind all of them. So each
organisation has at most MAX_TURNS runs of a kind, running or queued: a run works for a short time,
and if something is left, its turn stands at the end of the queue again. Any further hint is
dropped; the runs that there are find its rows. Turns are kept in Valkey and end by themselves, so
one of a killed worker is not missed for long.
"""

from uuid import UUID

from django.core.cache import cache

# More let more workers work for one organisation at a time, and others wait longer.
MAX_TURNS = 2
# Seconds for which a run works, and after which a turn of which nothing is heard is over: that one
# of a killed worker keeps no row waiting past the next sweep.
TURN_SECONDS, LOST_AFTER_SECONDS = 1.0, 30


def acquire_turn(kind: str, organisation_id: UUID) -> int | None:
    """A free turn; None if all are taken, whose runs find what is new."""
    for _ in range(2):
        for turn in range(MAX_TURNS):
            if cache.add(_key(kind, organisation_id, turn), 1, LOST_AFTER_SECONDS):
                return turn
        # The last run may have looked already: it looks once more, or this is the second try.
        cache.set(_missed_key(kind, organisation_id), 1, LOST_AFTER_SECONDS)
    return None


def renew_turn(kind: str, organisation_id: UUID, turn: int) -> None:
    """The turn begins, or stands in the queue again."""
    cache.set(_key(kind, organisation_id, turn), 1, LOST_AFTER_SECONDS)


def release_turn(kind: str, organisation_id: UUID, turn: int) -> bool:
    """Nothing is left. Returns whether a hint was dropped meanwhile, so that it may be."""
    cache.delete(_key(kind, organisation_id, turn))
    return bool(cache.delete(_missed_key(kind, organisation_id)))


def _key(kind: str, organisation_id: UUID, turn: int) -> str:
    return f"turn:{kind}:{organisation_id.hex}:{turn}"


def _missed_key(kind: str, organisation_id: UUID) -> str:
    return f"turn-missed:{kind}:{organisation_id.hex}"
