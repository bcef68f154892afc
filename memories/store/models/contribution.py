"""Which robot, or which person through which robot, said it, when first, when last, how often."""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantKey

# SQL, for a memory `m`: when a robot or person last said it, or brought it back. A copy or a
# summary is as old as what it was made of.
CONFIRMED_AT = """greatest(m.restored_at, coalesce((
    SELECT max(said.last_at) FROM memories_contribution said
    WHERE said.organisation_id = m.organisation_id AND said.memory_id = m.id), m.created_at))"""


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
