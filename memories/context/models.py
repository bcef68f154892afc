"""Working memories of robots and teams: which memories, since when, and why one left."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class EvictionReason(models.TextChoices):
    """Why an entry left. Only an entry that was removed on request does not come back with a
    recall."""

    BUDGET = "budget", "made room"
    REMOVED = "removed", "taken out by the robot"
    GONE = "gone", "forgotten, archived or expired"


class WorkingEntry(TenantModel):
    """A memory in a working memory, by its id alone.

    audience: whose working memory it is: the robot's own audience or the team's. reader: for whom
    the robot acts (`orgs.principals.reader_of`); a team's audience. The memory itself
    is read in the scope of whoever looks. evicted_at: empty while the entry is in it. tokens: of
    the memory's text in the version `counted_version`; empty until somebody looks, because a recall
    counts no tokens.
    """

    audience = TenantForeignKey("orgs.Audience")
    reader = models.UUIDField()
    memory = TenantForeignKey("memories.Memory")
    tokens = models.PositiveIntegerField(null=True)
    counted_version = models.PositiveIntegerField(null=True)
    added_at = models.DateTimeField()
    last_used_at = models.DateTimeField()
    evicted_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=7, choices=EvictionReason.choices, blank=True, default="")

    class Meta:
        verbose_name_plural = "working entries"
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "audience", "reader", "memory"],
                name="working_entry_once",
            ),
            models.CheckConstraint(
                condition=models.Q(evicted_at__isnull=True, reason="")
                | models.Q(evicted_at__isnull=False, reason__in=EvictionReason.values),
                name="working_entry_reason_known",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "memory"], name="working_entry_memory"),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id} at hand"
