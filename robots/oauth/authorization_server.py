"""The rules of OAuth (RFC 6749, PKCE) by oauthlib, with what allauth knows of clients.

oauthlib says in which order what is checked and how it is refused; allauth says how a client proves
itself. Codes and tokens are ours (`robots.oauth.grants`), because they belong to an organisation.
"""

import re
from typing import Any

from allauth.idp.oidc.internal.oauthlib.request_validator import OAuthLibRequestValidator
from allauth.idp.oidc.models import Client
from django.utils import timezone
from oauthlib.common import Request
from oauthlib.oauth2 import WebApplicationServer
from oauthlib.oauth2.rfc6749 import errors

from robots.models.oauth import OAuthGrant
from robots.oauth import grants
from robots.oauth.clients import find_token_client, is_redirect_of
from robots.oauth.server_metadata import SCOPES, is_mcp_resource

ACCESS_SECONDS = int(grants.ACCESS_LIFETIME.total_seconds())
# A digest by SHA-256, in base64 without padding (RFC 7636).
_S256_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
MAX_STATE_CHARACTERS = 2_000


class InvalidTargetError(errors.OAuth2Error):
    """RFC 8707: tokens are made for /mcp alone."""

    error = "invalid_target"
    description = "Tokens are made for /mcp of this server alone."


class GrantValidator(OAuthLibRequestValidator):
    """What oauthlib asks while it handles one request.

    client: that of an authorization, which was fetched already. Never shared by two requests: it
    holds what a code or token turned out to be. On the request itself a client could send a
    parameter of the same name.
    """

    def __init__(self, client: Client | None = None) -> None:
        super().__init__()
        self._client = client
        self._grant: OAuthGrant | None = None
        self._family = ""
        self._tokens: grants.Tokens | None = None

    def _lookup_client(self, request: Request, client_id: str | None) -> Client | None:
        if client_id is None:
            return None
        if self._client is None or self._client.id != client_id:
            self._client = find_token_client(client_id)
        return self._client

    # The authorization.

    def validate_redirect_uri(
        self, client_id: str, redirect_uri: str, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        return is_redirect_of(request.client, redirect_uri)

    def validate_response_type(
        self, client_id: str, response_type: str, client: Client, request: Request,
        *args: Any, **kwargs: Any,
    ) -> bool:  # fmt: skip
        return response_type == "code"

    def validate_scopes(
        self, client_id: str, scopes: list[str], client: Client, request: Request,
        *args: Any, **kwargs: Any,
    ) -> bool:  # fmt: skip
        # Every leave can be renewed, so who asks for that gets it.
        return set(scopes) <= {*SCOPES, "offline_access"}

    def get_default_scopes(
        self, client_id: str, request: Request, *args: Any, **kwargs: Any
    ) -> list[str]:
        return list(SCOPES)

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        return True

    # The exchange of a code.

    def validate_grant_type(
        self, client_id: str, grant_type: str, client: Client, request: Request,
        *args: Any, **kwargs: Any,
    ) -> bool:  # fmt: skip
        return grant_type in ("authorization_code", "refresh_token")

    def validate_code(
        self, client_id: str, code: str, client: Client, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        shown = grants.parse_code(code)
        self._grant = shown and grants.claim_code(shown, request.client.id, timezone.now())
        if self._grant is None:
            return False
        request.user, request.scopes = None, list(self._grant.scopes)
        return True

    def get_code_challenge(self, code: str, request: Request) -> str:
        return self._claimed.code_challenge

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        return "S256"

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Client, request: Request,
        *args: Any, **kwargs: Any,
    ) -> bool:  # fmt: skip
        return bool(redirect_uri == self._claimed.redirect_uri)

    def invalidate_authorization_code(
        self, client_id: str, code: str, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """`issue_tokens` marked it as used."""

    # Renewing.

    def validate_refresh_token(
        self, refresh_token: str, client: Client, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        shown = grants.parse_refresh_token(refresh_token)
        if shown is None:
            return False
        self._family = shown.secrets[0]
        self._grant = grants.claim_refresh_token(shown, request.client.id, timezone.now())
        request.user = None
        return self._grant is not None

    def get_original_scopes(
        self, refresh_token: str, request: Request, *args: Any, **kwargs: Any
    ) -> list[str]:
        return list(self._claimed.scopes)

    def rotate_refresh_token(self, request: Request) -> bool:
        return True

    # What both give.

    def issue_access_token(self, request: Request) -> str:
        """The text of the access token; the refresh token is made with it."""
        self._tokens = grants.issue_tokens(
            self._claimed, request.scopes, timezone.now(), family=self._family
        )
        return self._tokens.access

    def issue_refresh_token(self, request: Request) -> str:
        """The text of the refresh token that was made with the access token."""
        if self._tokens is None:
            raise RuntimeError("The access token is made first.")
        return self._tokens.refresh

    def save_bearer_token(
        self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any
    ) -> None:
        """It is stored since it was made."""

    def revoke_token(
        self, token: str, token_type_hint: str, request: Request, *args: Any, **kwargs: Any
    ) -> None:
        grants.revoke_token(token, request.client.id, timezone.now())

    @property
    def _claimed(self) -> OAuthGrant:
        if self._grant is None:
            raise RuntimeError("Nothing was claimed.")
        return self._grant


def build_server(resources: list[str], client: Client | None = None) -> WebApplicationServer:
    """The server for one request. resources: what the request says tokens are for (RFC 8707).
    client: that of an authorization."""
    validator = GrantValidator(client)
    server = WebApplicationServer(
        validator,
        token_generator=validator.issue_access_token,
        token_expires_in=ACCESS_SECONDS,
        refresh_token_generator=validator.issue_refresh_token,
    )

    def check_resources(request: Request) -> dict[str, Any]:
        if not all(map(is_mcp_resource, resources)):
            raise InvalidTargetError(request=request)
        return {}

    server.auth_grant.custom_validators.pre_auth += [_check_proof_key, check_resources]
    server.auth_grant.custom_validators.pre_token.append(check_resources)
    server.refresh_grant.custom_validators.pre_token.append(check_resources)
    return server


def _check_proof_key(request: Request) -> dict[str, Any]:
    """Raises for a request without a proof key by SHA-256: `plain` is its own proof."""
    if request.code_challenge is None:
        raise errors.MissingCodeChallengeError(request=request)
    if request.code_challenge_method != "S256":
        raise errors.UnsupportedCodeChallengeMethodError(request=request)
    if not _S256_CHALLENGE.fullmatch(request.code_challenge):
        raise errors.InvalidRequestError("The code_challenge is no SHA-256.", request=request)
    if len(request.state or "") > MAX_STATE_CHARACTERS:
        raise errors.InvalidRequestError("The state is too long.", request=request)
    return {}
