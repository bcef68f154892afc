"""The account page: an authenticator app, recovery codes, passwords and sessions."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from orgs.models.sign_ins import SignIn
from tests.orgs.accounts.test_entrance import enter
from tests.page_client import count_queries, get_user, make_signed_in_client, response_text
from tests.world import PASSWORD, World

pytestmark = pytest.mark.conformance("T17")
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture(autouse=True)
def no_attempts_yet() -> None:
    cache.clear()


def code(secret: str, steps: int = 0) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def show_it_is_you(client: Client, then: str, password: str = PASSWORD) -> object:
    away = client.get(then)
    assert away["Location"].startswith("/accounts/again/?next=")
    return client.post(away["Location"], {"password": password}, follow=True)


def turn_on(client: Client) -> str:
    """The app's key, once it is on."""
    page = show_it_is_you(client, "/accounts/second-step/app/")
    secret = page.context["form"].secret
    assert "data:image/svg" in response_text(page)
    assert "This code is not right" in response_text(
        client.post("/accounts/second-step/app/", {"code": "000000"})
    )
    done = client.post("/accounts/second-step/app/", {"code": code(secret)})
    assert done["Location"] == "/accounts/second-step/codes/"
    return secret


def test_an_app_and_its_recovery_codes(world: World) -> None:
    email = get_user(world.here, "mina").email
    client = make_signed_in_client(world.here, "mina")
    secret = turn_on(client)
    shown = client.get("/accounts/second-step/codes/").context["unused_codes"]
    assert len(shown) == 10
    again = response_text(client.get("/accounts/second-step/codes/"))
    assert "were shown already" in again
    assert shown[0] not in again
    stored = Authenticator.objects.get(type="totp", user__email=email).data["secret"]
    assert secret not in stored, "the key is encrypted in the database"

    other = Client()
    assert enter(other, email)["Location"] == "/accounts/second-step/authenticate/"
    assert other.get("/memories/").status_code == 302, "the password alone opens nothing"
    step = "/accounts/second-step/authenticate/"
    assert "This code is not right" in response_text(other.post(step, {"code": "123456"}))
    assert other.post(step, {"code": code(secret, 1)}).status_code == 302
    assert other.get("/memories/").status_code == 200

    lost = Client()
    enter(lost, email)
    assert lost.post(step, {"code": shown[0]}).status_code == 302
    assert lost.get("/memories/").status_code == 200
    spent = Client()
    enter(spent, email)
    assert "This code is not right" in response_text(spent.post(step, {"code": shown[0]}))
    assert "9 unused" in response_text(client.get("/accounts/"))


def test_codes_cannot_be_guessed(world: World) -> None:
    email = get_user(world.here, "mina").email
    secret = turn_on(make_signed_in_client(world.here, "mina"))
    cache.clear()
    client, step = Client(), "/accounts/second-step/authenticate/"
    enter(client, email)
    for number in range(8):
        client.post(step, {"code": f"{number:06}"})
    blocked = client.post(step, {"code": code(secret, 1)})
    assert "Too many attempts" in response_text(blocked)


def test_without_a_recent_password_nothing_is_changed(world: World) -> None:
    client = make_signed_in_client(world.here, "mina")
    for act in ("app/", "codes/new/", "passkeys/add/"):
        response = client.post(f"/accounts/second-step/{act}", {"code": "1"})
        assert response["Location"].startswith("/accounts/again/"), act
    wrong = client.post("/accounts/again/", {"password": "not it"})
    assert "This is not your password" in response_text(wrong)


def test_sessions_are_listed_and_ended(world: World) -> None:
    email = get_user(world.here, "mina").email
    here, there = Client(headers={"User-Agent": FIREFOX}), Client(headers={"User-Agent": "curl/8"})
    for client in (here, there):
        enter(client, email)
        client.get("/memories/")
    page = here.get("/accounts/")
    assert [s["browser"] for s in page.context["sign_ins"] if s["here"]] == ["Firefox on Linux"]
    other = next(s for s in page.context["sign_ins"] if not s["here"])
    assert other["browser"] == "curl"
    # Bob may not end Mina's, and learns nothing of it.
    stranger = make_signed_in_client(world.here, "bob")
    assert stranger.post(f"/accounts/sessions/{other['id']}/end/").status_code == 404
    assert there.get("/memories/").status_code == 200
    assert here.post(f"/accounts/sessions/{other['id']}/end/").status_code == 302
    assert there.get("/memories/").status_code == 302
    assert here.get("/memories/").status_code == 200
    enter(there, email)
    there.get("/memories/")
    here.post("/accounts/sessions/end/")
    assert there.get("/memories/").status_code == 302
    assert [s["here"] for s in here.get("/accounts/").context["sign_ins"]] == [True]


def test_a_new_password_signs_out_everywhere_else(world: World) -> None:
    user = get_user(world.here, "mina")
    here, there = (
        make_signed_in_client(world.here, "mina"),
        make_signed_in_client(world.here, "mina"),
    )
    for client in (here, there):
        client.get("/accounts/")
    wrong = here.post(
        "/accounts/password/change/", {"oldpassword": "no", "password1": "four odd words here"}
    )
    assert "not your current password" in response_text(wrong)
    weak = here.post(
        "/accounts/password/change/", {"oldpassword": PASSWORD, "password1": "12345678"}
    )
    assert "too common" in response_text(weak)
    changed = {"oldpassword": PASSWORD, "password1": "four odd words here"}
    assert here.post("/accounts/password/change/", changed)["Location"] == "/accounts/"
    assert here.get("/memories/").status_code == 200
    assert there.get("/memories/").status_code == 302
    assert [s["here"] for s in here.get("/accounts/").context["sign_ins"]] == [True]
    assert SignIn.objects.filter(user=user).count() == 1


def test_an_operator_lets_a_person_choose_a_new_password(
    world: World, capsys: pytest.CaptureFixture[str], settings: object
) -> None:
    email = get_user(world.here, "mina").email
    old = make_signed_in_client(world.here, "mina")
    turn_on(old)
    call_command("reset_password", email, "--forget-second-step")
    url = capsys.readouterr().out.split("reset url: ")[1].strip().removeprefix(settings.PUBLIC_URL)
    assert old.get("/memories/").status_code == 302
    client = Client()
    form = client.get(url, follow=True)
    sent = client.post(form.redirect_chain[-1][0], {"password": "four odd words here"})
    assert sent["Location"] == "/accounts/login/"
    assert "does not work any more" in response_text(Client().get(url, follow=True))
    assert enter(Client(), email, "four odd words here")["Location"] == "/"


def test_the_account_page_asks_few_queries(world: World) -> None:
    client = make_signed_in_client(world.here, "mina")
    for _ in range(3):
        make_signed_in_client(world.here, "mina").get("/memories/")
    client.get("/accounts/")
    assert count_queries(client, "/accounts/") <= 8
