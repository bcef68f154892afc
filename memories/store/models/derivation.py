"""What a memory was made from."""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey


class Derivation(MemoryPart):
    """The memory was made from `source`; known to those who may read both.

    `source_audience` and `source_kind` follow the source as `audience` and `kind` follow the
    memory.
    """

    source = TenantForeignKey("memories.Memory")
    source_audience = TenantForeignKey("orgs.Audience")
    source_kind = models.CharField(max_length=12)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "source"], name="derivation_once"
            )
        ]
        indexes = [models.Index(fields=["organisation", "source"], name="derivation_source")]

    def __str__(self) -> str:
        return f"memory {self.memory_id} made from {self.source_id}"
