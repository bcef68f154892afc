"""Work that a member asked for and that is done outside the web process."""

from django.db import models

from orgs.models.base import TenantKey, TenantModel


class JobKind(models.TextChoices):
    CHANGE = "change", "Change"
    IMPORT = "import", "Import"


class JobState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    DEAD = "dead", "Stopped"


class Job(TenantModel):
    """One piece of work, readable by the member who asked for it alone.

    parameters: what to do, with ids and never a text of a memory. done, total: how far it is, in
    the unit of the kind. problems: [{line or id, reason}]. result: figures, and what undoing
    needs. place: where it goes on, in the unit of the kind. queued_at: since when it waits for its
    turn; a job that had one waits behind the organisation's others. A lease that has run out makes
    the job somebody else's.
    """

    audience = TenantKey("orgs.Audience")
    member = TenantKey("orgs.Member")
    kind = models.CharField(max_length=6, choices=JobKind.choices)
    state = models.CharField(max_length=7, choices=JobState.choices, default=JobState.WAITING)
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

    class Meta:
        indexes = [models.Index(fields=["organisation", "state", "queued_at"], name="job_turns")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
