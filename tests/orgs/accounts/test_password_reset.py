"""A new password by mail: the same answer for every address, few mails, links that work once."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.core import mail
from django.test import Client

from orgs.accounts import password_reset
from orgs.accounts.password_reset import (
    ASKED_BY_NETWORK,
    ASKED_FOR_ADDRESS,
    reset_tokens,
    reset_url,
)
from orgs.limits import token_buckets
from orgs.models.base import new_id
from orgs.models.sign_ins import SignIn
from orgs.models.users import User
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import PASSWORD, World

pytestmark = pytest.mark.conformance("X15")

PAGE = "/accounts/password/forgotten/"
NEW = "a few unrelated words"


@pytest.fixture(autouse=True)
def mail_server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EMAIL_HOST = "mail.example"
    # Nobody has asked yet: buckets outlast a test.
    monkeypatch.setattr(token_buckets, "KEY_PREFIX", f"test:{new_id()}:")


def ask(email: str, number: int = 1) -> Any:
    """number: of the network that asks."""
    return Client(REMOTE_ADDR=f"2001:db8:0:{number}::1").post(PAGE, {"email": email})


def test_a_link_by_mail_sets_a_password_once(world: World) -> None:
    mina = get_user(world.here, "mina")
    elsewhere = make_signed_in_client(world.here, "mina")
    assert "Forgot your password?" in response_text(Client().get("/accounts/login/"))
    assert "Look into your mail" in response_text(ask(f" {mina.email.upper()} "))
    (sent,) = mail.outbox
    assert sent.to == [mina.email]
    assert elsewhere.get("/memories/").status_code == 200, "asking alone ends nothing"
    path = urlsplit(sent.body.split("three days:")[1].split()[0]).path
    client = Client()
    form = client.get(path, follow=True)
    assert mina.email in response_text(form)
    client.post(form.redirect_chain[-1][0], {"password": NEW})
    assert elsewhere.get("/memories/").status_code == 302, "every sign-in is ended"
    assert not SignIn.objects.filter(user=mina).exists()
    mina.refresh_from_db()
    assert mina.check_password(NEW)
    over = response_text(Client().get(path, follow=True))
    assert "does not work any more" in over
    assert PAGE in over
    entered = Client().post("/accounts/login/", {"email": mina.email, "password": NEW})
    assert entered["Location"] == "/"


def test_nothing_tells_which_addresses_have_an_account(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, later = world.here, []
    monkeypatch.setattr(password_reset, "run_after_answer", later.append)
    mina = get_user(here, "mina")
    invited = User.objects.create_user(f"new-{here.id}@x.example")
    gone = User.objects.create_user(f"gone-{here.id}@x.example", "xkcd-936", is_active=False)
    addresses = [mina.email, invited.email, gone.email, f"nobody-{here.id}@x.example"]
    pages = [response_text(ask(one)).replace(one, "…") for one in addresses]
    # The token for forms differs.
    assert len({re.sub(r"[A-Za-z0-9]{64}", "", page) for page in pages}) == 1
    assert mail.outbox == []
    assert len(later) == len(addresses), "nobody is looked up before the answer"
    for work in later:
        work()
    assert [one.to for one in mail.outbox] == [[mina.email]]


def test_few_mails_go_to_one_address(world: World) -> None:
    bob = get_user(world.here, "bob").email
    for n in range(ASKED_FOR_ADDRESS + 2):
        assert "Look into your mail" in response_text(ask(bob, n))
    assert len(mail.outbox) == ASKED_FOR_ADDRESS == 3


def test_one_network_asks_a_few_times_an_hour(world: World) -> None:
    answers = [ask(f"{n}-{world.here.id}@x.example") for n in range(22)]
    assert [one.status_code for one in answers] == [200] * ASKED_BY_NETWORK + [422] * 2
    assert ASKED_BY_NETWORK == 20
    assert "Too many attempts" in response_text(answers[-1])


def test_a_link_ends_with_the_next_sign_in(world: World) -> None:
    mina = get_user(world.here, "mina")
    path = urlsplit(reset_url(mina)).path
    assert mina.email in response_text(Client().get(path, follow=True))
    entered = Client().post("/accounts/login/", {"email": mina.email, "password": PASSWORD})
    assert entered["Location"] == "/"
    assert "does not work any more" in response_text(Client().get(path, follow=True))


def test_without_a_mail_server_there_is_no_such_page(world: World, settings: Any) -> None:
    settings.EMAIL_HOST = ""
    assert Client().get(PAGE).status_code == 404
    login = response_text(Client().get("/accounts/login/"))
    assert PAGE not in login
    assert "they can send you a link" in login


def test_what_is_no_address_is_said(world: World) -> None:
    answer = ask("mina")
    assert answer.status_code == 422
    assert "valid email address" in response_text(answer)


def test_a_link_ends_with_a_sign_in_of_the_same_second(world: World) -> None:
    mina = get_user(world.here, "mina")
    first = datetime(2026, 11, 1, 12, 0, 0, 100_000, tzinfo=UTC)
    sign_in_at(mina, first)
    path = urlsplit(reset_url(mina)).path
    assert mina.email in response_text(Client().get(path, follow=True))
    sign_in_at(mina, first.replace(microsecond=900_000))
    assert "does not work any more" in response_text(Client().get(path, follow=True))


def sign_in_at(user: User, now: datetime) -> None:
    user.last_login = now
    user.save(update_fields=["last_login"])


@pytest.mark.parametrize(
    "change",
    [
        {"email": "another@x.example"},
        {"is_active": False},
        {"password": "!"},
    ],
    ids=["another address", "closed", "single sign-on alone"],
)
def test_a_link_ends_with_what_it_was_made_for(world: World, change: dict[str, Any]) -> None:
    mina = get_user(world.here, "mina")
    path = urlsplit(reset_url(mina)).path
    form = Client()
    shown = form.get(path, follow=True)
    assert mina.email in response_text(shown)
    User.objects.filter(pk=mina.pk).update(**change)
    assert "does not work any more" in response_text(Client().get(path, follow=True))
    # Nor in the browser in which it was opened before.
    form.post(shown.redirect_chain[-1][0], {"password": NEW})
    mina.refresh_from_db()
    assert not mina.check_password(NEW)


def test_a_link_ends_after_three_days(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mina = get_user(world.here, "mina")
    path = urlsplit(reset_url(mina)).path
    now = datetime.now().astimezone().replace(tzinfo=None)
    monkeypatch.setattr(reset_tokens, "_now", lambda: now + timedelta(days=3, minutes=-1))
    assert mina.email in response_text(Client().get(path, follow=True))
    monkeypatch.setattr(reset_tokens, "_now", lambda: now + timedelta(days=3, minutes=1))
    assert "does not work any more" in response_text(Client().get(path, follow=True))


def test_a_new_password_skips_no_second_step(world: World) -> None:
    mina = get_user(world.here, "mina")
    TOTP.activate(mina, generate_totp_secret())
    client = Client()
    form = client.get(urlsplit(reset_url(mina)).path, follow=True)
    set_ = client.post(form.redirect_chain[-1][0], {"password": NEW})
    assert set_["Location"] == "/accounts/login/"
    assert "_auth_user_id" not in client.session
    entered = client.post("/accounts/login/", {"email": mina.email, "password": NEW})
    assert entered["Location"].startswith("/accounts/second-step/")
    assert client.get("/memories/").status_code == 302
    assert mina.authenticator_set.count() == 1
