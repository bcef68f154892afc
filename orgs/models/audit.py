"""Who did what to which thing: append-only; the database refuses changes."""

from django.db import models
from django.utils import timezone

from orgs.models.base import TenantModel


class AuditEntry(TenantModel):
    """One act. `detail` holds ids, counts and fixed words only; never the text of a memory."""

    at = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=60)
    member = models.UUIDField(null=True)
    robot = models.UUIDField(null=True)
    staff = models.UUIDField(null=True, help_text="The support person, if one acted.")
    target_type = models.CharField(max_length=40, blank=True, default="")
    target = models.UUIDField(null=True)
    detail = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["organisation", "-at"], name="audit_recent"),
            models.Index(
                fields=["organisation", "member", "id"],
                condition=models.Q(member__isnull=False),
                name="audit_by_member",
            ),
            models.Index(
                fields=["organisation", "robot", "id"],
                condition=models.Q(robot__isnull=False),
                name="audit_by_robot",
            ),
            models.Index(
                fields=["organisation", "target", "id"],
                condition=models.Q(target__isnull=False),
                name="audit_by_target",
            ),
            # The kind of an act is the beginning of its name.
            models.Index(
                fields=["organisation", "action", "id"],
                opclasses=["uuid_ops", "varchar_pattern_ops", "uuid_ops"],
                name="audit_by_action",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.action}"


class AuditCursor(TenantModel):
    """How far the trail of an organisation was told to the syslog server (`memories.audit_stream`).

    place: figures and ids, as `TrailPosition` keeps them. told_at: when it was last told whole.
    """

    place = models.JSONField(default=dict)
    told_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation"], name="audit_cursor_once"),
        ]

    def __str__(self) -> str:
        return f"audit cursor of {self.organisation_id}"
