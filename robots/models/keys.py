"""API keys: a prefix to find them by, a hash of a 256-bit secret, shown once."""

from datetime import datetime

from django.db import models
from django.utils import timezone

from orgs.expiry import has_expired, not_expired_sql
from orgs.models.base import TenantForeignKey, TenantModel
from orgs.principals import MANAGE_SCOPE


def valid_key_sql(key: str = "k", *, now: str = "%(now)s::timestamptz") -> str:
    """The condition of SQL that a key is valid: neither revoked nor expired. key: the alias of the
    table. A robot that was retired has no use for a valid key (`robots.access.keys`)."""
    return f"({key}.revoked_at IS NULL AND {not_expired_sql(key, now=now)})"


class KeyScope(models.TextChoices):
    READ = "read"
    WRITE = "write"
    ACT_FOR = "act_for", "act for members"
    MANAGE = MANAGE_SCOPE, "manage the organisation"


class Key(TenantModel):
    """A key of a robot, or the access token of an OAuth client, which is a key whose text changes.

    expires_at: the end of the key, or of the client's leave. text_expires_at: the end of an access
    token; the client may renew it before `expires_at`. resource: the address for which a token was
    made, and at which alone it is valid. A key that somebody made has neither.
    """

    robot = TenantForeignKey("robots.Robot", related_name="keys")
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    label = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    created_by = TenantForeignKey("orgs.Member", null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    text_expires_at = models.DateTimeField(null=True, blank=True)
    resource = models.CharField(max_length=300, blank=True, default="", db_default="")
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "prefix"], name="key_prefix")
        ]
        indexes = [models.Index(fields=["organisation", "robot"], name="key_robot")]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    def is_valid(self, now: datetime) -> bool:
        """`valid_key_sql` for this row."""
        return self.revoked_at is None and not has_expired(self.expires_at, now)
