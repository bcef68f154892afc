"""Sign in and out, accept an invitation, choose an organisation."""

import secrets
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from orgs import throttling
from orgs.models import User
from orgs.rls import organisation_scope
from orgs.services import create_member
from tests.people import signed_in, text, user_of
from tests.world import PASSWORD, Tenant, World


def enter(client: Client, email: str, password: str = PASSWORD, **more: str) -> object:
    return client.post("/accounts/login/", {"email": email, "password": password, **more})


def address(tenant: Tenant, name: str) -> str:
    return user_of(tenant, name).email


def test_sign_in_and_out(world: World) -> None:
    client = Client()
    response = enter(client, address(world.here, "mina").upper(), next="/memories/add/")
    assert response["Location"] == "/memories/add/"
    assert client.get("/memories/").status_code == 200
    assert client.get("/accounts/logout/").status_code == 405
    for _ in range(2):
        assert client.post("/accounts/logout/")["Location"] == "/accounts/login/"
    assert client.get("/memories/").status_code == 302


@pytest.mark.parametrize("wish", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_next_never_leaves_the_site(world: World, wish: str) -> None:
    assert enter(Client(), address(world.here, "mina"), next=wish)["Location"] == "/"


def test_the_same_words_whatever_is_wrong(world: World) -> None:
    inactive = User.objects.create_user(f"{secrets.token_hex(6)}@x.example", PASSWORD)
    User.objects.filter(pk=inactive.pk).update(is_active=False)
    invited = User.objects.create_user(f"{secrets.token_hex(6)}@x.example")
    tries = [
        (address(world.here, "mina"), "wrong"),
        (f"{secrets.token_hex(6)}@x.example", PASSWORD),
        (inactive.email, PASSWORD),
        (invited.email, ""),
        (invited.email, PASSWORD),
    ]
    answers = [enter(Client(), *one) for one in tries]
    assert {a.status_code for a in answers} == {422}
    spoken = ["do not belong together" in text(a) for a in answers]
    assert spoken == [True, True, True, False, True]


def test_guessing_is_slowed_down(world: World) -> None:
    email = address(world.here, "bob")
    for _ in range(throttling.FAILURES):
        assert "do not belong together" in text(enter(Client(), email, "wrong"))
    assert "Too many attempts" in text(enter(Client(), email))
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert enter(elsewhere, email).status_code == 302


def test_people_get_in_while_redis_is_away(world: World, settings: object) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert enter(Client(), address(world.here, "mina")).status_code == 302


def invite(tenant: Tenant) -> tuple[str, str]:
    email = f"{secrets.token_hex(6)}@new.example"
    _, secret = create_member(
        organisation_id=tenant.id, email=email, name="Nora", now=timezone.now()
    )
    return email, f"/invite/{tenant.id}/{secret}"


def test_an_invitation_works_once(world: World) -> None:
    email, url = invite(world.here)
    client = Client()
    assert f"Join {world.here.organisation.name}" in text(client.get(url))
    weak = client.post(url, {"password": "12345678"})
    assert weak.status_code == 422
    assert client.post(url, {"password": "four odd words here"})["Location"] == "/"
    assert client.get("/memories/").status_code == 200
    for response in (client.get(url), Client().post(url, {"password": "another one entirely"})):
        assert response.status_code == 404
        assert "does not work any more" in text(response)
    assert enter(Client(), email, "four odd words here").status_code == 302


def test_forged_invitations(world: World) -> None:
    _, url = invite(world.here)
    secret = url.split("/")[-1]
    for forged in (
        f"/invite/{world.there.id}/{secret}",
        f"/invite/{UUID(int=1)}/{secret}",
        f"/invite/{world.here.id}/x",
        f"/invite/{world.here.id}/%00",
    ):
        assert Client().get(forged).status_code == 404, forged


def join(world: World) -> Client:
    """Mina belongs to both organisations."""
    email = address(world.here, "mina")
    create_member(organisation_id=world.there.id, email=email, name="Mina", now=timezone.now())
    return signed_in(world.here, "mina")


def test_several_organisations_are_chosen_between(world: World) -> None:
    client = join(world)
    here, there = world.here.organisation, world.there.organisation
    assert client.get("/memories/")["Location"] == "/organisations/"
    page = text(client.get("/organisations/"))
    assert here.name in page
    assert there.name in page
    client.get(f"/organisations/{there.slug}/")
    assert f"in {there.name} have learned" in text(client.get("/memories/"))
    client.get(f"/organisations/{here.slug}/")
    assert f"in {here.name} have learned" in text(client.get("/memories/"))


def test_forged_slugs(world: World) -> None:
    client = signed_in(world.here, "ada")
    for slug in (world.there.organisation.slug, "nothing-like-it"):
        response = client.get(f"/organisations/{slug}/")
        assert response.status_code == 404
        assert world.there.organisation.name not in text(response)


def test_who_was_removed_from_the_chosen_one_is_not_put_into_another(world: World) -> None:
    client = join(world)
    client.get(f"/organisations/{world.here.organisation.slug}/")
    with organisation_scope(world.here.id):
        world.here.members["mina"].delete()
    response = client.post("/memories/add/", {"content": "Meant for the first."})
    assert response["Location"] == "/organisations/"


def test_anonymous_and_api_requests_get_no_frame(
    world: World, client: Client, django_assert_num_queries: object
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/nothing-here/").status_code == 404
        assert client.get("/accounts/login/").status_code == 200
