"""Organisations made and removed by a superuser's key."""

import io
import json
import secrets
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from rest_framework.test import APIClient

from memories.safety.personal_data import api_keys
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Member
from orgs.models.superuser_keys import SuperuserKey
from orgs.models.users import User
from orgs.support.superuser_keys import OWNER_ALIAS, authenticate_superuser_key
from tests.databases import rolled_back_connection
from tests.world import World

API = "/api/v1/organisations"


@pytest.fixture
def operator(committed: None) -> Iterator[User]:
    user = User.objects.create_superuser(f"{secrets.token_hex(6)}@support.example", None)
    yield user
    User.objects.using(OWNER_ALIAS).filter(pk=user.pk).delete()


def command(*args: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("create_superuser_key", *args, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def client_of(key: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client


def body(**more: Any) -> dict[str, Any]:
    mark = secrets.token_hex(5)
    return {"name": f"Nova {mark}", "admin": f"{mark}@nova.example"} | more


@pytest.mark.conformance("D01")
def test_a_superusers_key_makes_an_organisation_and_removes_it(operator: User) -> None:
    """Its first admin comes by the link, makes a key, and that key is nobody's afterwards."""
    client = client_of(command(operator.email)["key"])
    sent = body(language="german")
    answer = client.post(API, sent, format="json")
    made = answer.json()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert (made["name"], made["language"]) == (sent["name"], "german")
    assert client.post(API, sent | {"slug": made["slug"]}, format="json").status_code == 409
    path = made["invite_url"].partition("//")[2].partition("/")[2]
    joined = APIClient().post(f"/{path}", {"password": "correct horse battery"})
    assert joined.status_code == 302
    with organisation_scope(made["id"]):
        member = Member.objects.select_related("user").get(user__email=sent["admin"])
        actions = {entry.action: entry.staff for entry in AuditEntry.objects.all()}
        assert (member.role, actions["organisation.created"]) == ("admin", operator.pk)
    browser = APIClient()
    browser.force_login(member.user)
    robot = browser.post("/api/v1/robots", {"name": "Nova robot"}, format="json").json()
    key = browser.post(
        f"/api/v1/robots/{robot['id']}/keys",
        {"label": "x", "scopes": ["read", "manage"]},
        format="json",
    ).json()["key"]
    assert client_of(key).get("/api/v1/organisation").json()["id"] == made["id"]
    # A superuser's key opens no organisation, and no other key makes one.
    assert client.get("/api/v1/organisation").status_code == 401
    assert client_of(key).post(API, body(), format="json").status_code == 401
    assert browser.post(API, body(), format="json").status_code == 401
    assert client.delete(f"{API}/{made['id']}").status_code == 400
    slug = made["slug"]
    assert client.delete(f"{API}/{made['id']}?confirm={slug}&confirm={slug}").status_code == 400
    refused = client.delete(f"{API}/{made['id']}?confirm=other")
    assert (refused.status_code, refused.json()["title"]) == (400, "Not confirmed")
    assert slug not in refused.content.decode()
    assert client_of(key).delete(f"{API}/{made['id']}?confirm={made['slug']}").status_code == 401
    assert client.delete(f"{API}/{made['id']}?confirm={made['slug']}").status_code == 204
    assert client_of(key).get("/api/v1/organisation").status_code == 401
    assert browser.get("/api/v1/organisation").status_code == 401
    assert client.delete(f"{API}/{made['id']}?confirm={made['slug']}").status_code == 404
    member.user.delete()


@pytest.mark.conformance("D01")
@pytest.mark.parametrize("how", ["revoked", "expired", "demoted", "closed", "wrong"])
def test_a_key_ends_with_what_it_stands_on(operator: User, how: str) -> None:
    key = command(operator.email, "--days", "2")["key"]
    now = timezone.now()
    assert authenticate_superuser_key(key, now) == operator
    if how == "revoked":
        assert command(operator.email, "--revoke")["revoked"] == 1
        assert command(operator.email, "--revoke")["revoked"] == 0
    if how == "expired":
        now += timedelta(days=2, seconds=1)
    if how in ("demoted", "closed"):
        fields = {"is_superuser": False} if how == "demoted" else {"is_active": False}
        User.objects.filter(pk=operator.pk).update(**fields)
    if how == "wrong":
        key = key[:-1] + ("a" if key[-1] != "a" else "b")
    assert authenticate_superuser_key(key, now) is None
    if how != "expired":
        assert client_of(key).post(API, body(), format="json").status_code == 401


@pytest.mark.conformance("D01")
@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"language": "polish"}, 400),
        ({"name": "x" * 10_000}, 400),
        ({"name": "a\x00b"}, 400),
        ({"name": "No\u202eva"}, 400),
        ({"slug": "a b"}, 400),
        ({"admin": "nobody"}, 400),
        ({"admin": None}, 400),
        ({"owner": "x"}, 400),
    ],
)
def test_what_is_wrong_makes_nothing(operator: User, more: dict[str, Any], status: int) -> None:
    client, sent = client_of(command(operator.email)["key"]), body(**more)
    assert client.post(API, sent, format="json").status_code == status
    assert not User.objects.filter(email=str(sent["admin"])).exists()


def test_who_is_no_superuser_gets_no_key(lasting_world: World) -> None:
    email = lasting_world.here.members["ada"].user.email
    with pytest.raises(CommandError, match="Only a superuser"):
        command(email)
    with pytest.raises(CommandError, match="no account"):
        command("nobody@nowhere.example")
    with pytest.raises(CommandError, match="1 or more"):
        command(email, "--days", "0")
    assert not SuperuserKey.objects.filter(user__email=email).exists()


def test_the_application_makes_no_such_key(operator: User) -> None:
    for statement in (
        "DELETE FROM orgs_superuserkey",
        "UPDATE orgs_superuserkey SET revoked_at = NULL",
        "INSERT INTO orgs_superuserkey SELECT * FROM orgs_superuserkey",
    ):
        with (
            rolled_back_connection("default") as connection,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            connection.execute(statement)


def test_a_key_goes_with_its_account(operator: User) -> None:
    command(operator.email)
    id_ = operator.pk
    operator.delete()
    assert not SuperuserKey.objects.filter(user_id=id_).exists()
    operator.pk = id_


def test_such_a_key_in_a_text_is_found(operator: User) -> None:
    key = command(operator.email)["key"]
    assert [*api_keys.find_api_keys(f"It is {key} there.")]
