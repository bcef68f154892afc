"""Move memories between the tiers, one step each: useful ones are promoted, others demoted.

The statement is the rule, with the numbers of `tiers`; a test compares it with the same rule
written anew for one memory. A memory that moved stays for COOL_DOWN, so a repeated, parallel or
resumed run moves nothing twice.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connections

from memories.lifecycle.tiers import (
    COOL_DOWN,
    PROMOTING_ACCESSES,
    PROMOTING_SUCCESSES,
    STABLE_UPDATES,
    TIER_RULES,
    faster_tier,
    slower_tier,
)
from memories.store.known_use import CURRENT_TIER_SQL
from orgs.database.rls import organisation_scope

WORKER = "worker"
# Memories of one transaction, so that rows are locked only for a part of a second.
BATCH_SIZE = 5_000
# How often a batch is tried.
MAX_ATTEMPTS = 3
TIERS = tuple(rule.tier for rule in TIER_RULES)

# A memory without a row in the table of uses was never moved and is slow,
# so the other tiers are found through that table.
_FROM_ALL_SQL = """
    FROM memories_memory m LEFT JOIN memories_use u
        ON u.organisation_id = m.organisation_id AND u.memory_id = m.id
    WHERE m.organisation_id = %(organisation)s AND m.id > %(after)s ORDER BY m.id LIMIT %(most)s
"""
_FROM_TIERS_SQL = """
    FROM memories_use u JOIN memories_memory m
        ON m.organisation_id = u.organisation_id AND m.id = u.memory_id
    WHERE u.organisation_id = %(organisation)s AND u.tier = ANY(%(tiers)s::text[])
        AND u.memory_id > %(after)s
    ORDER BY u.memory_id LIMIT %(most)s
"""
_MOVE_SQL = """
WITH rule AS (
    SELECT * FROM unnest(%(rule_tier)s::text[], %(rule_faster)s::text[], %(rule_slower)s::text[],
        %(rule_idle)s::float8[], %(rule_least)s::float8[], %(rule_half_life)s::float8[],
        %(rule_surprise)s::float8[], %(rule_calm)s::float8[])
        AS r (tier, faster, slower, idle, least, half_life, surprise, calm)
), looked AS MATERIALIZED (
    SELECT m.id, m.audience_id, m.kind, m.importance, m.red_line, m.status,
        {tier} AS tier, u.tier_since AS moved_at,
        extract(epoch FROM %(now)s - coalesce(u.tier_since, m.created_at)) / 3600 AS hours,
        -- The day of the last use counts to its end.
        extract(epoch FROM %(now)s - coalesce(u.last_accessed_at + interval '1 day', m.created_at))
            AS idle,
        coalesce(u.access_count, 0) AS total, coalesce(u.since_accesses, 0) AS accesses,
        coalesce(u.since_successes, 0) AS successes,
        coalesce(u.since_feedback, 0) AS feedback, coalesce(u.updates, 0) AS updates,
        coalesce(u.surprise, 0) AS surprise
    {which}
), facts AS (
    -- What is used lately, and was five times in all, does not lie in the slowest tier.
    SELECT *, total >= %(accesses)s AND idle <= %(lately)s AS in_use FROM looked
), judged AS (
    SELECT l.*, r.faster, r.slower,
        CASE WHEN r.faster IS NULL THEN NULL
             WHEN l.accesses >= %(accesses)s THEN 'accesses'
             WHEN l.successes >= %(successes)s THEN 'successes'
             WHEN l.feedback >= 1 AND l.surprise >= r.surprise THEN 'surprise'
             WHEN r.slower IS NULL AND l.in_use THEN 'accesses' END AS up,
        CASE WHEN r.slower IS NULL OR (r.slower = %(slowest)s AND l.in_use) THEN NULL
             WHEN l.idle > r.idle THEN 'idle'
             WHEN l.importance * power(.5, greatest(0, l.hours) / r.half_life) < r.least
                THEN 'faded'
             WHEN l.updates >= %(updates)s AND l.surprise < r.calm THEN 'stable' END AS down
    FROM facts l JOIN rule r ON r.tier = l.tier
    WHERE l.status = 'active' AND NOT l.red_line AND l.tier = ANY(%(tiers)s::text[])
        AND (l.moved_at IS NULL OR l.moved_at <= %(cooled)s)
), due AS (
    SELECT id, audience_id, kind, tier AS from_tier, surprise, coalesce(up, down) AS reason,
        CASE WHEN up IS NULL THEN slower ELSE faster END AS to_tier
    FROM judged WHERE up IS NOT NULL OR down IS NOT NULL ORDER BY id
), moved AS (
    INSERT INTO memories_use AS u
        (organisation_id, memory_id, audience_id, kind, tier, tier_since, given_tier)
    SELECT %(organisation)s, id, audience_id, kind, to_tier, %(now)s, from_tier FROM due
    ON CONFLICT (organisation_id, memory_id) DO UPDATE
    SET tier = excluded.tier, tier_since = excluded.tier_since,
        since_accesses = 0, since_successes = 0, since_feedback = 0
    -- Somebody else may have moved it since it was looked at.
    WHERE u.tier_since IS NULL OR u.tier_since <= %(cooled)s
    RETURNING u.memory_id
), logged AS (
    INSERT INTO memories_transition
        (id, organisation_id, memory_id, audience_id, kind, from_tier, to_tier, reason, surprise,
         moved_at, moved_for)
    SELECT gen_random_uuid(), %(organisation)s, d.id, d.audience_id, d.kind, d.from_tier, d.to_tier,
        d.reason, d.surprise, %(now)s, d.audience_id
    FROM due d JOIN moved ON moved.memory_id = d.id
    RETURNING from_tier, to_tier, reason
)
SELECT (SELECT max(id::text)::uuid FROM looked), (SELECT count(*) FROM looked),
    (SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT from_tier, to_tier, reason, count(*) AS n FROM logged GROUP BY 1, 2, 3) t)
"""
_MOVE_ALL_SQL = _MOVE_SQL.format(which=_FROM_ALL_SQL, tier=CURRENT_TIER_SQL)
_MOVE_TIERS_SQL = _MOVE_SQL.format(which=_FROM_TIERS_SQL, tier=CURRENT_TIER_SQL)


@dataclass(slots=True)
class TierMoveResult:
    """What a run did. looked: number of memories that it judged. moves: {(from, to, reason):
    memories}."""

    looked: int = 0
    moves: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    @property
    def promoted(self) -> int:
        """The number of promoted memories."""
        return sum(n for (a, b, _), n in self.moves.items() if faster_tier(a) == b)

    @property
    def demoted(self) -> int:
        """The number of demoted memories."""
        return sum(n for (a, b, _), n in self.moves.items() if slower_tier(a) == b)


def move_tiers(
    organisation_id: UUID,
    *,
    now: datetime,
    tiers: Sequence[str] = TIERS,
) -> TierMoveResult:
    """Move the active memories of these tiers that are due; in the role of the worker.

    A batch is a transaction, so a run that breaks off keeps what it did.
    """
    total = TierMoveResult()
    for _, done in iter_move_batches(organisation_id, now=now, tiers=tiers):
        total.looked += done.looked
        total.moves += done.moves
    return total


def iter_move_batches(
    organisation_id: UUID,
    *,
    now: datetime,
    tiers: Sequence[str] = TIERS,
    after: UUID = UUID(int=0),  # noqa: B008 - a value
) -> Iterator[tuple[UUID, TierMoveResult]]:
    """`age` batch by batch, in the order of ids: yields (last id of the batch, what it did). after:
    the id after which to continue."""
    which = _MOVE_ALL_SQL if "slow" in tiers else _MOVE_TIERS_SQL
    refused = 0
    while True:
        done = TierMoveResult()
        try:
            with organisation_scope(organisation_id, using=WORKER):
                last, looked = _move_batch(done, which, organisation_id, tiers, now, after, WORKER)
        except IntegrityError:
            # One of them was shared since it was read; the next try finds its new audience.
            refused += 1
            if refused == MAX_ATTEMPTS:
                raise
            continue
        refused = 0
        if last is None:
            return
        yield last, done
        if looked < BATCH_SIZE:
            return
        after = last


def _move_batch(
    done: TierMoveResult,
    statement: str,
    organisation_id: UUID,
    tiers: Sequence[str],
    now: datetime,
    after: UUID,
    using: str,
) -> tuple[UUID | None, int]:
    values = {
        **_RULE_VALUES,
        "organisation": organisation_id,
        "tiers": list(tiers),
        "now": now,
        "cooled": now - COOL_DOWN,
        "after": after,
        "most": BATCH_SIZE,
        "accesses": PROMOTING_ACCESSES,
        "successes": PROMOTING_SUCCESSES,
        "updates": STABLE_UPDATES,
    }
    with connections[using].cursor() as cursor:
        cursor.execute(statement, values)
        last, looked, moves = cursor.fetchone()
    done.looked += looked
    for move in moves:
        done.moves[move["from_tier"], move["to_tier"], move["reason"]] += move["n"]
    return last, looked


_RULE_VALUES: dict[str, Any] = {
    "rule_tier": [rule.tier for rule in TIER_RULES],
    "rule_faster": [faster_tier(rule.tier) for rule in TIER_RULES],
    "rule_slower": [slower_tier(rule.tier) for rule in TIER_RULES],
    "rule_idle": [rule.idle_limit for rule in TIER_RULES],
    "rule_least": [float(rule.least_importance) for rule in TIER_RULES],
    "rule_half_life": [float(rule.half_life) for rule in TIER_RULES],
    "rule_surprise": [rule.promoting_surprise for rule in TIER_RULES],
    "slowest": TIER_RULES[-1].tier,
    "lately": TIER_RULES[-2].idle_limit,
    "rule_calm": [
        None if rule.stable_above is None else 1 - rule.stable_above for rule in TIER_RULES
    ],
}
