"""The address of a form's answer, asked for by itself, leads to the page where the form is."""

from uuid import UUID

import pytest
from django.urls import reverse

from tests.isolation.api_surface import LED_TO, UNTENANTED_PATHS, iter_url_patterns
from tests.page_client import make_signed_in_client, response_text
from tests.sampling import sample_slice
from tests.world import World

NOBODY = UUID("01990000-0000-7000-8000-00000000dead")
HX = {"HX-Request": "true"}
GIVEN = {"slug": "nowhere", "name": "days", "number": 1, "pk": 1, "provider_id": "x"}
GIVEN |= {"uidb64": "x", "token": "y", "secret": "z"}
PROGRAMS = tuple(part for part in UNTENANTED_PATHS if part != "accounts/")
# What clients of OAuth post to; no page leads there.
OF_CLIENTS = {"oauth-token", "oauth-revoke", "oauth-register"}
# allauth's own, which answer a script.
SCRIPTS = {"mfa_login_webauthn", "mfa_reauthenticate_webauthn"}


def addresses() -> dict[str, str]:
    """Every page of the product by its name."""
    found = {}
    for route, pattern in iter_url_patterns():
        if (
            pattern.name
            and pattern.name not in OF_CLIENTS
            and not route.startswith(("api/", *PROGRAMS))
        ):
            wanted = pattern.pattern.converters
            args = {name: GIVEN.get(name, NOBODY) for name in wanted}
            found[pattern.name] = reverse(pattern.name, kwargs=args)
    return found


@pytest.mark.parametrize("one_of", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_no_page_answers_with_nothing(
    world: World, one_of: int, request: pytest.FixtureRequest
) -> None:
    """No address answers 405 to a browser that opens it, and what it leads to has words."""
    ada = make_signed_in_client(world.here, "ada")
    posted = 0
    for name, url in [*addresses().items()][sample_slice(request, one_of)]:
        if name in SCRIPTS | {"me-export", "me-export-page", "account_logout"}:
            continue
        answer = ada.get(url)
        assert answer.status_code != 405, url
        if answer.status_code == 302:
            posted += ada.post(url).status_code != 405
            answer = ada.get(url, follow=True)
        expected = (400,) if url in LED_TO else (200, 401, 403, 404)
        assert answer.status_code in expected, (url, answer.status_code)
        if answer["Content-Type"].startswith("text/html"):
            assert "<h1" in response_text(answer), url
    assert posted > 20 / one_of / 2


@pytest.mark.parametrize(
    ("url", "above"),
    [
        (f"/review/{NOBODY}/approve/", f"/review/{NOBODY}/"),
        (f"/people/{NOBODY}/role/", f"/people/{NOBODY}/"),
        ("/robots/add/", "/robots/"),
        ("/people/groups/add/", "/people/groups/"),
        (f"/me/robots/{NOBODY}/revoke/", "/me/robots/"),
        ("/me/learning/", "/me/"),
        (f"/memories/{NOBODY}/forget/", f"/memories/{NOBODY}/"),
        (f"/robots/keys/{NOBODY}/renew/", "/robots/"),
    ],
)
def test_it_leads_to_the_page_above(world: World, url: str, above: str) -> None:
    ada = make_signed_in_client(world.here, "ada")
    assert (ada.get(url).status_code, ada.get(url)["Location"]) == (302, above)
    by_htmx = ada.get(url, headers=HX)
    assert (by_htmx.status_code, by_htmx["HX-Redirect"]) == (204, above)


def test_a_form_sent_to_a_page_is_told_what_to_do(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    for url in ("/audit/", "/knowledge/", "/people/"):
        answer = ada.post(url)
        assert (answer.status_code, "takes no form" in response_text(answer)) == (405, True), url
        assert "GET" in answer["Allow"]
    api = world.here.browser("ada").delete("/api/v1/stats")
    assert api["Content-Type"] == "application/problem+json"
