"""What is fetched again and again: when it is due, what a run of it records, and when it is paused.

A sweeper finds what is due, and a job of whoever asked for it does the work, with the rights that
they have then.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, models

from memories.jobs.job_queue import enqueue_job
from memories.jobs.models import OPEN_STATES, Job
from orgs.accounts.sessions import actor_of
from orgs.database.rls import organisation_scope
from orgs.models.base import TenantModel
from orgs.models.memberships import Member, joined_q
from orgs.principals import Actor, Principal

MIN_PERIOD_MINUTES, DEFAULT_PERIOD_MINUTES, MAX_PERIOD_MINUTES = 15, 60, 24 * 60
MAX_FAILURES = 5
# Of one organisation so many are started by a run of the sweeper; the others come with the next.
MAX_STARTED = 50
SCHEDULE_FIELDS = ("period_minutes", "next_run_at", "paused_for", "failures")


class FetchSchedule(TenantModel):
    """The schedule of a row. period_minutes: between two fetches; None if it is not fetched.
    next_run_at: when it is due; None while it is paused. failures: those one after another.
    paused_for: why it is paused."""

    period_minutes = models.PositiveSmallIntegerField(null=True)
    next_run_at = models.DateTimeField(null=True)
    failures = models.PositiveSmallIntegerField(default=0, db_default=0)
    paused_for = models.CharField(max_length=11, blank=True, default="", db_default="")

    class Meta:
        abstract = True

    def pause(self, reason: str) -> None:
        """Fetch it no more until somebody resumes it."""
        self.next_run_at, self.paused_for = None, reason

    def resume(self, now: datetime) -> None:
        """Make it due, as if it had never failed."""
        self.next_run_at, self.paused_for, self.failures = now, "", 0

    def record_run(self, reason: str, *, final: bool = False) -> None:
        """Count a run. reason: why it failed, or empty. final: another try cannot mend that."""
        if not reason:
            self.failures = 0
            return
        self.failures += 1
        if self.next_run_at and (final or self.failures >= MAX_FAILURES):
            self.pause(reason)


def list_due(
    model: type[FetchSchedule],
    organisation_id: UUID,
    now: datetime,
    *columns: str,
    using: str = DEFAULT_DB_ALIAS,
) -> list[Any]:
    """These columns of the rows of an organisation that are due, the longest due first."""
    with organisation_scope(organisation_id, using=using):
        rows = model._default_manager.using(using).filter(
            organisation_id=organisation_id, next_run_at__lte=now
        )
        return list(rows.order_by("next_run_at", "id").values_list(*columns)[:MAX_STARTED])


def find_member_actor(organisation_id: UUID, member_id: UUID) -> Actor | None:
    """A member as they sign in themselves, whose jobs the fetches are; None once they have left."""
    with organisation_scope(organisation_id):
        rows = Member.objects.filter(joined_q(), organisation_id=organisation_id, id=member_id)
        member = rows.first()
    return actor_of(member) if member else None


def enqueue_fetch(
    principal: Principal,
    found: FetchSchedule,
    kind: str,
    key: Mapping[str, Any],
    *,
    now: datetime,
    **more: Any,
) -> bool:
    """Enqueue the job of a locked row, unless one is open, and set when the next is due; inside the
    principal's scope. key: the parameters by which its jobs are known; more: others. Returns
    whether there is a new one."""
    assert found.period_minutes is not None  # noqa: S101 - of a subscription
    found.next_run_at = now + timedelta(minutes=found.period_minutes)
    found.save(update_fields=["next_run_at"])
    if open_jobs(principal.actor, kind).filter(parameters__contains=dict(key)).exists():
        return False
    enqueue_job(principal, kind, {**key, **more}, total=0, now=now)
    return True


def open_jobs(actor: Actor, kind: str) -> "models.QuerySet[Job]":
    """The actor's jobs of a kind that wait or run; evaluate inside the scope."""
    return Job.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc] # None is IS NULL
        robot_id=actor.robot_id,
        kind=kind,
        state__in=OPEN_STATES,
    )
