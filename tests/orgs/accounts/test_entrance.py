"""Signing in with a password: closed to strangers, slow for guessers, back to local pages only."""

import re
import secrets

import pytest
from django.core.cache import cache
from django.test import Client

from orgs.models.users import User
from tests.people import text, user_of
from tests.world import PASSWORD, World

pytestmark = pytest.mark.conformance("T17")


@pytest.fixture(autouse=True)
def no_attempts_yet() -> None:
    """Attempts are counted by address too, and every test comes from the same one."""
    cache.clear()


def enter(client: Client, email: str, password: str = PASSWORD, **more: str) -> object:
    return client.post("/accounts/login/", {"email": email, "password": password, **more})


def test_sign_in_and_out(world: World) -> None:
    client, mina = Client(), user_of(world.here, "mina").email
    assert "/memories/" in client.get("/memories/")["Location"]
    assert enter(client, mina.upper(), next="/memories/add/")["Location"] == "/memories/add/"
    assert client.get("/memories/").status_code == 200
    assert "Sign out?" in text(client.get("/accounts/logout/"))
    for _ in range(2):
        assert client.post("/accounts/logout/")["Location"] == "/accounts/login/"
    assert client.get("/memories/").status_code == 302


@pytest.mark.parametrize(
    "wish",
    ["https://evil.example/", "//evil.example", "javascript:alert(1)", "http://testserver/x"],
)
def test_next_never_leaves_the_site(world: World, wish: str) -> None:
    client, mina = Client(), user_of(world.here, "mina").email
    assert enter(client, mina, next=wish)["Location"] == "/"
    assert client.post("/accounts/logout/", {"next": wish})["Location"] == "/accounts/login/"


def test_the_same_words_whatever_is_wrong(world: World) -> None:
    invited = User.objects.create_user(f"{secrets.token_hex(6)}@x.example")
    tries = [
        (user_of(world.here, "mina").email, "wrong"),
        (f"{secrets.token_hex(6)}@x.example", PASSWORD),
        (invited.email, PASSWORD),
    ]
    for one in tries:
        assert "do not belong together" in text(enter(Client(), *one))
    off = User.objects.create_user(f"{secrets.token_hex(6)}@x.example", PASSWORD, is_active=False)
    response = enter(Client(), off.email)
    assert response["Location"] == "/accounts/inactive/"
    assert "_auth_user_id" not in response.client.session


def test_guessing_is_slowed_down(world: World) -> None:
    email = user_of(world.here, "bob").email
    for _ in range(8):
        assert "do not belong together" in text(enter(Client(), email, "wrong"))
    assert "Too many attempts" in text(enter(Client(), email))
    # Bob himself, elsewhere, is not locked out by it.
    assert enter(Client(REMOTE_ADDR="192.0.2.7"), email).status_code == 302


def test_guessing_from_many_addresses_is_slowed_down(world: World, settings: object) -> None:
    limits = settings.ACCOUNT_RATE_LIMITS | {"login_failed_everywhere": "3/3600s/key"}
    settings.ACCOUNT_RATE_LIMITS = limits
    email = user_of(world.here, "bob").email
    for number in range(3):
        enter(Client(REMOTE_ADDR=f"192.0.2.{number}"), email, "wrong")
    blocked = text(enter(Client(REMOTE_ADDR="192.0.2.9"), email))
    assert "Too many attempts" in blocked


def test_people_get_in_and_guessers_do_not_while_redis_is_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis

    def away(*args: object, **kwargs: object) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr("redis.connection.ConnectionPool.get_connection", away)
    mina, bob = user_of(world.here, "mina").email, user_of(world.here, "bob").email
    assert enter(Client(), mina).status_code == 302
    for _ in range(8):
        enter(Client(), bob, "wrong")
    assert "Too many attempts" in text(enter(Client(), bob))


def test_there_is_no_way_to_sign_up(world: World) -> None:
    for address in ("signup/", "password/reset/", "email/", "social/signup/", "oidc/sso/login/"):
        assert Client().get(f"/accounts/{address}").status_code == 404, address
    assert "single sign-on" not in text(Client().get("/accounts/login/"))


def test_forms_need_the_token_and_pages_allow_no_inline_script(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    assert enter(client, user_of(world.here, "mina").email).status_code == 403
    page = client.get("/accounts/login/")
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    inline = re.findall(r"<script(?![^>]*src=)([^>]*)>", text(page))
    assert all('type="application/json"' in attributes for attributes in inline)
