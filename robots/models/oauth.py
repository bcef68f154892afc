"""What a member allowed an OAuth client: the code that it gets once, and the tokens that follow."""

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils import timezone

from orgs.expiry import not_expired_q
from orgs.models.base import TenantForeignKey, TenantModel


def valid_grant_q(now: datetime) -> Q:
    """Grants whose tokens can be used or renewed."""
    return not_expired_q(now, "key__") & Q(
        key__isnull=False, key__revoked_at=None, robot__retired_at=None
    )


class OAuthGrant(TenantModel):
    """The leave that a member gave to a client on the page of consent.

    client: its id, an address of its metadata or one that registration made. client_name: how it
    calls itself. client_host: where what it gets is sent, or where its metadata lies.
    redirect_uri, code_challenge, code_digest, code_expires_at, code_used_at: of the authorization
    code. robot, key: the personal robot as which the client acts, and its key, made when the code
    is exchanged; the leave holds as long as the key. family_digest, refresh_digest,
    previous_digest, refreshed_at: of the refresh tokens (`robots.oauth.grants`). Digests are
    SHA-256 in hexadecimal.
    """

    member = TenantForeignKey("orgs.Member")
    client = models.CharField(max_length=100)
    client_name = models.CharField(max_length=100, blank=True, default="")
    client_host = models.CharField(max_length=253)
    scopes = models.JSONField(default=list)
    resource = models.CharField(max_length=300)
    redirect_uri = models.CharField(max_length=2_000)
    code_challenge = models.CharField(max_length=128)
    code_digest = models.CharField(max_length=64)
    code_expires_at = models.DateTimeField()
    code_used_at = models.DateTimeField(null=True, blank=True)
    robot = TenantForeignKey("robots.Robot", null=True, blank=True)
    key = TenantForeignKey("robots.Key", null=True, blank=True)
    family_digest = models.CharField(max_length=64, blank=True, default="")
    refresh_digest = models.CharField(max_length=64, blank=True, default="")
    previous_digest = models.CharField(max_length=64, blank=True, default="")
    refreshed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"{self.client_host}: {self.id}"
