"""API keys: a prefix to find them by, a hash of a 256-bit secret, shown once."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from orgs.expiry import has_expired, not_expired_q, not_expired_sql
from orgs.models.base import TenantForeignKey, TenantModel
from orgs.principals import MANAGE_SCOPE

# The most groups and the most networks to which a key is limited.
MAX_KEY_GROUPS = 50
MAX_NETWORKS = 50


def valid_key_sql(key: str = "k", *, now: str = "%(now)s::timestamptz") -> str:
    """The condition of SQL that a key is valid: neither revoked nor expired. key: the alias of the
    table. A robot that was retired has no use for a valid key (`robots.access.keys`)."""
    return f"({key}.revoked_at IS NULL AND {not_expired_sql(key, now=now)})"


def valid_key_q(now: datetime) -> models.Q:
    """`valid_key_sql` as a condition of the ORM."""
    return not_expired_q(now) & models.Q(revoked_at=None)


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
    groups: ids of the groups to which it is limited, in order; networks: the addresses from which
    it opens anything, as CIDR. None without a limit. An id of a group that has gone opens nothing.
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
    groups = ArrayField(models.UUIDField(), null=True, blank=True)
    networks = ArrayField(models.CharField(max_length=50), null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "prefix"], name="key_prefix"),
            # An empty list would look like no limit to whoever reads it in a hurry.
            models.CheckConstraint(
                condition=models.Q(groups=None)
                | models.Q(groups__len__gt=0, groups__len__lte=MAX_KEY_GROUPS),
                name="key_groups_counted",
            ),
            models.CheckConstraint(
                condition=models.Q(networks=None)
                | models.Q(networks__len__gt=0, networks__len__lte=MAX_NETWORKS),
                name="key_networks_counted",
            ),
            # Who administers could seat the robot elsewhere and make a key without a limit.
            models.CheckConstraint(
                condition=models.Q(groups=None) | ~models.Q(scopes__contains=[MANAGE_SCOPE]),
                name="key_groups_without_manage",
            ),
        ]
        indexes = [models.Index(fields=["organisation", "robot"], name="key_robot")]

    def __str__(self) -> str:
        return f"{self.prefix}…"

    def is_valid(self, now: datetime) -> bool:
        """`valid_key_sql` for this row."""
        return self.revoked_at is None and not has_expired(self.expires_at, now)
