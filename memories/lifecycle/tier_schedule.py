"""When the tiers are judged: fast each minute, medium hourly, slow daily, glacial monthly.

The daily run, which reads every memory, also brings up what is used of the glacial ones.

A period is claimed by one statement, so two schedulers never do one run twice. A run that broke off
is repeated after AGAIN; what it had moved stays where it is.
"""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connections

from memories.lifecycle.models import AgeingRun
from memories.lifecycle.publish_uses import publish_uses
from memories.lifecycle.tier_moves import WORKER, TierMoveResult, move_tiers
from memories.lifecycle.tiers import TIER_RULES, TierRule
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id

RETRY_AFTER = timedelta(minutes=15)
# A run dated further in the future than this comes from a wrong clock and blocks no other run.
MAX_CLOCK_SKEW = timedelta(days=1)
_PERIOD_FORMATS = {
    "per_event": "%Y-%m-%dT%H:%M",
    "per_round": "%Y-%m-%dT%H",
    "per_cycle": "%Y-%m-%d",
    "monthly": "%Y-%m",
}
_CLAIM_SQL = """
INSERT INTO memories_ageingrun AS r (id, organisation_id, tier, period, started_at)
VALUES (%(id)s, %(organisation)s, %(tier)s, %(period)s, %(now)s)
ON CONFLICT (organisation_id, tier) DO UPDATE
SET period = excluded.period, started_at = excluded.started_at, finished_at = NULL
WHERE r.period < excluded.period
   OR (r.period = excluded.period AND r.finished_at IS NULL AND r.started_at <= %(broken)s)
   OR r.started_at > %(ahead)s
RETURNING id
"""


def period_of(rule: TierRule, now: datetime) -> str:
    """The period of a tier at a time; in UTC."""
    return now.astimezone(UTC).strftime(_PERIOD_FORMATS[rule.update])


def is_due(organisation_id: UUID, *, now: datetime) -> bool:
    """Whether a run is due for any tier of the organisation."""
    with organisation_scope(organisation_id, using=WORKER):
        runs = AgeingRun.objects.using(WORKER).filter(organisation_id=organisation_id)
        known = {run.tier: run for run in runs}
    return any(
        (run := known.get(rule.tier)) is None
        or run.period < (period := period_of(rule, now))
        or (run.period == period and not run.finished_at and run.started_at <= now - RETRY_AFTER)
        or run.started_at > now + MAX_CLOCK_SKEW
        for rule in TIER_RULES
    )


def move_due_tiers(organisation_id: UUID, *, now: datetime) -> TierMoveResult:
    """Do the runs that are due and that nobody else has claimed; returns what they did together.

    Before them, the uses of earlier days are published.
    """
    publish_uses(organisation_id, now=now)
    total = TierMoveResult()
    for rule in TIER_RULES:
        if _claim_run(organisation_id, rule.tier, period_of(rule, now), now):
            tiers = ("slow", "glacial") if rule.tier == "slow" else (rule.tier,)
            done = move_tiers(organisation_id, tiers=tiers, now=now)
            total.looked += done.looked
            total.moves += done.moves
            _finish_run(organisation_id, rule.tier, now)
    return total


def _claim_run(organisation_id: UUID, tier: str, period: str, now: datetime) -> bool:
    values: dict[str, Any] = {
        "id": new_id(),
        "organisation": organisation_id,
        "tier": tier,
        "period": period,
        "now": now,
        "broken": now - RETRY_AFTER,
        "ahead": now + MAX_CLOCK_SKEW,
    }
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(_CLAIM_SQL, values)
        return cursor.fetchone() is not None


def _finish_run(organisation_id: UUID, tier: str, now: datetime) -> None:
    with organisation_scope(organisation_id, using=WORKER):
        runs = AgeingRun.objects.using(WORKER)
        runs.filter(organisation_id=organisation_id, tier=tier).update(finished_at=now)
