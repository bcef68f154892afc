"""Support staff in Django's admin: one organisation, metadata alone, on the record."""

import re
import secrets

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import AbstractBaseUser
from django.db import ProgrammingError
from django.test import Client

from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.users import User
from orgs.support.admin import SupportAdmin
from tests.people import signed_in, text
from tests.world import PASSWORD, World

MODELS = [m for m, a in admin.site._registry.items() if isinstance(a, SupportAdmin)]
TEXT = "Zanzibar is where the treasure lies."


def staff(*, superuser: bool = False) -> tuple[User, Client]:
    email = f"{secrets.token_hex(6)}@support.example"
    user = User.objects.create_user(email, PASSWORD, is_staff=True, is_superuser=superuser)
    client = Client()
    client.force_login(user)
    return user, client


def choose(client: Client, world: World) -> None:
    response = client.post("/admin/organisation/", {"organisation": str(world.here.id)})
    assert response.status_code == 302


def address(model: type[AbstractBaseUser], pk: object = "") -> str:
    base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    return f"{base}{pk}/change/" if pk else base


def recorded(world: World, user: User) -> list[tuple[str, str]]:
    with organisation_scope(world.here.id):
        rows = AuditEntry.objects.filter(staff=user.pk).order_by("id")
        return list(rows.values_list("action", "target_type"))


def test_members_find_no_admin(lasting_world: World) -> None:
    client = signed_in(lasting_world.here, "ada")
    assert client.get("/admin/", follow=True).status_code == 404
    assert client.get("/admin/organisation/").status_code == 404
    assert client.get("/design/").status_code == 404
    response = Client().get("/admin/", follow=True)
    assert "Sign in" in text(response)


def test_nothing_is_shown_before_an_organisation_is_chosen(lasting_world: World) -> None:
    _, client = staff()
    response = client.get(address(Memory))
    assert response["Location"] == f"/admin/organisation/?next={address(Memory)}"
    assert lasting_world.here.organisation.name in text(
        client.get(f"/admin/organisation/?q={lasting_world.here.organisation.name}")
    )
    forged = {"organisation": "00000000-0000-7000-8000-000000000000"}
    assert client.post("/admin/organisation/", forged).status_code == 404
    assert client.post("/admin/organisation/", {"organisation": "x"}).status_code == 404


def test_every_list_and_object_shows_metadata_and_is_recorded(lasting_world: World) -> None:
    world, here = lasting_world, lasting_world.here
    id_ = here.remember(here.robot("aria"), TEXT, group="launch", topic="Zanzibar").id
    theirs = world.there.remember(world.there.robot("aria"), "Theirs.").id
    user, client = staff()
    choose(client, world)
    for model in MODELS:
        page = client.get(address(model))
        assert page.status_code == 200, model
        assert "Zanzibar" not in text(page)
        assert (str(model._meta.verbose_name_plural)) in text(page).lower()
    one = client.get(address(Memory, id_))
    assert one.status_code == 200
    assert "Zanzibar" not in text(one)
    assert client.get(address(Memory, theirs)).status_code == 302
    told = recorded(world, user)
    assert told[0] == ("support.chose", "")
    assert [t for a, t in told if a == "support.listed"] == [m._meta.model_name for m in MODELS]
    assert ("support.viewed", "memory") in told
    assert len([a for a, _ in told if a == "support.viewed"]) == 1


def test_nothing_can_be_changed(lasting_world: World) -> None:
    here = lasting_world.here
    id_ = here.remember(here.robot("aria"), TEXT).id
    _, client = staff(superuser=True)
    choose(client, lasting_world)
    for url in (f"{address(Memory)}add/", f"{address(Memory)}{id_}/delete/"):
        assert client.get(url).status_code == 403
    assert client.post(address(Memory, id_), {"status": "forgotten"}).status_code == 403
    assert client.get(f"{address(Memory)}{id_}/history/").status_code == 404


def test_the_database_refuses_the_text_itself(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), TEXT)
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        organisation_scope(here.id, using="support"),
    ):
        list(Memory.objects.using("support").values_list("content", flat=True))


def test_no_text_in_search_fields() -> None:
    assert all(not admin.site._registry[model].search_fields for model in MODELS)


def test_accounts_are_for_superusers(lasting_world: World) -> None:
    _, plain = staff()
    _, root = staff(superuser=True)
    assert plain.get("/admin/orgs/user/").status_code == 403
    assert root.get("/admin/orgs/user/").status_code == 200
    email = f"{secrets.token_hex(6)}@new.example"
    data = {
        "email": email,
        "name": "New",
        "usable_password": "true",
        "password1": "four odd words here",
        "password2": "four odd words here",
    }
    assert root.post("/admin/orgs/user/add/", data).status_code == 302
    made = User.objects.get(email=email)
    assert root.get(f"/admin/orgs/user/{made.pk}/change/").status_code == 200
    assert root.get(f"/admin/orgs/user/{made.pk}/delete/").status_code == 403


def test_the_index_names_what_there_is_in_words(lasting_world: World) -> None:
    _, client = staff(superuser=True)
    choose(client, lasting_world)
    shown = client.get("/admin/").context["app_list"]
    assert {app["name"]: [model["name"] for model in app["models"]] for app in shown} == {
        "Memories": ["Contributions", "Memories", "Pending embeddings", "Recalls"],
        "Organisations": ["Audit entries", "Group memberships", "Groups", "Members", "Users"],
        "Robots": ["Keys", "Robots"],
    }


def test_no_model_is_called_by_what_its_class_happens_to_be_named() -> None:
    ours = [m for m in apps.get_models() if m._meta.app_label in ("orgs", "robots", "memories")]
    names = {str(m._meta.verbose_name): str(m._meta.verbose_name_plural) for m in ours}
    # A plural is another word; one that Django made of a word in "y" is wrong.
    wrong = [f"{one}: {many}" for one, many in names.items() if re.search(r"[^aeiou]ys$", many)]
    assert wrong == []
    assert len(names) == len(ours)
    assert not {"pending", "sign in", "robot group"} & set(names)
