"""Robots and keys in the browser: curators look, admins change, a key is shown once."""

import re
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.lifecycle.forget import forget_memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.organisations import Group
from orgs.organisations.groups import set_confidential
from personas.associations.personal_robot import ensure_personal_robot
from robots.access.keys import authenticate_key, create_key, parse_key
from robots.models.keys import Key
from robots.models.robots import Robot, RobotGroup
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, PEOPLE, Tenant, World

SECRET = re.compile(r'id="new-key">(cmk_[^<]+)<')


def key_form(client: Client, tenant: Tenant, robot: str, **changed: object) -> dict[str, object]:
    """What the page sends to make a key."""
    page = client.get("/robots/")
    id_ = tenant.robots[robot].id
    entry = next(r for r in page.context["robots"] if r["id"] == id_)
    prefix = id_.hex
    data = {"name": "Test", "scopes": ["read"], "expires": ""} | changed
    named = {f"{prefix}-{name}": value for name, value in data.items()}
    return named | {f"{prefix}-once": entry["key_form"]["once"].value()}


def add_key(client: Client, tenant: Tenant, robot: str, data: dict[str, object]) -> object:
    return client.post(f"/robots/{tenant.robots[robot].id}/keys/", data)


@pytest.mark.parametrize("name", PEOPLE)
def test_who_may_open_the_page(world: World, name: str) -> None:
    response = make_signed_in_client(world.here, name).get("/robots/")
    assert response.status_code == (200 if name in ("ada", "chidi") else 404)
    if response.status_code == 200:
        assert "aria" in response_text(response)
        assert ("Make the key" in response_text(response)) is (name == "ada")
        assert ("Revoke" in response_text(response)) is (name == "ada")


@pytest.mark.parametrize(("name", "status"), {"chidi": 403, "mina": 404, "vera": 404}.items())
def test_only_admins_change_anything(world: World, name: str, status: int) -> None:
    here = world.here
    form = key_form(make_signed_in_client(here, "ada"), here, "aria")
    client = make_signed_in_client(here, name)
    robot = here.robots["aria"].id
    with organisation_scope(here.id):
        key = Key.objects.filter(robot_id=robot).first().id
    for url, data in {
        f"/robots/{robot}/groups/": {},
        f"/robots/keys/{key}/renew/": {"hours": "24"},
        f"/robots/{robot}/describe/": {f"d-{robot.hex}-name": "Mine"},
        f"/robots/keys/{key}/revoke/": {},
    }.items():
        assert client.post(url, data).status_code == status, url
    # The signed id of the form belongs to the admin who opened it.
    assert add_key(client, here, "aria", form).status_code in (status, 422)
    with organisation_scope(here.id):
        assert Key.objects.filter(robot_id=robot, revoked_at=None).count() == 1


def test_a_key_is_shown_once_and_opens_the_api(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    form = key_form(ada, here, "aria", expires="30", scopes=["read", "act_for"])
    response = add_key(ada, here, "aria", form)
    secret = SECRET.search(response_text(response))[1]
    caller = authenticate_key(secret, timezone.now())
    assert caller.scopes == {"read", "act_for"}
    assert caller.name == "aria"
    assert "no-store" in response["Cache-Control"]

    again = add_key(ada, here, "aria", form)
    assert again.status_code == 302
    after = response_text(ada.get("/robots/"))
    assert secret not in after
    assert "shown only once" in after
    assert all(secret not in str(s.get_decoded()) for s in Session.objects.all())
    with organisation_scope(here.id):
        key = Key.objects.get(id=caller.key_id)
        assert timedelta(days=29) < key.expires_at - timezone.now() <= timedelta(days=30)
        assert key.created_by_id == here.members["ada"].id
        assert Key.objects.filter(robot_id=key.robot_id).count() == 2
        assert AuditEntry.objects.filter(action="key.created", target=key.id).count() == 1


def test_a_key_that_may_do_nothing(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    response = add_key(ada, here, "aria", key_form(ada, here, "aria", scopes=[]))
    assert response.status_code == 422
    assert "opens nothing" in response_text(response)


def test_renew_and_revoke(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    old = authenticate_key(here.keys["aria"], timezone.now()).key_id
    assert ada.post(f"/robots/keys/{old}/renew/", {"hours": "1"}).status_code == 404
    renewed = ada.post(f"/robots/keys/{old}/renew/", {"hours": "24"})
    secret = SECRET.search(response_text(renewed))[1]
    now = timezone.now()
    assert all(authenticate_key(key, now) for key in (secret, here.keys["aria"]))
    assert authenticate_key(here.keys["aria"], now + timedelta(hours=25)) is None
    assert ada.post(f"/robots/keys/{old}/renew/", {"hours": "24"}).status_code == 302
    for _ in range(2):
        ada.post(f"/robots/keys/{old}/revoke/")
    assert authenticate_key(here.keys["aria"], now) is None


def test_a_key_is_replaced_at_once(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    old = authenticate_key(here.keys["aria"], timezone.now()).key_id
    renewed = ada.post(f"/robots/keys/{old}/renew/", {"hours": "0"})
    assert "The old key opens nothing any more." in response_text(renewed)
    now = timezone.now()
    assert authenticate_key(SECRET.search(response_text(renewed))[1], now)
    assert authenticate_key(here.keys["aria"], now) is None
    assert ada.post(f"/robots/keys/{old}/renew/", {"hours": "0"}).status_code == 302


def test_what_was_written_is_counted_as_far_as_the_reader_reads(world: World) -> None:
    here = world.here
    for number in range(3):
        here.remember(here.robot("aria"), f"Note {number}.")
    for content in ("Note 0.", "A note of its own."):
        remember(here.robot("bolt"), Draft(content=content), now=timezone.now())
    here.remember(here.robot("aria"), "Of the launch.", group="launch")
    here.remember(here.robot("bolt"), "Its own.", visibility="internal")
    gone = here.remember(here.robot("aria"), "Not any more.").id
    forget_memory(here.robot("aria"), gone, now=timezone.now())
    page = make_signed_in_client(here, "ada").get("/robots/")
    found = {one["name"]: (one["memories"], one["lately"]) for one in page.context["robots"]}
    assert found == {"aria": (3, 0), "bolt": (1, 1), "clio": (0, 0)}
    assert "Wrote nothing yet that you may read" in response_text(page)
    for name, (memories, _) in found.items():
        asked = f"/memories/?each=1&robot={here.robots[name].id}"
        assert len(make_signed_in_client(here, "ada").get(asked).context["memories"]) == memories


def test_an_admin_describes_a_robot(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    robot = here.robots["bolt"]
    url, prefix = f"/robots/{robot.id}/describe/", f"d-{robot.id.hex}-"
    full = {"name": "Bolt", "purpose": "Bolts.", "personality": "Kind <b>and</b> brief."}
    answer = ada.post(url, {prefix + name: value for name, value in full.items()}, follow=True)
    assert "Kind &lt;b&gt;and&lt;/b&gt; brief." in answer.content.decode()
    taken = ada.post(url, {f"{prefix}name": "aria"})
    assert taken.status_code == 422
    assert "aria" in response_text(taken)
    assert ada.post(url, {f"{prefix}name": ""}).status_code == 422
    ada.post(url, {f"{prefix}name": "Bolt", f"{prefix}purpose": "Bolts."})
    with organisation_scope(here.id):
        robot.refresh_from_db()
    assert (robot.name, robot.purpose, robot.personality) == ("Bolt", "Bolts.", "")


def test_another_organisations_robots_do_not_exist(world: World) -> None:
    here, there = world.here, world.there
    ada = make_signed_in_client(here, "ada")
    theirs = authenticate_key(there.keys["aria"], timezone.now()).key_id
    form = key_form(ada, here, "aria")
    assert ada.post(f"/robots/keys/{theirs}/revoke/").status_code == 404
    assert ada.post(f"/robots/keys/{theirs}/renew/", {"hours": "24"}).status_code == 404
    foreign = there.robots["aria"].id
    named = {f"d-{foreign.hex}-name": "Mine"}
    assert ada.post(f"/robots/{foreign}/describe/", named).status_code == 404
    assert ada.post(f"/robots/{there.robots['aria'].id}/groups/").status_code == 404
    assert add_key(ada, there, "aria", form).status_code in (404, 422)
    assert authenticate_key(there.keys["aria"], timezone.now())


def robot_form(client: Client, **changed: object) -> dict[str, object]:
    form = client.get("/robots/").context["robot_form"]
    return {"once": form["once"].value(), "name": "Bolter", "purpose": "Bolts."} | changed


def test_add_a_robot_once(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    form = robot_form(ada)
    for _ in range(2):
        assert ada.post("/robots/add/", form).status_code == 302
    with organisation_scope(here.id):
        assert Robot.objects.filter(name="Bolter").count() == 1
    assert ada.post("/robots/add/", form | {"once": "forged"}).status_code == 422


def test_seats_are_chosen_among_groups_that_the_admin_reads(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")
    robot = here.robots["aria"]

    def seats() -> set[str]:
        with organisation_scope(here.id):
            rows = RobotGroup.objects.filter(robot_id=robot.id)
            return set(rows.values_list("group__name", flat=True))

    set_confidential(
        actor=here.person("ada"), group=here.groups["launch"], confidential=False, now=NOW
    )
    page = response_text(ada.get("/robots/"))
    assert "#launch and 1 group that you are not in" in page
    assert "#design" not in page
    name, url = f"{robot.id.hex}-groups", f"/robots/{robot.id}/groups/"
    chosen = ada.get(url)
    offered = chosen.context["form"].fields["groups"].choices
    assert [label for _, label in offered] == ["#launch"]
    assert chosen.context["form"]["groups"].value() == [str(here.groups["launch"].id)]
    assert "also sits in 1 group that you are not in" in response_text(chosen)
    assert "#design" not in response_text(chosen)
    assert ada.get(f"/robots/{world.there.robots['aria'].id}/groups/").status_code == 404
    assert {
        make_signed_in_client(here, who).get(url).status_code for who in ("chidi", "mina", "vera")
    } == {404}
    launch, design = str(here.groups["launch"].id), str(here.groups["design"].id)
    assert ada.post(url, {name: [launch, design]}).status_code == 404
    assert seats() == {"#launch", "#design"}
    # A seat in a group that she does not read is not hers to take away either.
    ada.post(url, {})
    assert seats() == {"#design"}
    ada.post(url, {name: [launch]})
    assert seats() == {"#launch", "#design"}


def test_queries_do_not_grow_with_the_robots(world: World) -> None:
    here = world.here
    ada = make_signed_in_client(here, "ada")

    def count() -> int:
        connection.send_waiting()
        with CaptureQueriesContext(connection) as found:
            ada.get("/robots/")
        return len(found)

    few = count()
    for number in range(5):
        here.add_robot(f"more{number}", groups=("launch",), scopes=("read",))
    assert count() == few


def test_an_admin_makes_no_key_of_a_robot_that_reads_for_another(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    data = key_form(ada, here, "bolt", scopes=["read", "act_for"])
    with organisation_scope(here.id):
        here.give_owner("bolt", "mina")
        before = Key.objects.get(robot_id=here.robots["bolt"].id)
    assert add_key(ada, here, "bolt", data).status_code == 403
    assert ada.post(f"/robots/keys/{before.id}/renew/", {"hours": "0"}).status_code == 403
    with organisation_scope(here.id):
        assert Key.objects.filter(robot_id=here.robots["bolt"].id).count() == 1
    assert ada.post(f"/robots/keys/{before.id}/revoke/").status_code == 302, "closing opens nothing"


def test_what_everybody_uses_stands_first_and_what_was_heard_last_before_others(
    world: World,
) -> None:
    here = world.here
    heard = {"aria": timedelta(hours=5), "clio": timedelta(hours=1)}
    with organisation_scope(here.id):
        for name, ago in heard.items():
            Robot.objects.filter(id=here.robots[name].id).update(last_active_at=NOW - ago)
        for owner in ("mina", "ada"):
            robot = ensure_personal_robot(here.id, here.members[owner].id, NOW)
            # Of a personal robot nothing is ordered by when it was heard from.
            heard_at = NOW + timedelta(days=1 if owner == "mina" else 0)
            Robot.objects.filter(id=robot.id).update(last_active_at=heard_at)
        here.add_robot("fresh", groups=(), scopes=())
        Robot.objects.filter(id=here.robots["fresh"].id).update(created_at=NOW + timedelta(days=2))
        Robot.objects.filter(id=here.robots["bolt"].id).update(
            retired_at=NOW, last_active_at=NOW + timedelta(days=3)
        )
    entries = make_signed_in_client(here, "ada").get("/robots/").context["robots"]
    called = [one["called"] for one in entries]
    assert called == ["fresh", "clio", "aria", "Your robot", "Mina’s robot", "bolt"]
    # Page by page the order is the same, and nobody is missed.
    with patch("robots.access.robot_administration.PAGE_SIZE", 1):
        url, seen = "/robots/", []
        while url:
            page = make_signed_in_client(here, "chidi").get(url).context
            seen += [one["id"] for one in page["robots"]]
            url = page["page"].get("next_url", "")
    assert seen == [one["id"] for one in entries]
    assert make_signed_in_client(here, "ada").get(f"/robots/?after={here.id}").status_code == 404


def test_a_personal_robot_is_named_by_whose_it_is_where_that_may_be_known(world: World) -> None:
    here = world.here
    with organisation_scope(here.id):
        robot = ensure_personal_robot(here.id, here.members["mina"].id, NOW)
    list_, own = "/robots/", f"/robots/{robot.id}/"
    for name, url, head in (
        ("ada", list_, "Mina’s robot"),
        ("ada", own, "Mina’s robot"),
        ("mina", own, "Your robot"),
        ("chidi", list_, robot.name),
        ("chidi", own, robot.name),
        ("bob", own, robot.name),
    ):
        shown = response_text(make_signed_in_client(here, name).get(url))
        assert f">{head}</a>" in shown or f"<h1>{head}</h1>" in shown, (name, url)
        assert robot.name in shown, "it is known by this name elsewhere"
        if name != "mina":  # whose own name stands in her menu
            assert ("Mina" in shown) is (head == "Mina’s robot"), (name, url)


def test_no_form_leads_to_a_refusal(world: World) -> None:
    """Of a personal robot its member alone makes keys, and its name stays."""
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    with organisation_scope(here.id):
        robot = ensure_personal_robot(here.id, here.members["mina"].id, NOW)
        create_key(organisation_id=here.id, robot_id=robot.id, scopes=("read",), now=NOW)
    entry = next(r for r in ada.get("/robots/").context["robots"] if r["id"] == robot.id)
    (key,) = entry["keys"]
    assert entry["key_form"] is None
    assert (key["renew_url"], bool(key["revoke_url"])) == ("", True)
    assert entry["text_form"]["name"].field.widget.attrs["readonly"] is True
    data = {
        f"d-{robot.id.hex}-{k}": v for k, v in {"name": robot.name, "purpose": "Helps."}.items()
    }
    assert ada.post(f"/robots/{robot.id}/describe/", data).status_code == 302


# Limits of keys.


def open_launch(here: Tenant) -> Group:
    """The group launch, which ada now reads."""
    launch = here.groups["launch"]
    set_confidential(actor=here.person("ada"), group=launch, confidential=False, now=NOW)
    return launch


def test_a_key_is_limited_when_it_is_made(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    launch = open_launch(here)
    form = key_form(
        ada, here, "aria", groups=[str(launch.id)], networks="203.0.113.0/24\n\n2001:db8::/48"
    )
    response = add_key(ada, here, "aria", form)
    shown = response_text(response)
    caller = authenticate_key(parse_key(SECRET.search(shown)[1], address="203.0.113.9"), NOW)
    assert caller.key_groups == {launch.id}
    assert "Only in #launch" in shown
    assert "Only from 203.0.113.0/24, 2001:db8::/48" in shown
    told = response_text(ada.get(f"/robots/{here.robots['aria'].id}/"))
    assert "Only in 1 of its groups" in told
    assert "Only from 203.0.113.0/24" in told


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"networks": "203.0.113.7/24"}, "The network is 203.0.113.0/24"),
        ({"networks": "\n".join(f"10.0.0.{n}" for n in range(51))}, "At most 50."),
        ({"groups": ["01990000-0000-7000-8000-00000000dead"]}, "not one of the available"),
        ({"groups": ["launch"], "scopes": ["read", "manage"]}, "could seat its robot anywhere"),
    ],
)
def test_a_wrong_limit_makes_no_key(world: World, changed: dict[str, object], words: str) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    launch = open_launch(here)
    with organisation_scope(here.id):
        keys = Key.objects.count()
    if changed.get("groups") == ["launch"]:
        changed = changed | {"groups": [str(launch.id)]}
    response = add_key(ada, here, "aria", key_form(ada, here, "aria", **changed))
    assert response.status_code == 422
    assert words in response_text(response)
    with organisation_scope(here.id):
        assert Key.objects.count() == keys


def test_the_limits_of_a_key_are_changed(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    launch, design = open_launch(here), here.groups["design"]
    key = authenticate_key(here.keys["aria"], timezone.now()).key_id
    url = f"/robots/keys/{key}/limits/"
    page = ada.get(url)
    assert [choice[0] for choice in page.context["form"]["groups"].field.choices] == [
        str(launch.id)
    ], "design is confidential"
    assert ada.post(url, {"groups": [str(launch.id)], "networks": "10.0.0.0/8"}).status_code == 302
    shown = parse_key(here.keys["aria"], address="10.1.2.3")
    assert authenticate_key(shown, timezone.now()).key_groups == {launch.id}
    again = ada.get(url).context["form"]
    assert (again.initial["groups"], again.initial["networks"]) == ([str(launch.id)], "10.0.0.0/8")
    wrong = ada.post(url, {"networks": "10.1.0.0/8"})
    assert wrong.status_code == 422
    assert "The network is 10.0.0.0/8" in response_text(wrong)
    with organisation_scope(here.id):
        Key.objects.filter(id=key).update(groups=sorted([launch.id, design.id]))
    hidden = ada.get(url)
    assert "groups" not in hidden.context["form"].fields
    assert "1 group that you do not read" in response_text(hidden)
    assert ada.post(url, {"networks": ""}).status_code == 302
    with organisation_scope(here.id):
        kept = Key.objects.get(id=key)
    assert kept.networks is None
    assert set(kept.groups) == {launch.id, design.id}, "what is not seen is not taken away"


@pytest.mark.parametrize(("name", "status"), {"chidi": 403, "mina": 404}.items())
def test_others_change_no_limit(world: World, name: str, status: int) -> None:
    here = world.here
    key = authenticate_key(here.keys["aria"], timezone.now()).key_id
    client, url = make_signed_in_client(here, name), f"/robots/keys/{key}/limits/"
    assert client.get(url).status_code == status
    assert client.post(url, {"networks": "10.0.0.0/8"}).status_code == status
    there = authenticate_key(world.there.keys["aria"], timezone.now()).key_id
    assert (
        make_signed_in_client(here, "ada").get(f"/robots/keys/{there}/limits/").status_code == 404
    )
