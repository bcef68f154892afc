"""Writes to the use of memories that several capabilities share: first rows, moves on request."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memories.store.models.memory import Memory
from orgs.database.prepared_statements import fetched

# Whether the robot that asks is the only one that ever brought memory `m`: a robot does not raise
# its own memories.
ALONE = """(m.robot_id = %(robot)s::uuid AND NOT EXISTS (
    SELECT 1 FROM memories_contribution c WHERE c.organisation_id = m.organisation_id
    AND c.memory_id = m.id AND c.robot_id <> %(robot)s::uuid))"""
# Who asks for a tier: a person who archives a memory there, a red line.
ASKED, RED_LINE = "asked", "red_line"
# Why a memory is where a snapshot had it.
RESTORED = "restored"

# A slow memory needs no row until something happens to it; the others are found by theirs.
_FIRST = """
INSERT INTO memories_use (organisation_id, memory_id, audience_id, kind, tier)
SELECT %(organisation)s, given.* FROM unnest(%(ids)s::uuid[], %(audiences)s::uuid[],
    %(kinds)s::text[], %(tiers)s::text[]) AS given
"""
_PUT = """
WITH put AS (
    INSERT INTO memories_use AS u (organisation_id, memory_id, audience_id, kind, tier, tier_since)
    SELECT organisation_id, id, audience_id, kind, %(tier)s::text, %(now)s::timestamptz
    FROM memories_memory WHERE organisation_id = %(organisation)s AND id = %(memory)s
        AND %(before)s::text <> %(tier)s::text
    ON CONFLICT (organisation_id, memory_id) DO UPDATE
    SET tier = excluded.tier, tier_since = excluded.tier_since,
        since_accesses = 0, since_successes = 0, since_feedback = 0
    RETURNING u.memory_id, u.audience_id, u.kind, u.surprise
)
INSERT INTO memories_transition
    (id, organisation_id, memory_id, audience_id, kind, from_tier, to_tier, reason, surprise,
     moved_at)
SELECT gen_random_uuid(), %(organisation)s, memory_id, audience_id, kind, %(before)s::text,
    %(tier)s::text, %(reason)s::text, surprise, %(now)s::timestamptz FROM put
"""
_RESTORE = """
WITH put AS (
    INSERT INTO memories_use AS u (organisation_id, memory_id, audience_id, kind, tier, tier_since,
        access_count, last_accessed_at, updates, successes, failures, surprise)
    SELECT organisation_id, id, audience_id, kind, %(tier)s::text, %(tier_since)s::timestamptz,
        %(access_count)s::int, %(last_accessed_at)s::timestamptz, %(updates)s::int,
        %(successes)s::int, %(failures)s::int, %(surprise)s::float
    FROM memories_memory WHERE organisation_id = %(organisation)s AND id = %(memory)s
    ON CONFLICT (organisation_id, memory_id) DO UPDATE
    SET tier = excluded.tier, tier_since = excluded.tier_since,
        access_count = excluded.access_count, last_accessed_at = excluded.last_accessed_at,
        updates = excluded.updates, successes = excluded.successes,
        failures = excluded.failures, surprise = excluded.surprise,
        since_accesses = 0, since_successes = 0, since_feedback = 0
    RETURNING u.memory_id, u.audience_id, u.kind, u.surprise
)
INSERT INTO memories_transition
    (id, organisation_id, memory_id, audience_id, kind, from_tier, to_tier, reason, surprise,
     moved_at)
SELECT gen_random_uuid(), %(organisation)s, memory_id, audience_id, kind, %(before)s::text,
    %(tier)s::text, %(reason)s::text, surprise, %(now)s::timestamptz FROM put
WHERE %(before)s::text <> %(tier)s::text
"""


def start(rows: Sequence[Memory]) -> None:
    """The rows of use of new memories that are not slow, at least one; inside a scope that may
    write where they lie."""
    values = {
        "organisation": rows[0].organisation_id,
        "ids": [row.id for row in rows],
        "audiences": [row.audience_id for row in rows],
        "kinds": [row.kind for row in rows],
        "tiers": [row.first_tier for row in rows],
    }
    fetched(_FIRST, values)


def put_in_tier(memory: Memory, tier: str, *, reason: str, now: datetime) -> None:
    """Move a locked memory on request, and log the move; do nothing if it is in that tier."""
    values = {
        "organisation": memory.organisation_id,
        "memory": memory.id,
        "tier": tier,
        "before": memory.tier,
        "reason": reason,
        "now": now,
    }
    fetched(_PUT, values)


def restore_use(memory: Memory, tier: str, numbers: Mapping[str, Any], *, now: datetime) -> bool:
    """Set tier and use of a locked memory as they were; whether anything differed.

    numbers: tier_since, access_count, last_accessed_at, updates, successes, failures, surprise. A
    move is logged. What happened since the last move counts from 0 again. No time is later than
    now.
    """
    earlier = {
        name: min(value, now) if isinstance(value, datetime) else value
        for name, value in numbers.items()
    }
    before = memory.used
    if tier == before.tier and all(getattr(before, k) == v for k, v in earlier.items()):
        return False
    values = {
        "organisation": memory.organisation_id,
        "memory": memory.id,
        "tier": tier,
        "before": before.tier,
        "reason": RESTORED,
        "now": now,
    }
    fetched(_RESTORE, values | earlier)
    return True
