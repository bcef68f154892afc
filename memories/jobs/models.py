"""Work that takes longer: of a member who asked for it, or of the organisation."""

from django.db import models

from orgs.models.base import TenantKey, TenantModel


class JobKind(models.TextChoices):
    CHANGE = "change", "Change"
    IMPORT = "import", "Import"
    EXPORT = "export", "Export"
    CONSOLIDATE = "consolidate", "Consolidate"
    AGE = "age", "Age"
    RETAIN = "retain", "Retain"
    SUMMARISE = "summarise", "Summarise"
    ERASE = "erase", "Erase"
    LEARN = "learn", "Learn"


class JobState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    DEAD = "dead", "Stopped"
    CANCELLED = "cancelled", "Cancelled"


class Job(TenantModel):
    """One piece of work. A member's is readable by that member alone.

    Without a member it is the organisation's: the worker does it, curators read it, and its result
    holds counts. period: the day, for what is made once a day; the database takes one run of
    a kind and period. cancel_asked_at: somebody wants the work that runs to stop.

    parameters: what to do, with ids and never a text of a memory. done, total: how far it is, in
    the unit of the kind. problems: [{line or id, reason}]. result: figures, and what undoing
    needs. place: where it goes on, in the unit of the kind. queued_at: since when it waits for its
    turn; a job that had one waits behind the organisation's others. A lease that has run out makes
    the job somebody else's.
    """

    audience = TenantKey("orgs.Audience")
    member = TenantKey("orgs.Member", null=True)
    kind = models.CharField(max_length=11, choices=JobKind.choices)
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
    finished_at = models.DateTimeField(null=True)
    cancel_asked_at = models.DateTimeField(null=True)
    # Empty is NULL: the key below is about the others alone.
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
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
