"""Writes to the use of memories that several capabilities share: first rows, moves on request.

How readers see it: `memories.store.known_use`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetch_all
from orgs.principals import Principal

# Who asks for a tier: a person who archives a memory there, a red line.
MOVE_REQUESTED, MOVE_RED_LINE = "asked", "red_line"
# Why a memory is where a snapshot had it.
MOVE_RESTORED = "restored"
_COUNTS = ("access_count", "updates", "successes", "failures")

# A slow memory needs no row until something happens to it; the others are found by theirs.
_INSERT_USE_SQL = """
INSERT INTO memories_use (organisation_id, memory_id, audience_id, kind, tier, given_tier)
SELECT %(organisation)s, given.*, given.tier FROM unnest(%(ids)s::uuid[], %(audiences)s::uuid[],
    %(kinds)s::text[], %(tiers)s::text[]) AS given (id, audience, kind, tier)
"""
_MOVE_SQL = """
WITH put AS (
    INSERT INTO memories_use AS u (organisation_id, memory_id, audience_id, kind, tier, tier_since,
        given_tier, given_since)
    SELECT organisation_id, id, audience_id, kind, %(tier)s::text, %(now)s::timestamptz,
        %(tier)s::text, %(now)s::timestamptz
    FROM memories_memory WHERE organisation_id = %(organisation)s AND id = %(memory)s
        AND %(before)s::text <> %(tier)s::text
    ON CONFLICT (organisation_id, memory_id) DO UPDATE
    SET tier = excluded.tier, tier_since = excluded.tier_since,
        given_tier = excluded.given_tier, given_since = excluded.given_since,
        since_accesses = 0, since_successes = 0, since_feedback = 0
    RETURNING u.memory_id, u.audience_id, u.kind, u.surprise
)
INSERT INTO memories_transition
    (id, organisation_id, memory_id, audience_id, kind, from_tier, to_tier, reason, surprise,
     moved_at)
SELECT gen_random_uuid(), %(organisation)s, memory_id, audience_id, kind, %(before)s::text,
    %(tier)s::text, %(reason)s::text, surprise, %(now)s::timestamptz FROM put
"""
_RESTORE_SQL = """
WITH put AS (
    INSERT INTO memories_use AS u (organisation_id, memory_id, audience_id, kind, tier, tier_since,
        given_tier, given_since)
    SELECT organisation_id, id, audience_id, kind, %(tier)s::text, %(tier_since)s::timestamptz,
        %(tier)s::text, %(tier_since)s::timestamptz
    FROM memories_memory WHERE organisation_id = %(organisation)s AND id = %(memory)s
    ON CONFLICT (organisation_id, memory_id) DO UPDATE
    SET tier = excluded.tier, tier_since = excluded.tier_since,
        given_tier = excluded.given_tier, given_since = excluded.given_since,
        since_accesses = 0, since_successes = 0, since_feedback = 0
    RETURNING u.memory_id, u.audience_id, u.kind, u.surprise
), own AS (
    INSERT INTO memories_readeruse AS o (organisation_id, memory_id, reader, member_id,
        access_count, last_accessed_at, updates, successes, failures, surprise)
    SELECT %(organisation)s, memory_id, %(reader)s, %(member)s, greatest(0, %(access_count)s::int),
        %(last_accessed_at)s::timestamptz, greatest(0, %(updates)s::int),
        greatest(0, %(successes)s::int), greatest(0, %(failures)s::int), %(surprise)s::float
    FROM put
    ON CONFLICT (organisation_id, memory_id, reader) DO UPDATE
    SET access_count = greatest(0, o.access_count + %(access_count)s::int),
        last_accessed_at = excluded.last_accessed_at,
        updates = greatest(0, o.updates + %(updates)s::int),
        successes = greatest(0, o.successes + %(successes)s::int),
        failures = greatest(0, o.failures + %(failures)s::int), surprise = excluded.surprise
)
INSERT INTO memories_transition
    (id, organisation_id, memory_id, audience_id, kind, from_tier, to_tier, reason, surprise,
     moved_at)
SELECT gen_random_uuid(), %(organisation)s, memory_id, audience_id, kind, %(before)s::text,
    %(tier)s::text, %(reason)s::text, surprise, %(now)s::timestamptz FROM put
WHERE %(before)s::text <> %(tier)s::text
"""


def create_use_rows(rows: Sequence[Memory]) -> None:
    """The rows of use of new memories that are not slow, at least one; inside a scope that may
    write where they lie."""
    values = {
        "organisation": rows[0].organisation_id,
        "ids": [row.id for row in rows],
        "audiences": [row.audience_id for row in rows],
        "kinds": [row.kind for row in rows],
        "tiers": [row.first_tier for row in rows],
    }
    fetch_all(_INSERT_USE_SQL, values)


def move_to_tier(memory: Memory, tier: str, *, reason: str, now: datetime) -> None:
    """Move a locked memory on request, and log the move; do nothing if it is in that tier."""
    values = {
        "organisation": memory.organisation_id,
        "memory": memory.id,
        "tier": tier,
        "before": memory.tier,
        "reason": reason,
        "now": now,
    }
    fetch_all(_MOVE_SQL, values)


def restore_use(
    principal: Principal, memory: Memory, tier: str, numbers: Mapping[str, Any], *, now: datetime
) -> bool:
    """Set tier and use of a locked memory as they were; whether anything differed.

    numbers: tier_since, access_count, last_accessed_at, updates, successes, failures, surprise. But
    for tier_since they become the principal's own uses, as far as others' uses are not more. A move
    is logged. What happened since the last move counts from 0 again. No time is later than now.
    """
    earlier = {
        name: min(value, now) if isinstance(value, datetime) else value
        for name, value in numbers.items()
    }
    before = memory.used
    if tier == before.tier and all(getattr(before, k) == v for k, v in earlier.items()):
        return False
    # What is to be added to their own counts.
    added = {name: earlier[name] - getattr(before, name) for name in _COUNTS}
    values = {
        "organisation": memory.organisation_id,
        "memory": memory.id,
        "reader": principal.reader,
        "member": principal.actor.member_id,
        "tier": tier,
        "before": before.tier,
        "reason": MOVE_RESTORED,
        "now": now,
    }
    fetch_all(_RESTORE_SQL, values | earlier | added)
    return True
