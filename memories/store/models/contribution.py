"""Which robot, or which person through which robot, said it, when first, when last, how often."""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantKey


class Contribution(MemoryPart):
    robot = TenantKey("robots.Robot")
    member = TenantKey("orgs.Member", null=True, blank=True)
    # By which key, and by which import, it came first; empty for what is older than the columns.
    key = TenantKey("robots.Key", null=True, blank=True)
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
