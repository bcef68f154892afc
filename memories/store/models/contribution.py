"""Who contributed a memory (a robot, or a person through a robot): first, last, how often."""

from uuid import UUID

from django.db import models
from django.db.models import QuerySet

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey


class Contribution(MemoryPart):
    robot = TenantForeignKey("robots.Robot")
    member = TenantForeignKey("orgs.Member", null=True, blank=True)
    # By which key, and by which import, it came first; empty for what is older than the columns.
    key = TenantForeignKey("robots.Key", null=True, blank=True)
    import_job = models.UUIDField(null=True, blank=True)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    count = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "robot", "member"],
                name="contribution_once",
                nulls_distinct=False,
            )
        ]
        indexes = [
            models.Index(fields=["organisation", "audience", "robot"], name="contribution_robot")
        ]


def imported_memory_ids(organisation_id: UUID, job_id: UUID) -> "QuerySet[Contribution, UUID]":
    """The ids of the memories that an import brought, for a subquery; evaluate inside a scope."""
    rows = Contribution.objects.filter(organisation_id=organisation_id, import_job=job_id)
    return rows.values_list("memory_id", flat=True)
