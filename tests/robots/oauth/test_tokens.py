"""Codes and tokens: for whom, for what, for how long, how often (N19)."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from robots.models.keys import Key
from robots.models.oauth import OAuthGrant
from robots.oauth import grants
from tests.robots.oauth.assistants import (
    CLIENT_ID,
    REDIRECT,
    Assistant,
    a_code,
    caller,
    connect,
    post_form,
    refusal,
)
from tests.world import Tenant

pytestmark = [pytest.mark.conformance("N19"), pytest.mark.usefixtures("served")]


BAD_EXCHANGES = {
    "another client": {"client_id": "https://other.example/client.json"},
    "no client": {"client_id": None},
    "another address": {"redirect_uri": "https://assistant.example/other"},
    "no address": {"redirect_uri": None},
    "no proof": {"code_verifier": None},
    "another proof": {"code_verifier": "x" * 43},
    "another resource": {"resource": "https://other.example/mcp"},
    "no code": {"code": None},
    "half a code": {"code": "cmo_x"},
    "another kind": {"grant_type": "password"},
    "no kind": {"grant_type": None},
}


@pytest.mark.parametrize("name", BAD_EXCHANGES)
def test_a_code_is_worth_nothing_to_others(here: Tenant, name: str) -> None:
    assistant = Assistant()
    given = a_code(here, assistant)
    answer = assistant.exchange(**{"code": given, **BAD_EXCHANGES[name]})
    assert answer.status_code in (400, 401)
    assert answer.json()["error"].startswith(("invalid_", "unsupported_", "mismatch"))
    assert answer["Content-Type"] == "application/json"
    with organisation_scope(here.id):
        assert not Key.objects.exclude(resource="").exists()
    assert assistant.exchange(given).status_code == 200


def test_a_code_ends_after_a_minute(here: Tenant) -> None:
    assistant = Assistant()
    given = a_code(here, assistant)
    with time_machine.travel(timezone.now() + timedelta(seconds=61), tick=False):
        assert refusal(assistant.exchange(given)) == (400, "invalid_grant")


def test_a_code_that_is_used_twice_ends_what_it_gave(here: Tenant) -> None:
    assistant = Assistant()
    given = a_code(here, assistant)
    tokens = assistant.exchange(given).json()
    assert caller(tokens)
    assert refusal(assistant.exchange(given)) == (400, "invalid_grant")
    assert caller(tokens) is None
    assert refusal(assistant.renew(tokens["refresh_token"])) == (400, "invalid_grant")
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(action="key.revoked").count() == 1


def test_a_token_is_renewed_and_the_old_one_ends(here: Tenant) -> None:
    tokens, assistant = connect(here, "mina"), Assistant()
    before = caller(tokens)
    renewed = assistant.renew(tokens["refresh_token"]).json()
    after = caller(renewed)
    assert before
    assert after
    assert (before.key_id, before.robot_id) == (after.key_id, after.robot_id)
    assert caller(tokens) is None
    with time_machine.travel(timezone.now() + timedelta(minutes=61), tick=False):
        assert caller(renewed) is None
        narrower = assistant.renew(renewed["refresh_token"], scope="read").json()
        found = caller(narrower)
        assert found
        assert found.scopes == {"read"}
        assert refusal(assistant.renew(narrower["refresh_token"], scope="manage"))[1] == (
            "invalid_scope"
        )
    with time_machine.travel(timezone.now() + timedelta(days=91), tick=False):
        assert refusal(assistant.renew(narrower["refresh_token"])) == (400, "invalid_grant")


def test_a_refresh_token_that_is_used_twice_ends_the_leave(here: Tenant) -> None:
    tokens, assistant = connect(here, "mina"), Assistant()
    renewed = assistant.renew(tokens["refresh_token"]).json()
    # A client that asks twice at once is refused, and keeps what it has.
    assert refusal(assistant.renew(tokens["refresh_token"])) == (400, "invalid_grant")
    assert caller(renewed)
    with time_machine.travel(timezone.now() + grants.RETRY_INTERVAL, tick=False):
        assert refusal(assistant.renew(tokens["refresh_token"])) == (400, "invalid_grant")
        assert caller(renewed) is None
        assert refusal(assistant.renew(renewed["refresh_token"])) == (400, "invalid_grant")


def test_a_refresh_token_is_worth_nothing_to_others(here: Tenant) -> None:
    tokens, other = connect(here, "mina"), Assistant(client_id="https://other.example/c.json")
    refresh = tokens["refresh_token"]
    family, secret = refresh.split(".")
    swapped = f"{family[:-43]}{secret}.{family[-43:]}"
    for wrong in (swapped, refresh.replace("cmr_", "cmo_"), "", tokens["access_token"]):
        assert Assistant().renew(wrong).status_code == 400
    assert refusal(other.renew(refresh)) == (400, "invalid_grant")
    assert caller(tokens), "a stranger's attempt ends nothing"
    assert Assistant().renew(refresh, resource="https://other.example/").status_code == 400


def test_a_token_opens_only_what_it_is_made_for(here: Tenant, settings: Any) -> None:
    tokens = connect(here, "mina")
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {tokens['access_token']}"}
    assert Client().get("/api/v1/me", **bearer).status_code == 401
    assert caller(tokens, "") is None
    assert caller(tokens, "https://other.example/mcp") is None
    refresh = {"HTTP_AUTHORIZATION": f"Bearer {tokens['refresh_token']}"}
    assert Client().get("/api/v1/me", **refresh).status_code == 401


def test_a_client_ends_its_own_leave(here: Tenant) -> None:
    for kind in ("access_token", "refresh_token"):
        tokens = connect(here, "mina")
        fields = {"token": tokens[kind], "client_id": "https://other.example/client.json"}
        assert post_form("/oauth/revoke", fields).status_code == 200
        assert caller(tokens)
        fields["client_id"] = CLIENT_ID
        assert post_form("/oauth/revoke", fields).status_code == 200
        assert caller(tokens) is None
        assert post_form("/oauth/revoke", fields).status_code == 200
    assert post_form("/oauth/revoke", {"token": "x", "client_id": CLIENT_ID}).status_code == 200
    assert post_form("/oauth/revoke", {"client_id": CLIENT_ID}).status_code == 400


def test_the_tables_hold_no_secret(here: Tenant) -> None:
    assistant = Assistant()
    given = a_code(here, assistant)
    tokens = assistant.exchange(given).json()
    with organisation_scope(here.id):
        rows = [*OAuthGrant.objects.values(), *Key.objects.values()]
    text = repr(rows)
    for secret in (given[-43:], tokens["access_token"][-43:], tokens["refresh_token"][-43:]):
        assert secret not in text
    assert tokens["refresh_token"][-87:-44] not in text
    assert REDIRECT not in repr([one for one in rows if "code_digest" in one])


@pytest.mark.parametrize(
    "header", ["Basic !!!", "Basic " + "x" * 10_000, "Basic Og==", "Basic \x00", "Bearer x", "x"]
)
def test_a_header_that_proves_nothing_helps_nobody(here: Tenant, header: str) -> None:
    assistant = Assistant()
    given = a_code(here, assistant)
    fields = {"grant_type": "authorization_code", "code": given, "redirect_uri": REDIRECT}
    for changes in ({}, {"client_id": "\x00"}, {"client_id": "https://[/"}):
        answer = Client().post("/oauth/token", fields | changes, HTTP_AUTHORIZATION=header)
        assert answer.status_code in (400, 401)
    assert assistant.exchange(given).status_code == 200


def test_who_is_taken_off_the_list_renews_no_more(here: Tenant, settings: Any) -> None:
    tokens = connect(here, "mina")
    settings.OAUTH_CLIENT_HOSTS = ["other.example"]
    assert Assistant().renew(tokens["refresh_token"]).status_code in (400, 401)
    settings.OAUTH_CLIENT_HOSTS = ["assistant.example"]
    assert Assistant().renew(tokens["refresh_token"]).status_code == 200
