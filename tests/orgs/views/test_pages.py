"""Choosing among organisations, and the frame around the pages."""

from django.test import Client
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import World


def join(world: World) -> Client:
    """Mina belongs to both organisations."""
    email = get_user(world.here, "mina").email
    create_member(organisation_id=world.there.id, email=email, name="Mina", now=timezone.now())
    return make_signed_in_client(world.here, "mina")


def test_several_organisations_are_chosen_between(world: World) -> None:
    client = join(world)
    here, there = world.here.organisation, world.there.organisation
    assert client.get("/memories/")["Location"] == "/organisations/"
    page = response_text(client.get("/organisations/"))
    assert here.name in page
    assert there.name in page
    client.get(f"/organisations/{there.slug}/")
    assert f"in {there.name} have learned" in response_text(client.get("/memories/"))
    client.get(f"/organisations/{here.slug}/")
    assert f"in {here.name} have learned" in response_text(client.get("/memories/"))


def test_forged_slugs(world: World) -> None:
    client = make_signed_in_client(world.here, "ada")
    for slug in (world.there.organisation.slug, "nothing-like-it"):
        response = client.get(f"/organisations/{slug}/")
        assert response.status_code == 404
        assert world.there.organisation.name not in response_text(response)


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
