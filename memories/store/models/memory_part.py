"""Rows that belong to a memory and are readable exactly like it."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class MemoryPart(TenantModel):
    """Carries the memory's audience and kind, so that its own policy can decide.

    The database keeps them equal: a composite foreign key on (organisation, memory, audience,
    kind) follows every change of the memory and goes with it.
    """

    memory = TenantForeignKey("memories.Memory")
    audience = TenantForeignKey("orgs.Audience")
    kind = models.CharField(max_length=12)

    class Meta:
        abstract = True
