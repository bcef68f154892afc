"""Delegations: a member lets a robot read and write what is private to them, until revoked."""

from django.db import models
from django.utils import timezone

from orgs.models.base import TenantForeignKey, TenantModel


class Delegation(TenantModel):
    member = TenantForeignKey("orgs.Member", related_name="delegations")
    robot = TenantForeignKey("robots.Robot", related_name="delegations")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "member", "robot"],
                condition=models.Q(revoked_at__isnull=True),
                name="delegation_live_once",
            )
        ]
