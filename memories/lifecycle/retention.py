"""Archive memories by the organisation's policy: too old, faded, or above its number.

Without a policy nothing is archived, and nothing is ever deleted. Left out are protected memories,
memories with an open wish for protection or with a protected proposition, and inactive ones. A
proposition is archived and restored with its memory (`store.dependents`), so it is neither judged
nor counted by itself. The age of a restored memory counts from its restoring, and the limit of the
number does not archive it again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.lifecycle.ageing_policy import find_policy_or_default
from memories.lifecycle.models import AgeingPolicy
from memories.lifecycle.tiers import SECONDS_PER_HOUR, TIER_RULES
from memories.state.transitions import archive_memories
from memories.store.known_use import CURRENT_TIER_SQL
from memories.store.models.choices import POLICY_ARCHIVE_REASONS, Status
from memories.store.models.memory import PROPOSITION_OF, Memory
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.expiry import not_expired_sql
from orgs.principals import Actor

WORKER = "worker"
# Memories of one transaction, so that rows are locked only for a part of a second.
BATCH_SIZE = 200
# How many are chosen at once, because finding those above the number reads every memory.
SELECT_LIMIT = 5_000
MAX_SAMPLE = 20
# `past_half_life` archives after this many half-lives of the tier.
HALF_LIVES = 2
SECONDS_PER_DAY = 86_400

ShouldContinue = Callable[[int, int], bool]

# For a memory `m`: it is protected, a wish for that is open, or one of its propositions is
# protected.
PROTECTED_SQL = f"""m.red_line OR EXISTS (
        SELECT 1 FROM memories_proposal w WHERE w.organisation_id = m.organisation_id
            AND w.memory_id = m.id AND w.cause = 'red_line' AND w.state = 'open'
    ) OR EXISTS (
        SELECT 1 FROM memories_derivation d JOIN memories_memory f
            ON f.organisation_id = d.organisation_id AND f.id = d.memory_id
        WHERE d.organisation_id = m.organisation_id AND d.source_id = m.id
            AND f.status = 'active' AND f.red_line AND f.source ? '{PROPOSITION_OF}')"""
# For a memory `m`: it is a proposition, which follows its memory.
IS_PROPOSITION_SQL = f"""m.source ? '{PROPOSITION_OF}' AND EXISTS (
            SELECT 1 FROM memories_derivation d JOIN memories_memory s
                ON s.organisation_id = d.organisation_id AND s.id = d.source_id
            WHERE d.organisation_id = m.organisation_id AND d.memory_id = m.id
                AND s.status = 'active')"""
_EVALUATED_SQL = f"""
    SELECT m.id, m.audience_id, m.type::text AS type, m.importance, b.born, p.held,
        {not_expired_sql()} AS counted,
        m.restored_at IS NOT NULL AS restored,
        CASE WHEN p.held THEN NULL
             WHEN extract(epoch FROM %(now)s - b.born) > k.days * {SECONDS_PER_DAY} THEN 'age'
             WHEN %(past_half_life)s AND extract(epoch FROM
                %(now)s - greatest(coalesce(u.tier_since, m.created_at), m.restored_at))
                > r.most * {SECONDS_PER_HOUR} THEN 'half_life' END AS reason
    FROM memories_memory m
    LEFT JOIN memories_use u ON u.organisation_id = m.organisation_id AND u.memory_id = m.id
    JOIN unnest(%(tiers)s::text[], %(hours)s::float8[]) AS r (tier, most)
        ON r.tier = {CURRENT_TIER_SQL}
    LEFT JOIN unnest(%(types)s::text[], %(days)s::float8[]) AS k (type, days) ON k.type = m.type
    CROSS JOIN LATERAL (SELECT greatest(m.created_at, m.restored_at) AS born) b
    CROSS JOIN LATERAL (SELECT {PROTECTED_SQL} AS held) p
    WHERE m.organisation_id = %(organisation)s AND m.status = 'active'
        AND NOT ({IS_PROPOSITION_SQL})
"""
_EXPIRED_BY_RULE_SQL = f"""
WITH judged AS ({_EVALUATED_SQL})
SELECT id, audience_id, type, reason FROM judged
WHERE reason IS NOT NULL AND id > %(after)s ORDER BY id LIMIT %(most)s
"""
# How many memories are above the number; 0 without a number.
_EXCESS_SQL = """
    (SELECT CASE WHEN %(keep_most)s::bigint IS NULL THEN 0
        ELSE greatest(0, count(*) - %(keep_most)s::bigint) END
     FROM judged WHERE counted AND reason IS NULL)
"""
_PRUNED_SQL = f"""
    SELECT id, audience_id, type, 'number'::text AS reason, importance, born FROM judged
    WHERE reason IS NULL AND counted AND NOT held AND NOT restored
    ORDER BY importance, born, id LIMIT least(%(most)s::bigint, {_EXCESS_SQL})
"""
_ABOVE_NUMBER_SQL = f"""
WITH judged AS MATERIALIZED ({_EVALUATED_SQL})
SELECT id, audience_id, type, reason FROM ({_PRUNED_SQL}) AS pruned
"""
_COUNT_SQL = f"""
WITH judged AS MATERIALIZED ({_EVALUATED_SQL}), due AS (
    SELECT id, type, reason, NULL::float8 AS importance, NULL::timestamptz AS born FROM judged
    WHERE reason IS NOT NULL
    UNION ALL SELECT id, type, reason, importance, born FROM ({_PRUNED_SQL}) AS pruned
)
SELECT (SELECT coalesce(json_agg(t), '[]')
        FROM (SELECT reason, type, count(*) AS n FROM due GROUP BY 1, 2) t),
    (SELECT coalesce(array_agg(id), '{{}}') FROM (
        SELECT id FROM due ORDER BY reason = 'number', importance, born, id
        LIMIT %(sample)s) s)
"""
_PROPOSITION_AUDIENCES_SQL = f"""
SELECT DISTINCT f.audience_id FROM memories_derivation d JOIN memories_memory f
    ON f.organisation_id = d.organisation_id AND f.id = d.memory_id
WHERE d.organisation_id = %(organisation)s AND d.source_id = ANY(%(ids)s::uuid[])
    AND f.status = 'active' AND f.source ? '{PROPOSITION_OF}'
"""


@dataclass(slots=True)
class RetentionResult:
    """What a run archived, or would archive. counts: {(rule, type): memories}; sample: at most
    SAMPLE ids.

    finished: whether it was not stopped. The rules are those of `POLICY_ARCHIVE_REASONS`.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    sample: list[UUID] = field(default_factory=list)
    finished: bool = True

    @property
    def archived(self) -> int:
        return self.counts.total()

    @property
    def figures(self) -> dict[str, int]:
        """The figures for the page of the job."""
        return {"archived": self.archived}

    @property
    def by_rule(self) -> dict[str, int]:
        """{rule: memories} for every rule."""
        found = {rule.value: 0 for rule in POLICY_ARCHIVE_REASONS}
        for (rule, _), number in self.counts.items():
            found[rule] += number
        return found

    def add(self, rows: Sequence["DueMemory"]) -> None:
        self.counts.update((row.rule, row.type) for row in rows)
        self.sample += [row.id for row in rows[: MAX_SAMPLE - len(self.sample)]]


@dataclass(frozen=True, slots=True)
class DueMemory:
    """A memory to archive, and the rule (of `ArchiveReason`)."""

    id: UUID
    audience_id: UUID
    type: str
    rule: str


def run_retention(
    organisation_id: UUID,
    *,
    now: datetime,
    dry_run: bool = False,
    keep_on: ShouldContinue = lambda done, total: True,
) -> RetentionResult:
    """Archive by the organisation's policy; a dry run counts the same and changes nothing.

    Each batch is a transaction, so a run that breaks off keeps what it did and the next one
    continues. keep_on: called after each batch with (done, total) in memories; False stops the run.
    """
    with organisation_scope(organisation_id, using=WORKER):
        policy = find_policy_or_default(organisation_id, using=WORKER)
    values = _policy_values(policy, now)
    if not archives_anything(policy):
        return RetentionResult()
    planned = _count_due(organisation_id, values)
    if dry_run:
        return planned
    done = RetentionResult()
    try:
        _archive_all(organisation_id, values, now, done, planned.archived, keep_on)
    finally:
        # Also for a run that breaks off, since what it archived stays archived.
        _record_audit(organisation_id, done, now)
    return done


def preview_retention(policy: AgeingPolicy, *, now: datetime) -> RetentionResult:
    """What a run by a policy, stored or not, would archive now; without a sample."""
    if not archives_anything(policy):
        return RetentionResult()
    return RetentionResult(_count_due(policy.organisation_id, _policy_values(policy, now)).counts)


def archives_anything(policy: AgeingPolicy) -> bool:
    """Whether a run by this policy can archive at all."""
    return bool(policy.max_age_days) or policy.past_half_life or policy.keep_most is not None


def _count_due(organisation_id: UUID, values: dict[str, Any]) -> RetentionResult:
    # Without a limit, so that all above the number are counted.
    [(counts, sample)] = _fetch_as_worker(organisation_id, _COUNT_SQL, values | {"most": None})
    return RetentionResult(
        Counter({(row["reason"], row["type"]): row["n"] for row in counts}), sample
    )


def _archive_all(
    organisation_id: UUID,
    values: dict[str, Any],
    now: datetime,
    done: RetentionResult,
    total: int,
    keep_on: ShouldContinue,
) -> None:
    values = values | {"after": UUID(int=0), "most": SELECT_LIMIT}
    for statement in (_EXPIRED_BY_RULE_SQL, _ABOVE_NUMBER_SQL):
        while rows := [
            DueMemory(*row) for row in _fetch_as_worker(organisation_id, statement, values)
        ]:
            before = done.archived
            for start in range(0, len(rows), BATCH_SIZE):
                done.add(archive_due(organisation_id, rows[start : start + BATCH_SIZE], now=now))
                if not keep_on(done.archived, total):
                    done.finished = False
                    return
            values["after"] = rows[-1].id
            if statement == _ABOVE_NUMBER_SQL and done.archived == before:
                # Somebody changed all of them meanwhile; the next run tries again.
                break


def archive_due(
    organisation_id: UUID,
    due: Sequence[DueMemory],
    *,
    now: datetime,
    stays: Callable[[Sequence[Memory]], set[UUID]] = lambda rows: set(),
) -> list[DueMemory]:
    """Archive those that are still active and unprotected, in one transaction, like
    `forget.archive_memory`. Returns them.

    The worker has chosen them. They are changed in a scope of their audiences alone, so the same
    code takes them out of search for a person and for a rule. stays: gets the locked rows and
    returns the ids of those that are no longer due.
    """
    ids = [row.id for row in due]
    follow = _fetch_as_worker(
        organisation_id, _PROPOSITION_AUDIENCES_SQL, {"organisation": organisation_id, "ids": ids}
    )
    audiences = {row.audience_id for row in due} | {id_ for (id_,) in follow}
    with scope(Scope(organisation=organisation_id, audiences=tuple(sorted(audiences)))):
        rows = Memory.objects.filter(organisation_id=organisation_id, id__in=ids)
        still = rows.filter(status=Status.ACTIVE, red_line=False)
        locked = list(still.select_for_update(of=("self",)).order_by("id"))
        kept = stays(locked)
        held = [row for row in locked if row.id not in kept]
        here = {row.id for row in held}
        gone = [row for row in due if row.id in here]
        # A summary with a restored source still represents its other sources.
        archive_memories(held, now, reasons={row.id: row.rule for row in gone})
    return gone


def _record_audit(organisation_id: UUID, done: RetentionResult, now: datetime) -> None:
    with organisation_scope(organisation_id, using=WORKER):
        audit.record_entry(
            "policy.archived",
            actor=Actor(organisation_id=organisation_id),
            now=now,
            target_type="policy",
            using=WORKER,
            memories=done.archived,
            finished=done.finished,
            rules=done.by_rule,
            types=dict(sum((Counter({t: n}) for (_, t), n in done.counts.items()), Counter())),
        )


def _fetch_as_worker(
    organisation_id: UUID, statement: str, values: dict[str, Any]
) -> list[tuple[Any, ...]]:
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _policy_values(policy: AgeingPolicy, now: datetime) -> dict[str, Any]:
    return {
        "organisation": policy.organisation_id,
        "now": now,
        "tiers": [rule.tier for rule in TIER_RULES],
        "hours": [HALF_LIVES * rule.half_life for rule in TIER_RULES],
        "types": list(policy.max_age_days),
        "days": list(policy.max_age_days.values()),
        "past_half_life": policy.past_half_life,
        "keep_most": policy.keep_most,
        "sample": MAX_SAMPLE,
    }
