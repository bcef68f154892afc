"""Jobs: longer work that a member or a robot asked for, or of the organisation."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class JobType(models.TextChoices):
    CHANGE = "change", "Change"
    IMPORT = "import", "Import"
    EXPORT = "export", "Export"
    CONSOLIDATE = "consolidate", "Consolidate"
    AGE = "age", "Age"
    RETAIN = "retain", "Retain"
    SUMMARISE = "summarise", "Summarise"
    ERASE = "erase", "Erase"
    LEARN = "learn", "Learn"
    ACCOUNTS = "accounts", "Remember accounts"
    PROJECT = "project", "Project"
    RE_EMBED = "re-embed", "Re-embed"


class JobState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    DEAD = "dead", "Stopped"
    CANCELLED = "cancelled", "Cancelled"


OPEN_STATES = (JobState.WAITING, JobState.RUNNING)
# Of the organisation, as a filter.
ORGANISATIONS: dict[str, None] = {"member": None, "robot": None}


class Job(TenantModel):
    """One job. A member's job is readable by that member alone, a robot's by that robot alone.

    Without either it is the organisation's: the worker does it, curators read it, and its result
    has only counts. key: of a robot's job the key that asked, with whose scopes it runs while that
    is valid. period: the day, for daily runs; the database allows one run of a kind and
    period. cancel_asked_at: when somebody asked a running job to stop.

    parameters: what to do, with ids and never a text of a memory. done, total: the progress, in the
    unit of the kind. problems: [{line or id, reason}]. result: figures, and what undo needs. place:
    where to continue, in the unit of the kind. queued_at: since when it waits for its turn; after a
    turn it waits behind the organisation's other jobs. started_at: when its first turn began.
    leased_until: after this another worker may
    take the job.
    """

    audience = TenantForeignKey("orgs.Audience")
    member = TenantForeignKey("orgs.Member", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)
    key = TenantForeignKey("robots.Key", null=True)
    kind = models.CharField(max_length=11, choices=JobType.choices)
    state = models.CharField(max_length=9, choices=JobState.choices, default=JobState.WAITING)
    parameters = models.JSONField(default=dict)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    problems = models.JSONField(default=list)
    result = models.JSONField(default=dict)
    reason = models.TextField(blank=True, default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    leased_until = models.DateTimeField(null=True)
    place = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    queued_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    cancel_asked_at = models.DateTimeField(null=True)
    # NULL without a period, so that the unique constraint below ignores such jobs.
    period = models.CharField(max_length=16, null=True)  # noqa: DJ001

    class Meta:
        indexes = [models.Index(fields=["organisation", "state", "queued_at"], name="job_turns")]
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "kind", "period"],
                condition=models.Q(period__isnull=False),
                name="job_once_a_period",
            ),
            models.CheckConstraint(
                condition=models.Q(period=None) | models.Q(member=None),
                name="job_period_is_the_organisations",
            ),
            models.CheckConstraint(
                condition=models.Q(robot=None, key=None)
                | models.Q(robot__isnull=False, member=None, period=None),
                name="job_of_one_asker",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def is_organisations(self) -> bool:
        """Whether it is the organisation's: neither a member nor a robot asked for it."""
        return self.member_id is None and self.robot_id is None

    @property
    def is_over(self) -> bool:
        """Whether nothing more is done of it by itself."""
        return self.state not in OPEN_STATES
