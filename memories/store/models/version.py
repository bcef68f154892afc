"""What a memory was before it was changed."""

from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memories.store.models.memory_part import MemoryPart
from memories.store.models.sealed import SealedRow, SealedTextField
from orgs.models.base import TenantForeignKey


class Version(SealedRow, MemoryPart):
    """A memory as it was until somebody changed it; written by a trigger, never changed;
    only encrypted.

    The current version is the memory itself. A reader needs both audiences: `audience`, which is
    the memory's own and moves with it, and `audience_then`, who could read this version at its
    time. So sharing a memory opens no older text, and narrowing it closes all of them.
    """

    number = models.PositiveIntegerField()
    content = SealedTextField()
    category = models.CharField(max_length=12, blank=True, default="")
    importance = models.FloatField()
    tags = ArrayField(models.CharField(max_length=100), default=list)
    metadata = models.JSONField(default=dict)
    expires_at = models.DateTimeField(null=True)
    audience_then = TenantForeignKey("orgs.Audience")
    group_then = TenantForeignKey("orgs.Group", null=True)
    editor = TenantForeignKey("orgs.Member", null=True)
    editor_robot = TenantForeignKey("robots.Robot", null=True)
    written_at = models.DateTimeField()
    replaced_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "number"], name="version_once"
            ),
            models.CheckConstraint(
                condition=models.Q(sealed=None) | models.Q(content=""),
                name="version_sealed_alone",
            ),
        ]

    @property
    def sealed_for(self) -> UUID:
        return self.memory_id

    def __str__(self) -> str:
        return f"version {self.number} of memory {self.memory_id}"
