"""Add, edit, forget and bring back; sent twice, stale, or by somebody who may not."""

import re
from uuid import UUID

import pytest
from django.test import Client

from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.page_client import get_user, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


def fields(**changed: object) -> dict[str, object]:
    return {
        "content": "The office closes at six.",
        "importance": "0.5",
        "audience": "private",
    } | changed


def stored(tenant: Tenant, name: str, id_: UUID) -> Memory:
    with resolve_principal(tenant.person(name)).scope():
        return Memory.objects.select_related("audience").get(id=id_)


def added(response: object) -> UUID:
    assert response.status_code == 302, response_text(response)
    return UUID(response["Location"].strip("/").split("/")[-1])


@pytest.mark.parametrize(
    ("name", "audience", "kind", "status"),
    [
        ("mina", "private", "member", "active"),
        ("mina", "group:design", "group", "active"),
        ("mina", "organisation", "review", "pending_review"),
        ("chidi", "organisation", "organisation", "active"),
    ],
)
def test_add_for_chosen_readers(
    world: World, name: str, audience: str, kind: str, status: str
) -> None:
    here = world.here
    audience = audience.replace("design", str(here.groups["design"].id))
    response = make_signed_in_client(here, name).post("/memories/add/", fields(audience=audience))
    row = stored(here, name, added(response))
    assert (row.audience.kind, row.status) == (kind, status)


def test_only_audiences_on_offer_can_be_chosen(world: World) -> None:
    bob = make_signed_in_client(world.here, "bob")
    forged = f"group:{world.here.groups['design'].id}"
    response = bob.post("/memories/add/", fields(audience=forged))
    assert response.status_code == 422
    assert "choose again" in response_text(response)
    assert "The office closes at six." in response_text(response)


def test_viewers_add_nothing(world: World) -> None:
    vera = make_signed_in_client(world.here, "vera")
    assert vera.get("/memories/add/").status_code == 404
    assert vera.post("/memories/add/", fields()).status_code == 404


def test_sent_twice_it_is_one_memory(world: World) -> None:
    mina = make_signed_in_client(world.here, "mina")
    first = added(mina.post("/memories/add/", fields()))
    assert added(mina.post("/memories/add/", fields())) == first


@pytest.mark.parametrize("content", ["", "  ", "a\x00b", "x" * 1_000_001])
def test_content_that_cannot_be_kept(world: World, content: str) -> None:
    response = make_signed_in_client(world.here, "mina").post(
        "/memories/add/", fields(content=content)
    )
    assert response.status_code == 422
    assert "has-error" in response_text(response)


def test_more_than_a_request_may_carry(world: World) -> None:
    response = make_signed_in_client(world.here, "mina").post(
        "/memories/add/", fields(content="x" * 3_000_000)
    )
    assert response.status_code == 413
    assert "Nothing was changed" in response_text(response)


def edit_form(client: Client, id_: UUID, **changed: object) -> dict[str, object]:
    form = client.get(f"/memories/{id_}/edit/").context["form"]
    return {name: form[name].value() for name in form.fields} | changed


def test_edit(world: World) -> None:
    here = world.here
    chidi = make_signed_in_client(here, "chidi")
    id_ = added(chidi.post("/memories/add/", fields(audience="organisation")))
    chidi.post(f"/memories/{id_}/edit/", edit_form(chidi, id_, content="It closes at seven."))
    assert stored(here, "mina", id_).content == "It closes at seven."
    assert "It closes at <mark>seven</mark>." in response_text(chidi.get("/memories/?q=seven"))


def test_a_stale_form_loses_nobodys_text(world: World) -> None:
    here = world.here
    ada, chidi = make_signed_in_client(here, "ada"), make_signed_in_client(here, "chidi")
    id_ = added(chidi.post("/memories/add/", fields(audience="organisation")))
    url = f"/memories/{id_}/edit/"
    stale = edit_form(ada, id_, content="It closes at five.")
    chidi.post(url, edit_form(chidi, id_, content="It closes at seven."))
    conflict = ada.post(url, stale)
    assert conflict.status_code == 409
    page = response_text(conflict)
    assert "seven." in page
    assert "It closes at five." in page
    assert stored(here, "ada", id_).content == "It closes at seven."
    again = stale | {"version": conflict.context["version"]}
    assert ada.post(url, again).status_code == 302
    assert stored(here, "ada", id_).content == "It closes at five."


def test_an_edit_sent_twice_is_harmless(world: World) -> None:
    here = world.here
    chidi = make_signed_in_client(here, "chidi")
    id_ = added(chidi.post("/memories/add/", fields(audience="organisation")))
    form = edit_form(chidi, id_, content="It closes at seven.")
    for _ in range(2):
        assert chidi.post(f"/memories/{id_}/edit/", form).status_code == 302
    assert stored(here, "chidi", id_).version == 2


def test_forget_and_undo(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    id_ = added(mina.post("/memories/add/", fields()))
    for _ in range(2):
        response = mina.post(f"/memories/{id_}/forget/", follow=True)
        assert f'action="/memories/{id_}/restore/"' in response_text(response)
    assert "No match" in response_text(mina.get("/memories/?q=office"))
    assert "Bring it back" in response_text(mina.get(f"/memories/{id_}/"))
    for _ in range(2):
        assert "It is back" in response_text(mina.post(f"/memories/{id_}/restore/", follow=True))
    assert "The office closes" in response_text(mina.get("/memories/?q=six"))


def test_a_forgotten_memory_is_gone_for_those_who_cannot_bring_it_back(world: World) -> None:
    here = world.here
    chidi = make_signed_in_client(here, "chidi")
    id_ = added(chidi.post("/memories/add/", fields(audience="organisation")))
    chidi.post(f"/memories/{id_}/forget/")
    assert make_signed_in_client(here, "bob").get(f"/memories/{id_}/").status_code == 404
    for action in ("edit", "forget", "restore"):
        assert (
            make_signed_in_client(here, "bob").post(f"/memories/{id_}/{action}/").status_code == 404
        )


def test_others_memories_are_not_theirs_to_change(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Open to all.").id
    bob = make_signed_in_client(here, "bob")
    for action in ("edit", "forget", "restore"):
        response = bob.post(f"/memories/{id_}/{action}/")
        assert response.status_code == 403
        assert "not yours to change" in response_text(response)


def test_a_red_line_is_explained(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Never delete this.").id
    protect_memory(here.person("chidi"), id_, reason="The law says so.", now=NOW)
    page = response_text(
        make_signed_in_client(here, "ada").post(f"/memories/{id_}/forget/", follow=True)
    )
    assert "protected" in page
    assert stored(here, "ada", id_).status == "active"


def test_a_form_of_another_organisation_saves_nothing(world: World) -> None:
    foreign = str(world.there.id)
    response = make_signed_in_client(world.here, "mina").post(
        "/memories/add/", fields(organisation=foreign)
    )
    assert response.status_code == 409
    assert "changed the organisation" in response_text(response)


def test_a_member_removed_a_second_ago(world: World) -> None:
    here = world.here
    mina = make_signed_in_client(here, "mina")
    id_ = added(mina.post("/memories/add/", fields(audience="organisation")))
    with organisation_scope(here.id):
        here.members["bob"].delete()
    user = get_user(here, "mina")
    assert user.is_active
    bob = Client()
    bob.force_login(type(user).objects.get(email__startswith="bob@" + here.organisation.slug))
    for response in (
        bob.get(f"/memories/{id_}/", follow=True),
        bob.post("/memories/add/", fields(), follow=True),
    ):
        assert response.status_code == 200
        assert "You are in no organisation" in response_text(response)


def test_an_expired_csrf_token(world: World) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(get_user(world.here, "mina"))
    response = client.post("/memories/add/", fields())
    assert response.status_code == 403
    assert "nothing was changed" in response_text(response)
    token = CSRF.search(response_text(client.get("/memories/add/")))
    assert client.post("/memories/add/", fields(csrfmiddlewaretoken=token[1])).status_code == 302
