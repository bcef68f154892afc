"""OpenID Connect by configuration: it opens accounts that are there, for proven addresses."""

import secrets
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from config.settings.accounts import SINGLE_SIGN_ON
from orgs.accounts.sessions import list_memberships
from orgs.members.invitations import invite_member
from orgs.models.users import User
from tests.orgs.accounts.test_entrance import enter
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import PASSWORD, World

pytestmark = pytest.mark.conformance("T17")
ISSUER = "https://id.example"
START = f"/accounts/oidc/{SINGLE_SIGN_ON}/login/"


@pytest.fixture(autouse=True)
def configured(settings: Any) -> None:
    cache.clear()
    app = {"provider_id": SINGLE_SIGN_ON, "name": "Halyard ID", "client_id": "c", "secret": "s"}
    app["settings"] = {"server_url": ISSUER}
    settings.SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}
    }


class Answer:
    """What the identity provider would have sent."""

    status_code, headers = 200, {"content-type": "application/json"}

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body

    def json(self) -> dict[str, Any]:
        return self.body

    def raise_for_status(self) -> None:
        """It was fine."""


def sign_on(
    client: Client,
    email: str,
    *,
    verified: object = True,
    sub: str = "",
    told: dict[str, Any] | None = None,
    id_token: dict[str, Any] | None = None,
) -> Any:
    """Go to the provider and come back as somebody there. told: what its userinfo says beside;
    id_token: what an ID token says, if there is one."""
    found = {
        "issuer": ISSUER,
        "authorization_endpoint": f"{ISSUER}/authorize",
        "token_endpoint": f"{ISSUER}/token",
        "userinfo_endpoint": f"{ISSUER}/me",
        "jwks_uri": f"{ISSUER}/keys",
    }
    person = {
        "sub": sub or secrets.token_hex(8),
        "email": email,
        "email_verified": verified,
        **(told or {}),
    }
    tokens = {"access_token": "t"}
    if id_token is not None:
        claims = {"iss": ISSUER, "aud": "c", "exp": 4_000_000_000, "sub": person["sub"], **id_token}
        # It comes over TLS from the provider itself, so its signature is not looked at.
        tokens["id_token"] = jwt.encode(claims, "x" * 32, algorithm="HS256")

    def ask(self: object, method: str, url: str, **kwargs: Any) -> Answer:
        if url.endswith("openid-configuration"):
            return Answer(found)
        return Answer(tokens if url.endswith("/token") else person)

    with patch("requests.Session.request", ask):
        away = client.post(START)["Location"]
        query = parse_qs(urlsplit(away).query)
        assert away.startswith(f"{ISSUER}/authorize?")
        assert query["code_challenge_method"] == ["S256"]
        return client.get(f"{START}callback/", {"code": "x", "state": query["state"][0]})


def test_the_way_is_offered_when_it_is_configured(world: World) -> None:
    assert "Sign in with Halyard ID" in response_text(Client().get("/accounts/login/"))
    assert "You leave this site" in response_text(Client().get(START)), (
        "a link alone signs nobody in"
    )


def test_strangers_and_unproven_addresses_stay_outside(world: World) -> None:
    mina = get_user(world.here, "mina").email
    before = User.objects.count()
    for email, verified in (("new@id.example", True), (mina, False), (mina, "false")):
        client = Client()
        assert "no account for your address" in response_text(
            sign_on(client, email, verified=verified)
        )
        assert "_auth_user_id" not in client.session
    assert User.objects.count() == before


def test_an_invited_address_comes_in_and_joins(world: World) -> None:
    email = f"{secrets.token_hex(6)}@id.example"
    invite_member(world.here.person("ada"), email=email, now=timezone.now())
    client = Client()
    assert sign_on(client, email, sub="one")["Location"] == "/"
    page = response_text(client.get("/organisations/"))
    assert "You are invited" in page
    assert client.post(f"/organisations/{world.there.id}/join/").status_code == 404
    assert client.post(f"/organisations/{world.here.id}/join/")["Location"] == "/"
    assert client.get("/memories/").status_code == 200
    # The sign-on is what opens it from now on, whatever address it names.
    again = Client()
    sign_on(again, "renamed@id.example", sub="one")
    assert again.get("/memories/").status_code == 200


def test_proof_takes_an_account_from_who_seized_its_address(world: World) -> None:
    mina = get_user(world.here, "mina")
    seizer = make_signed_in_client(world.here, "mina")
    seizer.get("/memories/")
    owner = Client()
    sign_on(owner, mina.email)
    assert "Nobody had before" in response_text(owner.get("/accounts/"))
    assert seizer.get("/memories/").status_code == 302
    assert "do not belong together" in response_text(enter(Client(), mina.email, PASSWORD))
    # The owner sets a password; the next sign-on leaves it alone.
    owner.post("/accounts/password/set/", {"password1": "four odd words here"})
    sub = SocialAccount.objects.get(user=mina).uid
    sign_on(Client(), mina.email, sub=sub)
    assert User.objects.get(pk=mina.pk).check_password("four odd words here")
    assert len(list_memberships(mina)) == 1
