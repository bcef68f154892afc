"""Clients that register themselves (RFC 7591), where the setting allows it; allauth makes the rows.

Nobody vouches for such a client, so the page of consent says so, and what nobody used is deleted.
"""

from datetime import timedelta
from typing import Any

from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.models import Client
from django.core.exceptions import ValidationError
from django.utils import timezone

from robots.oauth.clients import check_redirects, is_metadata_address
from robots.oauth.errors import ClientMetadataError

UNUSED_LIFETIME = timedelta(days=1)
MAX_BODY_BYTES = 5 * 1024
_REGISTERED, _ALLOWED = "registered", "allowed"


class RegistrationAdapter(DefaultOIDCAdapter):
    """What allauth asks before it stores a client."""

    def validate_client_registration(
        self, *, client: Client, client_metadata: dict[str, Any], **kwargs: Any
    ) -> None:
        """Check where answers go, and keep of the metadata only what is needed. Raises
        ValidationError."""
        try:
            check_redirects(client.get_redirect_uris())
        except ClientMetadataError as error:
            raise ValidationError(str(error)) from error
        client.data = {_REGISTERED: True}
        delete_unused_clients()


def delete_unused_clients() -> None:
    """Delete clients that registered themselves a day ago and that nobody let in."""
    unused = Client.objects.filter(created_at__lt=timezone.now() - UNUSED_LIFETIME)
    unused.filter(data=({_REGISTERED: True})).delete()


def record_use(client_id: str) -> None:
    """Note that somebody let a client in, so that it is not deleted."""
    if not is_metadata_address(client_id):
        Client.objects.filter(id=client_id).update(data={_REGISTERED: True, _ALLOWED: True})
