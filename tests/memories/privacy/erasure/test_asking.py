"""Asking for an erasure: over HTTP, on the page, at the terminal; who may and what is refused."""

import json
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from memories.jobs.run_jobs import run_job
from memories.privacy.erasure.collect_rows import _MEMORIES_OF_MEMBER_SQL
from memories.privacy.erasure.erasure_run import Erasure
from memories.privacy.my_memories import count_own_to_erase
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World


def posted(client: Any, **body: str) -> Any:
    return client.post("/api/v1/erasures", body, format="json")


def gone(here: Tenant, *ids: UUID) -> bool:
    with organisation_scope(here.id, using="worker"):
        return not Memory.objects.using("worker").filter(id__in=ids).exists()


def test_a_member_asks_over_http_and_reads_the_receipt(lasting_world: World) -> None:
    here = lasting_world.here
    mina = str(here.members["mina"].id)
    id_ = here.remember(here.robot("aria"), "About her.", group="launch", member=mina).id
    answer = posted(here.browser("mina"), member=mina, confirm=mina)
    assert answer.status_code == 202, answer.content
    body = answer.json()
    assert (body["what"], body["target"], body["done"]) == ("member", mina, 0)
    path = body["receipt"].removeprefix("http://testserver")
    nobody = Client()
    assert "Being erased" in nobody.get(path).content.decode()
    while run_job(here.id, UUID(body["job"]), None):
        pass
    page = nobody.get(path).content.decode()
    assert "Keep a signed copy" in page
    assert nobody.get(path + "?format=json").json()["counts"]["memories"] == 1
    assert gone(here, id_)
    ada = here.browser("ada")
    told = ada.get(f"/api/v1/erasures/{body['id']}").json()
    assert (told["state"], told["done"], told["counts"]["memories"]) == ("done", told["steps"], 1)
    assert [row["id"] for row in ada.get("/api/v1/erasures").json()["results"]] == [body["id"]]
    assert here.browser("bob").get("/api/v1/erasures").json()["results"] == []
    assert nobody.get(path[:-3] + "xx/").status_code == 404


@pytest.mark.parametrize(
    ("who", "whom", "status", "code"),
    [
        ("bob", "mina", 403, "not-yours"),
        ("chidi", "mina", 403, "not-yours"),
        ("vera", "mina", 403, "not-yours"),
        ("aria", "mina", 403, "not-yours"),
        ("ada", "ada", 409, "conflict"),
        ("ada", "nobody", 404, "not-found"),
    ],
)
def test_who_may_not_erase_a_member(
    world: World, who: str, whom: str, status: int, code: str
) -> None:
    here = world.here
    client = here.api(who) if who in here.robots else here.browser(who)
    id_ = str(here.members[whom].id) if whom in here.members else str(new_id())
    answer = posted(client, member=id_, confirm=id_)
    assert (answer.status_code, answer.json()["type"].rsplit(":", 1)[1]) == (status, code)
    with organisation_scope(here.id):
        assert not Erasure.objects.exists()


def test_what_is_not_confirmed_or_not_one_is_refused(world: World) -> None:
    here, ada = world.here, world.here.browser("ada")
    mina = str(here.members["mina"].id)
    robot = f"robot:{here.robots['aria'].id}"
    for body, code in (
        ({"member": mina, "confirm": "yes"}, "not-confirmed"),
        ({"source": robot, "confirm": mina}, "not-confirmed"),
        ({"member": mina, "source": robot, "confirm": mina}, "one-target"),
        ({"confirm": mina}, "one-target"),
        ({"member": mina}, "invalid"),
    ):
        answer = posted(ada, **body)
        assert answer.status_code == 400, body
        assert answer.json()["type"].endswith(f":{code}"), answer.json()
    for source in ("robot:1", "person:x", f"robot:{new_id()}", f"import:{new_id()}"):
        assert posted(ada, source=source, confirm=source).status_code == 404, source
    assert posted(here.browser("chidi"), source=robot, confirm=robot).status_code == 403


def test_one_memory_is_erased_through_the_same_door(world: World) -> None:
    here, aria = world.here, world.here.api("aria")
    id_ = here.remember(here.robot("aria"), "Gone for good.").id
    answer = posted(aria, memory=str(id_), confirm=str(id_))
    assert (answer.status_code, answer.json()["counts"]) == (202, {"memories": 1})
    assert [r["target"] for r in aria.get("/api/v1/erasures").json()["results"]] == [str(id_)]
    assert here.browser("chidi").get("/api/v1/erasures").json()["results"] == []
    assert posted(aria, memory=str(id_), confirm=str(id_)).status_code == 404


@pytest.mark.conformance("G20")
def test_a_red_line_keeps_nobody_from_erasing_themselves_and_holds_a_curator(world: World) -> None:
    here = world.here
    mina = str(here.members["mina"].id)
    hers = {"member": mina, "visibility": "organisation"}
    id_ = here.remember(here.robot("aria"), "Hers.", **hers).id
    protect_memory(here.person("chidi"), id_, reason="Kept for the audit.", now=NOW)
    refused = posted(here.browser("ada"), memory=str(id_), confirm=str(id_))
    assert (refused.status_code, refused.json()["type"].endswith(":red-line")) == (409, True)
    assert posted(here.browser("mina"), memory=str(id_), confirm=str(id_)).status_code == 202


@pytest.mark.conformance("W13")
def test_a_member_erases_themselves_on_their_page(lasting_world: World) -> None:
    here = lasting_world.here
    mina = here.members["mina"]
    here.remember(here.robot("aria"), "About her.", group="launch", member=str(mina.id))
    here.remember(here.person("bob"), "Mina knows the way.", group="launch")
    here.remember(here.person("mina"), "The door is blue.", group="launch")
    browser = here.browser("mina")
    assert "/me/erase/" in browser.get("/me/").content.decode()
    page = browser.get("/me/erase/").content.decode()
    assert "<strong>2</strong> memories that you see" in page
    assert "<strong>0</strong> messages" in page
    wrong = browser.post("/me/erase/", {"confirm": "yes", "organisation": str(here.id)})
    assert wrong.status_code == 422
    asked = browser.post("/me/erase/", {"confirm": "erase me", "organisation": str(here.id)})
    again = reverse("account_reauthenticate")
    assert asked["Location"].startswith(again), "whoever sits at an open browser erases nobody"
    assert list(_erasures(here)) == []
    user = mina.user
    user.set_password("correct horse battery")
    user.save()
    browser.force_login(user)
    browser.post("/me/erase/", {"confirm": "erase me", "organisation": str(here.id)})
    assert browser.post(asked["Location"], {"password": "wrong"}).status_code == 200
    assert list(_erasures(here)) == []
    answer = browser.post(asked["Location"], {"password": "correct horse battery"})
    assert answer.status_code == 302
    assert "/receipt" in answer["Location"]
    assert browser.get("/me/").status_code == 302
    [erasure] = _erasures(here)
    while run_job(here.id, erasure.job_id, None):
        pass
    assert "Erased" in Client().get(answer["Location"]).content.decode()
    with organisation_scope(here.id):
        assert Member.objects.get(id=mina.id).name == "Erased member"


@pytest.mark.conformance("W13")
def test_an_admin_erases_somebody_on_a_page(lasting_world: World, settings: Any) -> None:
    """By typing whose name it is, and once more with the own password."""
    here, ada = lasting_world.here, lasting_world.here.members["ada"]
    settings.BACKUP_KEEP_DAYS = 41
    bob = here.members["bob"]
    place = f"/people/{bob.id}/erase/"
    his = {"group": "launch", "member": str(bob.id)}
    goes = [
        here.remember(here.robot("aria"), "About him.", **his).id,
        here.remember(here.robot("aria"), "Tea it is.", group="launch", speaker=str(bob.id)).id,
        here.remember(here.person("bob"), "The safe is green.", visibility="private").id,
        here.remember(here.person("bob"), "The door is blue.", group="launch").id,
    ]
    stays = here.remember(here.person("mina"), "The roof is red.", group="launch").id
    for name in ("chidi", "bob", "vera"):
        assert here.browser(name).get(place).status_code == 404
        assert here.browser(name).post(place, {"confirm": "Bob"}).status_code == 404
    browser = here.browser("ada")
    assert place in browser.get(f"/people/{bob.id}/").content.decode()
    assert browser.get(f"/people/{ada.id}/erase/")["Location"] == "/me/erase/", "oneself is another"
    assert f"{ada.id}/erase/" not in browser.get(f"/people/{ada.id}/").content.decode()
    assert browser.get(f"/people/{new_id()}/erase/").status_code == 404
    page = browser.get(place).content.decode()
    assert "Erase Bob from" in page
    assert "Backups of before hold them for up to 41 days" in page
    assert browser.post(place, {"confirm": "Mina"}).status_code == 422
    ada.user.set_password("correct horse battery")
    ada.user.save()
    browser.force_login(ada.user)
    asked = browser.post(place, {"confirm": " Bob ", "organisation": str(here.id)})
    assert list(_erasures(here)) == [], "whoever sits at an open browser erases nobody"
    answer = browser.post(asked["Location"], {"password": "correct horse battery"})
    assert "/receipt" in answer["Location"]
    assert browser.get("/me/").status_code == 200, "the admin stays"
    [erasure] = _erasures(here)
    assert (erasure.target, erasure.asked_by) == (bob.id, ada.id)
    while run_job(here.id, erasure.job_id, None):
        pass
    assert all(gone(here, id_) for id_ in goes)
    assert not gone(here, stays)


def _erasures(here: Tenant) -> list[Erasure]:
    with organisation_scope(here.id, using="worker"):
        return list(Erasure.objects.using("worker").filter(organisation_id=here.id))


def command(*arguments: str) -> Any:
    out = StringIO()
    call_command("erase", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.conformance("T13")
def test_the_command_counts_first_and_erases_with_yes(lasting_world: World) -> None:
    here = lasting_world.here
    slug = ("--organisation", here.organisation.slug)
    ids = [here.remember(here.robot("bolt"), f"Bolt says {n}.").id for n in range(3)]
    source = ("--source", f"robot:{here.robots['bolt'].id}")
    told = command(*slug, *source, "--dry-run")
    assert (told["memories"], told["dry_run"]) == (3, True)
    with pytest.raises(CommandError, match="Add --yes"):
        command(*slug, *source)
    assert not gone(here, *ids)
    receipt = command(*slug, *source, "--yes")
    assert (receipt["counts"]["memories"], receipt["source"]) == (3, "robot")
    assert gone(here, *ids)
    assert Client().get(receipt["link"]).status_code == 200
    with pytest.raises(CommandError, match="no such member"):
        command(*slug, "--member", "nobody@example.org", "--yes")
    with pytest.raises(CommandError, match="no source"):
        command(*slug, "--source", "robot:1", "--yes")
    known = here.members["bob"].user.email
    assert command(*slug, "--member", known, "--yes")["what"] == "member"
    id_ = here.remember(here.robot("aria"), "One.").id
    assert command(*slug, "--memory", str(id_), "--yes")["counts"]["memories"] == 1


def test_the_page_says_how_many_it_will_be(world: World) -> None:
    """Counted by the statement that the erasure itself collects with."""
    here = world.here
    mina, bob = here.person("mina"), here.person("bob")
    about = str(here.members["mina"].id)
    here.remember(here.robot("aria"), "About her.", group="launch", member=about)
    here.remember(mina, "Hers alone.", visibility="private")
    here.remember(mina, "Hers, for the group.", group="launch", visibility="public")
    for who in (mina, bob):
        here.remember(who, "Both wrote this.", group="launch", visibility="public")
    here.remember(bob, "Not hers.", group="launch")
    here.add_robot("helper", groups=("launch",), scopes=("read", "write"))
    here.give_owner("helper", "mina")
    here.remember(here.robot("helper"), "Her robot noted this.", group="launch")
    values = {"organisation": here.id, "target": here.members["mina"].id}
    with resolve_principal(mina).scope(), connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM ({_MEMORIES_OF_MEMBER_SQL}) AS found", values)
        [(collected,)] = cursor.fetchall()
    assert count_own_to_erase(mina).memories == collected == 4
