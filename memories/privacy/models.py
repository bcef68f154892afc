"""Disclosures: memories that support staff opened, why, and for how long."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from orgs.models.base import TenantForeignKey, TenantModel


class Disclosure(TenantModel):
    """One memory, opened by one member of support, for a reason and some minutes; append-only like
    the audit trail.

    `told`: the members whose memory it is; they see the disclosure on My memories. If the memory is
    erased later, the row stays without it.
    """

    memory = TenantForeignKey("memories.Memory", null=True)
    staff = models.UUIDField()
    staff_name = models.CharField(max_length=200)
    reason = models.CharField(max_length=300)
    told = ArrayField(models.UUIDField(), default=list)
    opened_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["organisation", "staff", "memory"], name="disclosure_open")]

    def __str__(self) -> str:
        return f"{self.staff_name} {self.opened_at:%Y-%m-%d %H:%M}"
