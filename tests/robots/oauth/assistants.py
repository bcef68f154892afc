"""A hosted assistant that asks to be let in, and the person in whose browser it happens."""

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from orgs.database.rls import organisation_scope
from robots.access.keys import AuthenticatedRobot, authenticate_key, parse_key
from robots.models.robots import Robot
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant

CLIENT_ID = "https://assistant.example/oauth/client.json"
REDIRECT = "https://assistant.example/callback"
RESOURCE = "http://testserver/mcp"
METADATA: dict[str, Any] = {
    "client_id": CLIENT_ID,
    "client_name": "Wizard",
    "redirect_uris": [REDIRECT],
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "none",
}
_SEALED = re.compile(r'name="asked" value="([^"]+)"')
_ORGANISATION = re.compile(r'name="in"[^>]*value="([^"]+)"')


def serve_metadata(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> list[str]:
    """Put metadata where the assistant's id says. Returns the addresses that are fetched."""
    fetched: list[str] = []

    def fetch(address: str) -> Any:
        fetched.append(address)
        return {**METADATA, "client_id": address, **changes}

    monkeypatch.setattr("robots.oauth.clients.fetch_metadata", fetch)
    return fetched


@dataclass
class Assistant:
    """What the assistant keeps between its requests."""

    client_id: str = CLIENT_ID
    redirect_uri: str = REDIRECT
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    state: str = "a state"

    def question(self, **changes: str | list[str] | None) -> str:
        """The address to which it sends a person; None leaves a parameter out."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked: dict[str, Any] = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": "read write act",
            "state": self.state,
            "resource": RESOURCE,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            **changes,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        return f"/oauth/authorize?{urlencode(given, doseq=True)}"

    def exchange(self, code: str, **changes: str | None) -> HttpResponse:
        """The answer to a code."""
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": self.verifier,
            "resource": RESOURCE,
            **changes,
        }
        return post_form("/oauth/token", asked)

    def renew(self, refresh_token: str, **changes: str | None) -> HttpResponse:
        """The answer to a refresh token."""
        asked = {
            "grant_type": "refresh_token",
            "refresh_token": refresh_token,
            "client_id": self.client_id,
            **changes,
        }
        return post_form("/oauth/token", asked)


def post_form(address: str, fields: dict[str, str | None]) -> HttpResponse:
    """A form that a program sends, with no cookie."""
    given = {name: value for name, value in fields.items() if value is not None}
    return Client().post(
        address, urlencode(given), content_type="application/x-www-form-urlencoded"
    )


def sealed_form(page: HttpResponse) -> dict[str, str]:
    """What the form of the page of consent would send back, for the organisation named first."""
    text = response_text(page)
    assert page.status_code == 200, text
    sealed, organisation = _SEALED.search(text), _ORGANISATION.search(text)
    assert sealed, text
    assert organisation, text
    return {"asked": sealed[1], "in": organisation[1], "answer": "allow"}


def allow(
    browser: Client, question: str, *scopes: str, organisation: str = "", answer: str = "allow"
) -> HttpResponse:
    """A person presses the button."""
    form: dict[str, Any] = sealed_form(browser.get(question))
    form |= {"scope": list(scopes or ("write", "act")), "answer": answer}
    if organisation:
        form["in"] = organisation
    return browser.post("/oauth/authorize", form)


def sent_back(response: HttpResponse) -> dict[str, str]:
    """What the assistant is sent back with."""
    assert response.status_code == 303, response_text(response)
    return {name: one for name, (one,) in parse_qs(urlsplit(response["Location"]).query).items()}


def connect(
    tenant: Tenant, who: str, *scopes: str, assistant: Assistant | None = None
) -> dict[str, Any]:
    """The tokens of an assistant that this member lets in."""
    assistant = assistant or Assistant()
    browser = make_signed_in_client(tenant, who)
    answer = sent_back(allow(browser, assistant.question(), *scopes, organisation=str(tenant.id)))
    tokens = assistant.exchange(answer["code"])
    assert tokens.status_code == 200, response_text(tokens)
    found: dict[str, Any] = tokens.json()
    return found


def caller(tokens: dict[str, Any], resource: str = RESOURCE) -> AuthenticatedRobot | None:
    """Whom an access token opens /mcp for."""
    key = parse_key(tokens["access_token"], resource)
    return key and authenticate_key(key, timezone.now())


def client_robots(tenant: Tenant, who: str) -> list[Robot]:
    with organisation_scope(tenant.id):
        rows = Robot.objects.filter(owner_id=tenant.members[who].id, organisation_id=tenant.id)
        return list(rows.exclude(client="").order_by("id"))


def refusal(response: HttpResponse) -> tuple[int, str]:
    return response.status_code, response.json()["error"]


def a_code(here: Tenant, assistant: Assistant, who: str = "mina") -> str:
    return sent_back(allow(make_signed_in_client(here, who), assistant.question()))["code"]
