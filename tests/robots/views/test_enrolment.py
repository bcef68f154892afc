"""The page of enrolment keys: for admins alone, and a key is shown once."""

import re

import pytest
from django.test import Client

from orgs.database.rls import organisation_scope
from robots.models.enrolments import EnrolmentKey
from tests.page_client import make_signed_in_client
from tests.robots.access.test_enrolment import enrol
from tests.world import World

PAGE = "/robots/enrolment/"


def filled(client: Client) -> dict[str, str]:
    once = re.search(r'name="once" value="([^"]+)"', client.get(PAGE).content.decode())
    assert once is not None
    return {"once": once[1], "name": "Build", "scopes": "read", "robots": "2", "days": "30"}


@pytest.mark.conformance("D02")
def test_an_admin_makes_one_sees_it_once_and_ends_it(world: World) -> None:
    here = world.here
    client = make_signed_in_client(here, "ada")
    form = filled(client)
    page = client.post(f"{PAGE}add/", form)
    assert page.status_code == 200
    found = re.search(r'id="new-key">(cme_[\w-]+)<', page.content.decode())
    assert found is not None
    status, told = enrol(found[1], name="Scribe")
    assert (status, told["scopes"]) == (201, ["read"])
    again = client.post(f"{PAGE}add/", form, follow=True).content.decode()
    assert "shown only once" in again
    assert "cme_" not in re.sub("cme_…", "", again)
    assert "1 of 2" in again
    with organisation_scope(here.id):
        [key] = EnrolmentKey.objects.filter(organisation_id=here.id)
    assert client.post(f"{PAGE}{key.id}/revoke/").status_code == 302
    assert "Revoked" in client.get(PAGE).content.decode()
    assert enrol(found[1], name="Later")[0] == 401


@pytest.mark.conformance("D02")
def test_a_wrong_form_makes_none_and_says_why(world: World) -> None:
    client = make_signed_in_client(world.here, "ada")
    for wrong in ({"robots": "0"}, {"days": "9999"}, {"scopes": "manage"}, {"once": "x"}):
        assert client.post(f"{PAGE}add/", filled(client) | wrong).status_code == 422, wrong
    with organisation_scope(world.here.id):
        assert not EnrolmentKey.objects.filter(organisation_id=world.here.id).exists()


@pytest.mark.conformance("D02")
def test_others_have_no_such_page_and_no_tab(world: World) -> None:
    for name in ("chidi", "mina", "vera"):
        client = make_signed_in_client(world.here, name)
        assert client.get(PAGE).status_code == 404
        assert client.post(f"{PAGE}add/", {}).status_code == 404
    assert PAGE not in make_signed_in_client(world.here, "chidi").get("/robots/").content.decode()
    assert PAGE in make_signed_in_client(world.here, "ada").get("/robots/").content.decode()
