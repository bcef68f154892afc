"""Whose address it is: the caller's own words are not believed (T19)."""

import pytest
from django.core.cache import cache
from django.core.checks import run_checks
from django.test import Client, RequestFactory

from orgs.limits.addresses import client_address, client_network
from tests.orgs.accounts.test_entrance import enter
from tests.page_client import get_user, response_text
from tests.world import World

pytestmark = pytest.mark.conformance("T19")
PROXY, REAL = "10.0.0.1", "203.0.113.7"


@pytest.fixture(autouse=True)
def nobody_tried_before() -> None:
    """Attempts of other tests from the same address count as well."""
    cache.clear()


@pytest.mark.parametrize(
    ("count", "forwarded", "found"),
    [
        (0, "", PROXY),
        (0, "198.51.100.1", PROXY),
        (1, "", PROXY),
        (1, REAL, REAL),
        (1, f"198.51.100.1, {REAL}", REAL),
        (1, f"198.51.100.1,not-an-address,{REAL}:4711", REAL),
        (1, f"{REAL}, not-an-address", PROXY),
        (2, f"198.51.100.1, {REAL}, 10.0.0.2", REAL),
        (2, REAL, PROXY),
        (1, "[2001:db8::1]:443", "2001:db8::1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "::ffff:203.0.113.7", REAL),
        (1, "fe80::1%eth0", "fe80::1"),
    ],
)
def test_only_what_our_own_proxies_added_is_believed(
    settings: object, count: int, forwarded: str, found: str
) -> None:
    settings.TRUSTED_PROXY_COUNT = count
    request = RequestFactory().get("/", REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR=forwarded)
    assert client_address(request) == found


def test_without_an_address_there_is_still_one_name(settings: object) -> None:
    for remote in ("", "unix:", "x"):
        assert client_address(RequestFactory().get("/", REMOTE_ADDR=remote)) == "unknown"


def test_a_network_of_version_six_counts_as_one() -> None:
    one, two, other = (
        client_network(RequestFactory().get("/", REMOTE_ADDR=address))
        for address in ("2001:db8:0:1::1", "2001:db8:0:1:ffff::9", "2001:db8:0:2::1")
    )
    assert one == two != other
    assert client_network(RequestFactory().get("/", REMOTE_ADDR=REAL)) == REAL


def test_a_made_up_header_does_not_let_a_guesser_begin_anew(world: World) -> None:
    email = get_user(world.here, "bob").email
    for number in range(8):
        guess = Client(HTTP_X_FORWARDED_FOR=f"198.51.100.{number}")
        assert "do not belong together" in response_text(enter(guess, email, "wrong"))
    for forged in ("198.51.100.200", "not-an-address", ""):
        answer = enter(Client(HTTP_X_FORWARDED_FOR=forged), email)
        assert "Too many attempts" in response_text(answer)


def test_behind_a_proxy_each_caller_counts_alone(world: World, settings: object) -> None:
    settings.TRUSTED_PROXY_COUNT = 1
    email = get_user(world.here, "bob").email
    for _ in range(8):
        enter(Client(HTTP_X_FORWARDED_FOR=f"1.2.3.4, {REAL}"), email, "wrong")
    blocked = enter(Client(HTTP_X_FORWARDED_FOR=f"4.3.2.1, {REAL}"), email)
    assert "Too many attempts" in response_text(blocked)
    assert enter(Client(HTTP_X_FORWARDED_FOR="203.0.113.8"), email).status_code == 302


@pytest.mark.parametrize(
    ("count", "redirect", "warned"), [(0, True, True), (1, True, False), (0, False, False)]
)
def test_a_proxy_that_is_not_counted_is_told(
    settings: object, count: int, redirect: bool, warned: bool
) -> None:
    settings.TRUSTED_PROXY_COUNT, settings.SECURE_SSL_REDIRECT = count, redirect
    found = run_checks(tags=["security"], include_deployment_checks=True)
    assert ("orgs.W002" in [one.id for one in found]) is warned
    assert "orgs.W002" not in [one.id for one in run_checks(tags=["security"])]
