"""What a person is asked before a client is let in, and what the client is told (N19)."""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from robots.models.oauth import OAuthGrant
from tests.orgs.accounts.test_second_step import code, turn_on
from tests.page_client import count_queries, get_user, make_signed_in_client, response_text
from tests.robots.oauth.assistants import (
    REDIRECT,
    RESOURCE,
    Assistant,
    allow,
    caller,
    sealed_form,
    sent_back,
    serve_metadata,
)
from tests.world import PASSWORD, Tenant, World

pytestmark = [pytest.mark.conformance("N19"), pytest.mark.usefixtures("served")]


def test_the_metadata_says_where_and_how(here: Tenant, settings: Any) -> None:
    server = Client().get("/.well-known/oauth-authorization-server")
    told = server.json()
    assert told["issuer"] == "http://testserver"
    assert told["authorization_endpoint"] == "http://testserver/oauth/authorize"
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["token_endpoint_auth_methods_supported"] == ["none"]
    assert told["client_id_metadata_document_supported"] is True
    assert told["authorization_response_iss_parameter_supported"] is True
    assert "registration_endpoint" not in told
    assert server["Access-Control-Allow-Origin"] == "*"
    resource = Client().get("/.well-known/oauth-protected-resource/mcp").json()
    assert resource["resource"] == RESOURCE
    assert resource["authorization_servers"] == [told["issuer"]]
    settings.IDP_OIDC_DCR_ENABLED = True
    told = Client().get("/.well-known/oauth-authorization-server").json()
    assert told["registration_endpoint"] == "http://testserver/oauth/register"
    assert told["token_endpoint_auth_methods_supported"][0] == "none"


def test_a_person_in_two_organisations_chooses_one(world: World) -> None:
    here, there = world.here, world.there
    user = get_user(here, "mina")
    with organisation_scope(there.id):
        other = Member.objects.create(
            organisation_id=there.id, user=user, name="Mina", joined_at=timezone.now()
        )
    browser, assistant = make_signed_in_client(here, "mina"), Assistant()
    page = response_text(browser.get(assistant.question()))
    assert here.organisation.name in page
    assert there.organisation.name in page
    back = sent_back(allow(browser, assistant.question(), organisation=str(there.id)))
    found = caller(assistant.exchange(back["code"]).json())
    assert found
    assert (found.organisation_id, found.owner_id) == (there.id, other.id)
    assert here.readable(found.actor()) == set()
    # An organisation in which they are not.
    form = sealed_form(browser.get(assistant.question())) | {"in": "0" * 32}
    assert browser.post("/oauth/authorize", form).status_code == 400


def test_the_page_says_what_by_whom_and_where(here: Tenant, monkeypatch: Any) -> None:
    serve_metadata(monkeypatch, client_name="claude.ai")
    browser = make_signed_in_client(here, "mina")
    page = response_text(browser.get(Assistant().question()))
    assert "Let assistant.example in?" in page
    assert "“<bdi>claude.ai</bdi>”, and any program can choose that name" in page
    assert here.organisation.name in page
    assert "what is private to you" in page
    assert "Launch" in page or "launch" in page
    assert count_queries(browser, Assistant().question()) <= 13
    serve_metadata(monkeypatch, client_name="Wi\u202ezard <script>")
    page = response_text(browser.get(Assistant().question()))
    assert "calls itself" not in page
    assert "\u202e" not in page
    assert "<script>" not in page.split("<main", 1)[1]


def test_the_page_stands_in_no_frame_and_leads_to_the_client_alone(here: Tenant) -> None:
    page = make_signed_in_client(here, "mina").get(Assistant().question())
    policy = page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://assistant.example;" in f"{policy};"
    assert "default-src 'self'" in policy


def test_no_other_site_presses_the_button(here: Tenant) -> None:
    careful = Client(enforce_csrf_checks=True)
    here.sign_in(careful, "mina")
    form = sealed_form(careful.get(Assistant().question()))
    assert careful.post("/oauth/authorize", form).status_code == 403
    # Nor is a form taken that was made for another person.
    bob = make_signed_in_client(here, "bob")
    assert bob.post("/oauth/authorize", form).status_code == 400
    with time_machine.travel(timezone.now() + timedelta(minutes=11), tick=False):
        mina = make_signed_in_client(here, "mina")
        assert mina.post("/oauth/authorize", form).status_code == 400
    mina = make_signed_in_client(here, "mina")
    assert mina.post("/oauth/authorize", form | {"asked": form["asked"] + "x"}).status_code == 400
    assert mina.post("/oauth/authorize", {}).status_code == 400
    with organisation_scope(here.id):
        assert not OAuthGrant.objects.exists()


def test_who_says_no_is_believed(here: Tenant) -> None:
    told = sent_back(
        allow(make_signed_in_client(here, "mina"), Assistant().question(), answer="no")
    )
    assert told == {"error": "access_denied", "state": "a state", "iss": "http://testserver"}
    with organisation_scope(here.id):
        assert not OAuthGrant.objects.exists()


def test_nobody_is_asked_before_they_have_signed_in(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = serve_metadata(monkeypatch)
    question = Assistant().question()
    answer = Client().get(question)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/?next=/oauth/authorize")
    assert Client().post("/oauth/authorize", {"answer": "allow"}).status_code == 302
    assert fetched == []


def test_a_second_step_comes_before_the_question(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    fetched = serve_metadata(monkeypatch)
    secret = turn_on(make_signed_in_client(here, "mina"))
    browser, question = Client(), Assistant().question()
    form = {"email": get_user(here, "mina").email, "password": PASSWORD, "next": question}
    step = browser.post("/accounts/login/", form)["Location"]
    assert step.startswith("/accounts/second-step/authenticate/")
    assert browser.get(question)["Location"].startswith("/accounts/login/")
    assert fetched == []
    after = browser.post(step, {"code": code(secret, 1)})
    assert after["Location"] == question
    assert "Let assistant.example in?" in response_text(browser.get(question))


BAD_QUESTIONS = {
    "no proof key": ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
    "a plain one": ({"code_challenge_method": "plain"}, "invalid_request"),
    "one of no method": ({"code_challenge_method": None}, "invalid_request"),
    "one that is no digest": ({"code_challenge": "short"}, "invalid_request"),
    "another resource": ({"resource": "https://other.example/mcp"}, "invalid_target"),
    "one more resource": ({"resource": [RESOURCE, "https://other.example/"]}, "invalid_target"),
    "an unknown scope": ({"scope": "read manage"}, "invalid_scope"),
    "another kind of answer": ({"response_type": "token"}, "unsupported_response_type"),
    "a mixed kind of answer": ({"response_type": "code token"}, "unauthorized_client"),
    "a long state": ({"state": "x" * 2_001}, "invalid_request"),
}


@pytest.mark.parametrize("name", BAD_QUESTIONS)
def test_a_client_that_asks_wrongly_is_told_so_by_a_press(here: Tenant, name: str) -> None:
    """Anybody can be a client. Without a press, an address of this server would lead anywhere, or
    start a program by its scheme."""
    changes, error = BAD_QUESTIONS[name]
    answer = make_signed_in_client(here, "mina").get(Assistant().question(**changes))
    assert answer.status_code == 400
    assert "Location" not in answer
    text = response_text(answer)
    assert "Tell assistant.example</a>" in text
    links = re.findall(rf'href="({re.escape(REDIRECT)}[^"]*)" rel="noreferrer"', text)
    [told] = [parse_qs(urlsplit(unescape(link)).query) for link in links]
    assert told["error"] == [error]
    assert told["iss"] == ["http://testserver"]


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": None}, {"client_id": "https://other.example/client.json?x"},
        {"client_id": ["x", "y"]}, {"redirect_uri": None}, {"redirect_uri": "https://evil.example/"},
        {"redirect_uri": REDIRECT + "/more"}, {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": [REDIRECT, REDIRECT]}, {"state": ["x", "y"]}, {"redirect_uri": "\x00"},
        {"client_id": "0" * 32},
    ],
)  # fmt: skip
def test_nobody_is_sent_where_the_client_does_not_belong(
    here: Tenant, changes: dict[str, Any]
) -> None:
    answer = make_signed_in_client(here, "mina").get(Assistant().question(**changes))
    assert answer.status_code == 400
    assert "cannot be let in" in response_text(answer)
    assert "Location" not in answer


def test_the_fetches_of_one_account_are_counted(here: Tenant, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "client-metadata": 2}
    browser = make_signed_in_client(here, "mina")
    found = [browser.get(Assistant().question()).status_code for _ in range(3)]
    assert found == [200, 200, 429]
