"""From the question to the tokens: what a person is asked, and what a client gets (N19)."""

from datetime import timedelta
from typing import Any

import orjson
import pytest
import time_machine
from allauth.idp.oidc.models import Client as OAuthClient
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.members.members import remove_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member, Role
from orgs.principals import resolve_principal
from robots.access.keys import AuthenticatedRobot, authenticate_key, parse_key
from robots.models.keys import Key
from robots.models.oauth import OAuthGrant
from robots.models.robots import Robot
from robots.oauth import grants
from tests.orgs.accounts.test_second_step import code, turn_on
from tests.page_client import count_queries, get_user, make_signed_in_client, response_text
from tests.robots.oauth.assistants import (
    CLIENT_ID,
    REDIRECT,
    RESOURCE,
    Assistant,
    allow,
    connect,
    post_form,
    sealed_form,
    sent_back,
    serve_metadata,
)
from tests.world import PASSWORD, Tenant, World

pytestmark = pytest.mark.conformance("N19")


@pytest.fixture(autouse=True)
def _served(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.PUBLIC_URL = "http://testserver"
    serve_metadata(monkeypatch)


@pytest.fixture
def here(world: World) -> Tenant:
    return world.here


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


def test_a_token_is_the_member_through_a_robot_of_the_client(here: Tenant) -> None:
    tokens = connect(here, "mina")
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert tokens["scope"] == "read write act"
    found = caller(tokens)
    assert found
    actor = found.actor()
    assert (actor.member_id, actor.owner_id) == (here.members["mina"].id,) * 2
    [robot] = client_robots(here, "mina")
    assert (actor.robot_id, robot.client) == (robot.id, CLIENT_ID)
    assert robot.name.startswith("assistant.example ")
    assert "mina" not in robot.name.lower()


def test_it_reads_what_the_member_reads_as_a_member_and_no_more(here: Tenant) -> None:
    made = {
        who: [
            here.remember(here.person(who), f"{who} keeps this.", visibility="private").id,
            here.remember(here.person(who), f"{who} tells all.", visibility="organisation").id,
        ]
        for who in ("mina", "bob", "ada", "chidi")
    }
    here.remember(here.person("bob"), "Bob tells the launch group.", group="launch")
    for who in ("mina", "bob", "chidi", "ada"):
        found = caller(connect(here, who))
        assert found
        reads = here.readable(found.actor())
        assert reads <= here.readable(here.person(who))
        assert made[who][0] in reads
        assert not {made[other][0] for other in made if other != who} & reads
    mina = caller(connect(here, "mina"))
    assert mina
    assert here.readable(mina.actor()) == here.readable(here.person("mina"))


def test_without_act_it_reads_what_everybody_reads(here: Tenant) -> None:
    own = here.remember(here.person("mina"), "Mina keeps this.", visibility="private").id
    found = caller(connect(here, "mina", "write"))
    assert found
    assert found.scopes == {"read", "write"}
    assert found.actor().member_id is None
    assert own not in here.readable(found.actor())


def test_one_robot_for_each_member_and_client(here: Tenant) -> None:
    other = Assistant(client_id="https://other.example/client.json")
    tokens = [connect(here, "mina"), connect(here, "mina"), connect(here, "bob")]
    tokens.append(connect(here, "mina", assistant=other))
    robots = [found.robot_id for one in tokens if (found := caller(one))]
    assert len(robots) == 4
    assert robots[0] == robots[1]
    assert len(set(robots)) == 3


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
def test_a_client_that_asks_wrongly_is_told_so(here: Tenant, name: str) -> None:
    changes, error = BAD_QUESTIONS[name]
    answer = make_signed_in_client(here, "mina").get(Assistant().question(**changes))
    told = sent_back(answer)
    assert told["error"] == error
    assert told["iss"] == "http://testserver"
    assert answer["Location"].startswith(f"{REDIRECT}?")


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


def a_code(here: Tenant, assistant: Assistant, who: str = "mina") -> str:
    return sent_back(allow(make_signed_in_client(here, who), assistant.question()))["code"]


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


def test_a_removed_member_a_closed_account_and_a_lower_role(here: Tenant) -> None:
    tokens = {who: connect(here, who) for who in ("mina", "bob", "chidi")}
    remove_member(here.person("ada"), member_id=here.members["mina"].id, now=timezone.now())
    assert caller(tokens["mina"]) is None
    assert refusal(Assistant().renew(tokens["mina"]["refresh_token"]))[1] == "invalid_grant"
    user = get_user(here, "bob")
    user.is_active = False
    user.save()
    assert caller(tokens["bob"]) is None
    assert refusal(Assistant().renew(tokens["bob"]["refresh_token"]))[1] == "invalid_grant"
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["chidi"].id).update(role=Role.VIEWER)
    found = caller(tokens["chidi"])
    assert found
    assert found.actor().only_reads


def test_who_was_removed_meanwhile_gets_nothing_for_a_code(here: Tenant) -> None:
    assistant = Assistant()
    given = a_code(here, assistant)
    remove_member(here.person("ada"), member_id=here.members["mina"].id, now=timezone.now())
    assert refusal(assistant.exchange(given)) == (400, "invalid_grant")


def test_a_viewer_lets_nobody_write(here: Tenant) -> None:
    page = response_text(make_signed_in_client(here, "vera").get(Assistant().question()))
    assert 'value="write"' not in page
    tokens = connect(here, "vera", "write", "act")
    assert tokens["scope"] == "read act"


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


def test_nobody_has_more_leaves_than_a_page_shows(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grants, "MAX_GRANTS", 2)
    connect(here, "mina")
    connect(here, "mina")
    browser = make_signed_in_client(here, "mina")
    answer = allow(browser, Assistant().question())
    assert answer.status_code == 400
    assert "End some" in response_text(answer)


def test_what_it_adds_is_the_members_alone_unless_it_says_otherwise(here: Tenant) -> None:
    found = caller(connect(here, "mina"))
    assert found
    made = here.remember(found.actor(), "Mina parks on deck 3.")
    assert made.id in here.readable(here.person("mina"))
    assert made.id not in here.readable(here.person("bob"))
    assert made.id not in here.readable(here.person("ada"))
    with resolve_principal(here.person("mina")).scope():
        row = Memory.objects.get(id=made.id)
        assert (row.member_id, row.robot_id) == (here.members["mina"].id, found.robot_id)


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


def test_my_memories_shows_it_and_ends_it_with_one_press(here: Tenant) -> None:
    tokens = [connect(here, "mina"), connect(here, "mina")]
    mina, bob = (make_signed_in_client(here, name) for name in ("mina", "bob"))
    page = response_text(mina.get("/me/"))
    assert page.count("assistant.example</strong>") == 1
    assert "It calls itself “<bdi>Wizard</bdi>”. It reads and writes as you. Never used" in page
    assert caller(tokens[0])
    assert "Last used" in response_text(mina.get("/me/"))
    assert "assistant.example" not in response_text(bob.get("/me/"))
    assert count_queries(mina, "/me/") <= 13
    [robot] = client_robots(here, "mina")
    end = f"/me/assistants/{robot.id}/end/"
    assert bob.post(end).status_code == 404
    assert make_signed_in_client(here, "ada").post(end).status_code == 404
    assert caller(tokens[0])
    assert mina.get(end).status_code == 302
    assert mina.post(end).status_code == 302
    assert [caller(one) for one in tokens] == [None, None]
    assert refusal(Assistant().renew(tokens[0]["refresh_token"])) == (400, "invalid_grant")
    assert "assistant.example" not in response_text(mina.get("/me/"))
    assert [one.retired_at is None for one in client_robots(here, "mina")] == [False]
    # Let in again it is the same robot.
    found = caller(connect(here, "mina"))
    assert found
    assert found.robot_id == robot.id
    assert mina.post(f"/me/assistants/{here.robots['bolt'].id}/end/").status_code == 404


def test_its_keys_are_nobodys_to_make_or_renew(here: Tenant) -> None:
    found = caller(connect(here, "ada"))
    assert found
    ada = here.browser("ada")
    keys = f"/api/v1/robots/{found.robot_id}/keys"
    assert ada.post(keys, {"label": "x"}, format="json").status_code == 403
    assert ada.post(f"{keys}/{found.key_id}/renew", {}, format="json").status_code == 403
    assert ada.delete(f"{keys}/{found.key_id}").status_code == 204
    assert authenticate_key(parse_key("x") or "x", timezone.now()) is None
    own = make_signed_in_client(here, "ada")
    assert "assistant.example" not in response_text(own.get("/me/robot/"))
    assert [one["label"] for one in ada.get("/api/v1/me/robot/keys").json()["results"]] == []


def test_what_it_registers_is_looked_at(here: Tenant, settings: Any) -> None:
    body = {"client_name": "Wizard", "redirect_uris": ["http://127.0.0.1/callback"]}
    body["token_endpoint_auth_method"] = "none"

    def register(**changes: Any) -> HttpResponse:
        content = orjson.dumps(body | changes)
        return Client().post("/oauth/register", content, content_type="application/json")

    assert register().status_code == 404
    settings.IDP_OIDC_DCR_ENABLED = True
    settings.IDP_OIDC_RATE_LIMITS = {"client_registration": "100/m/ip"}
    cache.clear()
    for wrong in (
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": ["http://evil.example/"]},
        {"redirect_uris": []},
        {"client_name": "W" * 10_000},
        {"grant_types": ["implicit"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
    ):
        assert register(**wrong).status_code == 400, wrong
    for content in (b"", b"{", b"[]", b"[" * 4_000, b"\xff"):
        answer = Client().post("/oauth/register", content, content_type="application/json")
        assert answer.status_code == 400
    made = register(client_name="claude.ai")
    assert made.status_code == 201, response_text(made)
    assistant = Assistant(
        client_id=made.json()["client_id"], redirect_uri="http://127.0.0.1:5123/callback"
    )
    page = response_text(make_signed_in_client(here, "mina").get(assistant.question()))
    assert "Nobody vouches for it" in page
    assert "a program on this device" in page
    assert "Let 127.0.0.1 in?" in page
    tokens = connect(here, "mina", assistant=assistant)
    assert caller(tokens)
    # What nobody lets in is deleted after a day; what somebody did stays.
    register()
    with time_machine.travel(timezone.now() + timedelta(days=2), tick=False):
        cache.clear()
        register()
        assert OAuthClient.objects.count() == 2
        assert assistant.renew(tokens["refresh_token"]).status_code == 200
    settings.IDP_OIDC_DCR_ENABLED = False
    assert assistant.renew(tokens["refresh_token"]).status_code in (400, 401)


def test_a_client_with_a_secret_has_to_show_it(here: Tenant, settings: Any) -> None:
    settings.IDP_OIDC_DCR_ENABLED = True
    settings.IDP_OIDC_RATE_LIMITS = {"client_registration": "100/m/ip"}
    body = {"client_name": "Wizard", "redirect_uris": [REDIRECT]}
    body["token_endpoint_auth_method"] = "client_secret_post"
    made = Client().post("/oauth/register", orjson.dumps(body), content_type="application/json")
    told = made.json()
    assistant = Assistant(client_id=told["client_id"])
    given = a_code(here, assistant)
    assert assistant.exchange(given).status_code == 401
    assert assistant.exchange(given, client_secret="x").status_code == 401
    tokens = assistant.exchange(given, client_secret=told["client_secret"])
    assert tokens.status_code == 200
    refresh = tokens.json()["refresh_token"]
    assert assistant.renew(refresh).status_code == 401
    assert assistant.renew(refresh, client_secret=told["client_secret"]).status_code == 200
