"""What clients read first: where tokens are got, for what and how (RFC 8414, RFC 9728)."""

from typing import Any

from allauth.idp.oidc import app_settings
from django.conf import settings
from django.urls import reverse

# The scopes of OAuth by what a key may (`robots.models.keys.KeyScope`).
KEY_SCOPES = {"read": "read", "write": "write", "act": "act_for"}
SCOPES = tuple(KEY_SCOPES)
RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource/mcp"


def issuer() -> str:
    """Who makes the tokens; clients compare it letter by letter."""
    return settings.PUBLIC_URL.rstrip("/")


def mcp_resource() -> str:
    """The address for which tokens are made."""
    return f"{issuer()}/mcp"


def is_mcp_resource(address: str) -> bool:
    """Whether a client means /mcp of this server. A slash at the end is no other address."""
    return address.removesuffix("/") == mcp_resource()


def server_metadata() -> dict[str, Any]:
    """The metadata of the authorization server (RFC 8414)."""
    # A client that registered itself may have got a secret.
    methods = list(reversed(app_settings.AUTH_METHODS)) if app_settings.DCR_ENABLED else ["none"]
    described: dict[str, Any] = {
        "issuer": issuer(),
        "authorization_endpoint": issuer() + reverse("oauth-authorize"),
        "token_endpoint": issuer() + reverse("oauth-token"),
        "revocation_endpoint": issuer() + reverse("oauth-revoke"),
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_methods_supported": methods,
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "service_documentation": f"{issuer()}/api/v1/docs",
    }
    if app_settings.DCR_ENABLED:
        described["registration_endpoint"] = issuer() + reverse("oauth-register")
    return described


def resource_metadata() -> dict[str, Any]:
    """The metadata of /mcp (RFC 9728)."""
    return {
        "resource": mcp_resource(),
        "resource_name": "Commonmind",
        "authorization_servers": [issuer()],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
    }


def render_challenge(*, had_token: bool) -> str:
    """`WWW-Authenticate` of a 401 at /mcp. had_token: the request presented one, which is not
    valid."""
    error = 'error="invalid_token", ' if had_token else ""
    metadata = issuer() + RESOURCE_METADATA_PATH
    return f'Bearer {error}resource_metadata="{metadata}", scope="{" ".join(SCOPES)}"'
