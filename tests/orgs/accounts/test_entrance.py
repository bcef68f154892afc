"""Signing in with a password: closed to strangers, slow for guessers, back to local pages only."""

import re
import secrets

import pytest
from django.core import signing
from django.core.cache import cache
from django.test import Client

from orgs.models.users import User
from tests.page_client import get_user, response_text
from tests.world import PASSWORD, World

pytestmark = pytest.mark.conformance("T17")


@pytest.fixture(autouse=True)
def no_attempts_yet() -> None:
    """Attempts are counted by address too, and every test comes from the same one."""
    cache.clear()


def enter(client: Client, email: str, password: str = PASSWORD, **more: str) -> object:
    return client.post("/accounts/login/", {"email": email, "password": password, **more})


def test_sign_in_and_out(world: World) -> None:
    client, mina = Client(), get_user(world.here, "mina").email
    assert "/memories/" in client.get("/memories/")["Location"]
    assert enter(client, mina.upper(), next="/memories/add/")["Location"] == "/memories/add/"
    assert client.get("/memories/").status_code == 200
    assert "Sign out?" in response_text(client.get("/accounts/logout/"))
    for _ in range(2):
        assert client.post("/accounts/logout/")["Location"] == "/accounts/login/"
    assert client.get("/memories/").status_code == 302


@pytest.mark.parametrize(
    "wish",
    ["https://evil.example/", "//evil.example", "javascript:alert(1)", "http://testserver/x"],
)
def test_next_never_leaves_the_site(world: World, wish: str) -> None:
    client, mina = Client(), get_user(world.here, "mina").email
    assert enter(client, mina, next=wish)["Location"] == "/"
    assert client.post("/accounts/logout/", {"next": wish})["Location"] == "/accounts/login/"


def test_the_same_words_whatever_is_wrong(world: World) -> None:
    invited = User.objects.create_user(f"{secrets.token_hex(6)}@x.example")
    tries = [
        (get_user(world.here, "mina").email, "wrong"),
        (f"{secrets.token_hex(6)}@x.example", PASSWORD),
        (invited.email, PASSWORD),
    ]
    for one in tries:
        assert "do not belong together" in response_text(enter(Client(), *one))
    off = User.objects.create_user(f"{secrets.token_hex(6)}@x.example", PASSWORD, is_active=False)
    response = enter(Client(), off.email)
    assert response["Location"] == "/accounts/inactive/"
    assert "_auth_user_id" not in response.client.session


def test_guessing_is_slowed_down(world: World) -> None:
    email = get_user(world.here, "bob").email
    for _ in range(8):
        assert "do not belong together" in response_text(enter(Client(), email, "wrong"))
    assert "Too many attempts" in response_text(enter(Client(), email))
    # Bob himself, elsewhere, is not locked out by it.
    assert enter(Client(REMOTE_ADDR="192.0.2.7"), email).status_code == 302


def test_guessing_from_many_addresses_is_slowed_down(world: World, settings: object) -> None:
    limits = settings.ACCOUNT_RATE_LIMITS | {"login_failed_everywhere": "3/3600s/key"}
    settings.ACCOUNT_RATE_LIMITS = limits
    email = get_user(world.here, "bob").email
    for number in range(3):
        enter(Client(REMOTE_ADDR=f"192.0.2.{number}"), email, "wrong")
    blocked = response_text(enter(Client(REMOTE_ADDR="192.0.2.9"), email))
    assert "Too many attempts" in blocked


def test_a_stranger_at_the_same_address_locks_out_no_known_browser(world: World) -> None:
    """Behind a proxy that is not trusted everybody has one address. The limits are those shipped:
    eight at an address, sixty everywhere."""
    bob, mina = get_user(world.here, "bob").email, get_user(world.here, "mina").email
    known = Client()
    enter(known, bob)
    known.post("/accounts/logout/")
    for number in range(60):
        enter(Client(REMOTE_ADDR=f"192.0.2.{max(0, number - 8)}"), bob, "wrong")
    for _ in range(8):
        enter(Client(), bob, "wrong")
    assert "Too many attempts" in response_text(enter(Client(), bob))
    assert "Too many attempts" in response_text(enter(Client(REMOTE_ADDR="192.0.2.99"), bob)), (
        "everywhere"
    )
    # The cookie is of one account, and only of a browser that was signed in.
    stranger = Client()
    enter(stranger, mina)
    stranger.post("/accounts/logout/")
    assert "Too many attempts" in response_text(enter(stranger, bob))
    forged = Client()
    forged.cookies["known_browser"] = known.cookies["known_browser"].value[:-1] + "x"
    assert "Too many attempts" in response_text(enter(forged, bob))
    assert enter(known, bob.upper())["Location"] == "/"


def test_a_known_browser_is_slowed_down_too(world: World) -> None:
    bob = get_user(world.here, "bob").email
    known = Client()
    enter(known, bob)
    known.post("/accounts/logout/")
    for _ in range(8):
        assert "do not belong together" in response_text(enter(known, bob, "wrong"))
    assert "Too many attempts" in response_text(enter(known, bob))
    # Signing in again elsewhere gives another browser a count of its own, not this one a new count.
    assert enter(Client(), bob).status_code == 302
    assert "Too many attempts" in response_text(enter(known, bob))


def test_the_cookie_of_a_known_browser_says_nothing_and_is_out_of_reach(world: World) -> None:
    client, bob = Client(), get_user(world.here, "bob").email
    enter(client, bob)
    cookie = client.cookies["known_browser"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert bob not in str(signing.loads(cookie.value, salt="orgs.known-browser"))
    before = cookie.value
    client.get("/memories/")
    assert client.cookies["known_browser"].value == before, "only signing in sets it"


def test_people_get_in_and_guessers_do_not_while_redis_is_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    import redis

    def away(*args: object, **kwargs: object) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr("redis.connection.ConnectionPool.get_connection", away)
    mina, bob = get_user(world.here, "mina").email, get_user(world.here, "bob").email
    assert enter(Client(), mina).status_code == 302
    for _ in range(8):
        enter(Client(), bob, "wrong")
    assert "Too many attempts" in response_text(enter(Client(), bob))


def test_there_is_no_way_to_sign_up(world: World) -> None:
    for address in ("signup/", "password/reset/", "email/", "social/signup/", "oidc/sso/login/"):
        assert Client().get(f"/accounts/{address}").status_code == 404, address
    assert "single sign-on" not in response_text(Client().get("/accounts/login/"))


def test_forms_need_the_token_and_pages_allow_no_inline_script(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    assert enter(client, get_user(world.here, "mina").email).status_code == 403
    page = client.get("/accounts/login/")
    policy = page["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    inline = re.findall(r"<script(?![^>]*src=)([^>]*)>", response_text(page))
    assert all('type="application/json"' in attributes for attributes in inline)
