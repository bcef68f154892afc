"""Teams of robots: which robots are in a team, and their last heartbeats."""

from django.db import models
from django.utils import timezone

from orgs.models.base import TenantForeignKey, TenantModel


class TeamStatus(models.TextChoices):
    ACTIVE = "active"
    PASSIVE = "passive"


class Team(TenantModel):
    """Robots that share what they have at hand and notes of their own.

    working_memory_tokens: the budget of what they share; empty for the setting
    TEAM_WORKING_MEMORY_TOKENS. removed_at: since when it is gone; its audience stays for what is in
    the trash.
    """

    external_id = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001
    name = models.CharField(max_length=200)
    purpose = models.TextField(blank=True, default="")
    working_memory_tokens = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "external_id"],
                condition=models.Q(removed_at__isnull=True),
                name="team_external_id",
            ),
        ]
        indexes = [models.Index(fields=["organisation", "name"], name="team_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def public_id(self) -> str:
        """The id that was chosen for the team, or its own."""
        return self.external_id or str(self.id)


class TeamRobot(TenantModel):
    """A robot is in a team, and reads what the team reads.

    The first active one leads: it does the work while the passive ones wait. status_at: since when
    it has its status. last_seen_at: its last heartbeat, empty before the first.
    """

    team = TenantForeignKey("robots.Team", related_name="robots")
    robot = TenantForeignKey("robots.Robot", related_name="teams")
    status = models.CharField(max_length=7, choices=TeamStatus.choices)
    status_at = models.DateTimeField()
    joined_at = models.DateTimeField()
    last_seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "robot in a team"
        verbose_name_plural = "robots in teams"
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "team", "robot"], name="team_robot_once"
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=TeamStatus.values), name="team_robot_status_known"
            ),
        ]

    def __str__(self) -> str:
        return f"robot {self.robot_id} in team {self.team_id}"
