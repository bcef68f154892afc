"""As whom a client acts, who sees it, and how it ends (N19)."""

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

from memories.privacy.export_my_data import iter_export
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.members.members import remove_member
from orgs.models.memberships import Member, Role
from orgs.principals import resolve_principal
from robots.access.keys import authenticate_key, parse_key
from robots.oauth import grants
from tests.page_client import count_queries, get_user, make_signed_in_client, response_text
from tests.robots.oauth.assistants import (
    CLIENT_ID,
    REDIRECT,
    Assistant,
    a_code,
    allow,
    caller,
    client_robots,
    connect,
    refusal,
)
from tests.world import Tenant

pytestmark = [pytest.mark.conformance("N19"), pytest.mark.usefixtures("served")]


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


def test_a_sheet_of_readers_names_it_where_it_reads(here: Tenant) -> None:
    private = here.remember(here.person("mina"), "Mina keeps this.", visibility="private").id

    connect(here, "mina", "write")
    without = response_text(
        make_signed_in_client(here, "mina").get(f"/memories/{private}/readers/")
    )
    assert "assistant.example" not in without
    tokens = connect(here, "mina")
    page = make_signed_in_client(here, "mina")
    assert "assistant.example" in response_text(page.get(f"/memories/{private}/readers/"))
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        # Its token is over; it can renew it.
        assert caller(tokens) is None
        assert "assistant.example" in response_text(page.get(f"/memories/{private}/readers/"))


def test_what_a_member_takes_along_names_their_assistants(here: Tenant) -> None:
    connect(here, "mina")
    lines = [orjson.loads(line) for line in b"".join(iter_export(here.person("mina"))).splitlines()]
    [told] = [line for line in lines if "assistant" in line]
    assert (told["assistant"], told["name"]) == ("assistant.example", "Wizard")
    assert told["scopes"] == ["act_for", "read", "write"]
    assert b'"assistant"' not in b"".join(iter_export(here.person("bob")))


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
