"""When the tiers are judged: fast each minute, medium hourly, slow daily, glacial monthly.

A period is claimed by one statement, so two schedulers never do one run twice. A run that broke off
is repeated after AGAIN; what it had moved stays where it is.
"""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connections

from memories.lifecycle.age import WORKER, Aged, age
from memories.lifecycle.models import AgeingRun
from memories.lifecycle.publish_uses import publish_uses
from memories.lifecycle.tiers import RULES, TierRule
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id

AGAIN = timedelta(minutes=15)
# A run dated further in the future than this comes from a wrong clock and blocks no other run.
AHEAD = timedelta(days=1)
_FORMS = {
    "per_event": "%Y-%m-%dT%H:%M",
    "per_round": "%Y-%m-%dT%H",
    "per_cycle": "%Y-%m-%d",
    "monthly": "%Y-%m",
}
_CLAIM = """
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
    return now.astimezone(UTC).strftime(_FORMS[rule.update])


def is_due(organisation_id: UUID, *, now: datetime) -> bool:
    """Whether a run is due for any tier of the organisation."""
    with organisation_scope(organisation_id, using=WORKER):
        runs = AgeingRun.objects.using(WORKER).filter(organisation_id=organisation_id)
        known = {run.tier: run for run in runs}
    return any(
        (run := known.get(rule.tier)) is None
        or run.period < (period := period_of(rule, now))
        or (run.period == period and not run.finished_at and run.started_at <= now - AGAIN)
        or run.started_at > now + AHEAD
        for rule in RULES
    )


def age_due(organisation_id: UUID, *, now: datetime) -> Aged:
    """Do the runs that are due and that nobody else has claimed; returns what they did together.

    Before them, the uses of earlier days are published.
    """
    publish_uses(organisation_id, now=now)
    total = Aged()
    for rule in RULES:
        if _claim(organisation_id, rule.tier, period_of(rule, now), now):
            done = age(organisation_id, tiers=(rule.tier,), now=now)
            total.looked += done.looked
            total.moves += done.moves
            _finish(organisation_id, rule.tier, now)
    return total


def _claim(organisation_id: UUID, tier: str, period: str, now: datetime) -> bool:
    values: dict[str, Any] = {
        "id": new_id(),
        "organisation": organisation_id,
        "tier": tier,
        "period": period,
        "now": now,
        "broken": now - AGAIN,
        "ahead": now + AHEAD,
    }
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(_CLAIM, values)
        return cursor.fetchone() is not None


def _finish(organisation_id: UUID, tier: str, now: datetime) -> None:
    with organisation_scope(organisation_id, using=WORKER):
        runs = AgeingRun.objects.using(WORKER)
        runs.filter(organisation_id=organisation_id, tier=tier).update(finished_at=now)
