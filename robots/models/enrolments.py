"""Enrolment keys: with one, robots register themselves and get keys of their own."""

from datetime import datetime

from django.db import models
from django.utils import timezone

from orgs.expiry import has_expired
from orgs.models.base import TenantForeignKey, TenantModel


class EnrolmentKey(TenantModel):
    """A key that opens nothing but registering.

    scopes, groups: what newcomers get: words of `KeyScope` without `manage`, and ids of groups.
    most, used: how many robots it may register, and how many it did. created_by: the member who
    answers for it, and with whom it goes; None if it was made with a key that a command made.
    """

    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64)
    label = models.CharField(max_length=100, blank=True, default="")
    scopes = models.JSONField(default=list)
    groups = models.JSONField(default=list)
    most = models.PositiveIntegerField()
    used = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = TenantForeignKey("orgs.Member", null=True, blank=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "prefix"], name="enrolment_key_prefix"),
            models.CheckConstraint(
                condition=models.Q(used__lte=models.F("most")), name="enrolment_key_most"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    def state(self, now: datetime) -> str:
        """open, used up, ended or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        if has_expired(self.expires_at, now):
            return "ended"
        return "open" if self.used < self.most else "used_up"
