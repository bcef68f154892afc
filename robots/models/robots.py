"""The registry of robots and the groups they sit in."""

from django.db import models
from django.utils import timezone

from orgs.models.base import TenantForeignKey, TenantModel

# The largest budget of a working memory, in tokens.
MAX_WORKING_MEMORY_TOKENS = 10_000_000


class Robot(TenantModel):
    """An agent with keys. Every organisation has the built-in robots `web` and `import`.

    owner: the member whose personal robot it is; it reads and writes what is private to them.
    client: the id of the OAuth client that alone is this robot; empty for the personal robot for
    which the member makes keys. A member has at most one of each client that is not retired.

    personality: how it speaks and behaves, in words for its prompt.
    working_memory_tokens: its budget; empty for the setting WORKING_MEMORY_TOKENS.
    failed_at, failure, failed_call: when a call of it last ended in a problem, the problem's code,
    and the method with the pattern of the address, without ids or words of the caller.
    """

    external_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001
    name = models.CharField(max_length=200)
    builtin = models.CharField(max_length=20, null=True, blank=True)  # noqa: DJ001
    purpose = models.TextField(blank=True, default="")
    personality = models.TextField(blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    owner = TenantForeignKey("orgs.Member", null=True, blank=True)
    client = models.CharField(max_length=100, blank=True, default="", db_default="")
    working_memory_tokens = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_active_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    failure = models.CharField(max_length=40, blank=True, default="", db_default="")
    failed_call = models.CharField(max_length=120, blank=True, default="", db_default="")
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "external_id"], name="robot_external_id"
            ),
            models.UniqueConstraint(fields=["organisation", "builtin"], name="robot_builtin"),
            models.UniqueConstraint(
                fields=["organisation", "owner", "client"],
                condition=models.Q(retired_at__isnull=True),
                name="robot_personal_once",
            ),
        ]
        indexes = [models.Index(fields=["organisation", "name"], name="robot_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def public_id(self) -> str:
        """The id that the robot was registered with, or its own."""
        return self.external_id or str(self.id)


class RobotGroup(TenantModel):
    """A robot sits in a group and reads what the group may read."""

    robot = TenantForeignKey("robots.Robot", related_name="group_memberships")
    group = TenantForeignKey("orgs.Group", related_name="robot_memberships")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name = "robot in a group"
        verbose_name_plural = "robots in groups"
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "robot", "group"], name="robot_group_once"
            )
        ]
