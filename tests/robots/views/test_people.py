"""People, invitations and groups on the pages: who sees what, and who may change it (W07)."""

import re
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.limits import token_buckets
from orgs.members import invitations
from orgs.members.invitations import (
    MAILS_OF_ORGANISATION,
    MAILS_TO_ADDRESS,
    create_member,
)
from orgs.models.audit import AuditEntry
from orgs.models.base import new_id
from orgs.models.memberships import Member
from orgs.models.organisations import Group, GroupMembership, Organisation
from robots.access.acting_for_members import create_delegation
from robots.models.delegations import Delegation
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, PEOPLE, Tenant, World

pytestmark = pytest.mark.conformance("W07")


def audited(tenant: Tenant) -> list[str]:
    with organisation_scope(tenant.id):
        return list(AuditEntry.objects.order_by("id").values_list("action", flat=True))


def seated(tenant: Tenant, group: str) -> set[str]:
    with organisation_scope(tenant.id):
        rows = GroupMembership.objects.filter(group_id=tenant.groups[group].id)
        return set(rows.values_list("member__name", flat=True))


@pytest.mark.parametrize("name", PEOPLE)
def test_everybody_sees_the_people_and_their_own_groups(world: World, name: str) -> None:
    here, client = world.here, make_signed_in_client(world.here, name)
    page = response_text(client.get("/people/"))
    for person in PEOPLE:
        assert person.capitalize() in page
    admin = name == "ada"
    other = "bob" if name != "bob" else "mina"
    assert (f"{other}@{here.organisation.slug}.example" in page) is admin
    assert ("Invite somebody" in page) is admin
    assert client.get("/people/invitations/").status_code == (200 if admin else 404)
    bob = here.members["bob"].id
    assert client.get(f"/people/{bob}/").status_code == (200 if admin else 404)
    listed = response_text(client.get("/people/groups/"))
    # Confidential groups are their people's alone, whatever the role.
    assert ("#launch" in listed) is (name in ("mina", "bob"))
    assert ("#design" in listed) is (name == "mina")
    launch = here.groups["launch"].id
    assert client.get(f"/people/groups/{launch}/").status_code == (
        200 if name in ("mina", "bob") else 404
    )
    assert "Make the group" in listed if name in ("ada", "chidi") else "Make the" not in listed


@pytest.mark.parametrize("name", ["chidi", "mina", "vera"])
def test_others_change_nothing(world: World, name: str) -> None:
    here, client = world.here, make_signed_in_client(world.here, name)
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(confidential=False)
    bob, launch = here.members["bob"].id, here.groups["launch"].id
    tries: dict[str, tuple[dict[str, object], set[int]]] = {
        f"/people/{bob}/role/": ({"role": "admin"}, {404}),
        f"/people/{bob}/remove/": ({}, {404}),
        "/people/invitations/add/": ({"email": "x@y.example", "role": "admin"}, {404}),
        f"/people/groups/{launch}/confidential/": ({"confidential": "1"}, {403, 404}),
    }
    if name != "chidi":
        tries["/people/groups/add/"] = ({"name": "New"}, {403, 404})
        tries[f"/people/groups/{launch}/seat/"] = ({"member": str(bob)}, {403, 404})
        tries[f"/people/groups/{launch}/unseat/"] = ({"member": str(bob)}, {403, 404})
    for url, (data, statuses) in tries.items():
        assert client.post(url, data).status_code in statuses, url
    assert audited(here) == []
    assert seated(here, "launch") == {"Mina", "Bob"}


def test_an_invitation_from_the_page_to_the_first_sign_in(world: World) -> None:
    ada = make_signed_in_client(world.here, "ada")
    form = {"email": "Nora@New.example", "name": "Nora", "role": "curator"}
    page = ada.post("/people/invitations/add/", form)
    assert "no-store" in page["Cache-Control"]
    link = re.search(r'id="invite-link">([^<]+)<', response_text(page))[1]
    assert link not in response_text(ada.get("/people/invitations/"))
    assert "nora@new.example" in response_text(ada.get("/people/invitations/"))
    assert "Nora" not in response_text(ada.get("/people/"))
    nora = Client()
    path = re.sub(r"^https?://[^/]+", "", link)
    assert nora.post(path, {"password": "four odd words here"}).status_code == 302
    assert "Nora" in response_text(nora.get("/people/"))
    assert "No open invitations" in response_text(ada.get("/people/invitations/"))
    again = ada.post("/people/invitations/add/", form)
    assert again.status_code == 422
    assert "belongs to a member already" in response_text(again)
    ada.post("/people/invitations/add/", form | {"email": "otto@new.example", "name": "Otto"})
    with organisation_scope(world.here.id):
        otto = Member.objects.get(name="Otto").id
    assert ada.post(f"/people/invitations/{otto}/withdraw/").status_code == 302
    assert "No open invitations" in response_text(ada.get("/people/invitations/"))
    assert audited(world.here) == [
        "member.invited", "member.joined", "member.invited", "member.uninvited"
    ]  # fmt: skip


@pytest.mark.conformance("X15")
def test_an_invitation_by_mail(world: World, settings: Any) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    address = f"nora-{here.id.hex}@new.example"
    form = {"email": address, "role": "member", "mail": "on"}
    assert "by mail" not in response_text(ada.get("/people/invitations/"))
    page = response_text(ada.post("/people/invitations/add/", form))
    assert mail.outbox == [], "no server is set, and the form had no such field"
    assert "No mail" not in page
    settings.EMAIL_HOST = "mail.example"
    assert "Send them the link by mail" in response_text(ada.get("/people/invitations/"))
    page = response_text(ada.post("/people/invitations/add/", form))
    link = re.search(r'id="invite-link">([^<]+)<', page)[1]
    (sent,) = mail.outbox
    assert sent.to == [address]
    assert link in sent.body
    assert here.organisation.name in sent.subject
    assert "Ada" not in sent.body + sent.subject
    assert f"A mail with this link went to {address}" in page
    ada.post("/people/invitations/add/", form | {"mail": ""})
    assert len(mail.outbox) == 1, "as the form says"
    for _ in range(MAILS_TO_ADDRESS):
        page = response_text(ada.post("/people/invitations/add/", form))
    assert len(mail.outbox) == MAILS_TO_ADDRESS == 5
    assert "No mail could be sent." in page
    assert MAILS_OF_ORGANISATION == 200


def test_mails_of_another_organisation_are_told_by_nothing(world: World, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example"
    form = {"email": f"{new_id()}@new.example", "role": "member", "mail": "on"}
    there = make_signed_in_client(world.there, "ada")
    for _ in range(MAILS_TO_ADDRESS + 1):
        page = response_text(there.post("/people/invitations/add/", form))
    assert "No mail could be sent." in page
    here = make_signed_in_client(world.here, "ada")
    page = response_text(here.post("/people/invitations/add/", form))
    assert f"A mail with this link went to {form['email']}" in page


def test_an_organisation_sends_so_many_mails_a_day(
    world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_HOST = "mail.example"
    monkeypatch.setattr(invitations, "MAILS_OF_ORGANISATION", 3)
    # Buckets outlast a test.
    monkeypatch.setattr(token_buckets, "KEY_PREFIX", f"test:{new_id()}:")
    ada = make_signed_in_client(world.here, "ada")
    pages = []
    for _ in range(5):
        form = {"email": f"{new_id()}@new.example", "role": "member", "mail": "on"}
        pages.append(response_text(ada.post("/people/invitations/add/", form)))
    assert ["No mail could be sent." in page for page in pages] == [False] * 3 + [True] * 2
    assert len(mail.outbox) == 3


def test_the_name_of_an_organisation_is_no_link_in_a_mail(world: World, settings: Any) -> None:
    settings.EMAIL_HOST, here = "mail.example", world.here
    with organisation_scope(here.id):
        Organisation.objects.filter(id=here.id).update(name="Pay at https://evil.example/in")
    form = {"email": f"{new_id()}@new.example", "role": "member", "mail": "on"}
    make_signed_in_client(here, "ada").post("/people/invitations/add/", form)
    (sent,) = mail.outbox
    assert "evil.example" not in sent.subject + sent.body
    assert "evil example" in sent.subject


@pytest.mark.conformance("X15")
def test_an_invitation_that_the_mail_server_refuses_is_made_all_the_same(
    world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_HOST = "mail.example"

    def refuse(*_: object, **__: object) -> int:
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.mail.EmailMessage.send", refuse)
    ada = make_signed_in_client(world.here, "ada")
    form = {"email": f"{world.here.id.hex}@new.example", "role": "member", "mail": "on"}
    page = response_text(ada.post("/people/invitations/add/", form))
    assert "No mail could be sent." in page
    link = re.search(r'id="invite-link">([^<]+)<', page)[1]
    assert Client().get(urlsplit(link).path).status_code == 200


def test_the_last_admin_stays(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    me, bob = here.members["ada"].id, here.members["bob"].id
    for url, data in {
        f"/people/{me}/role/": {"role": "member"},
        f"/people/{me}/remove/": {},
    }.items():
        refused = ada.post(url, data)
        assert refused.status_code == 409
        assert "Somebody must stay admin" in response_text(refused)
    assert ada.post(f"/people/{bob}/role/", {"role": "admin"}).status_code == 302
    assert ada.post(f"/people/{me}/role/", {"role": "member"}).status_code == 302
    assert ada.get(f"/people/{bob}/").status_code == 404, "and is an admin no more"
    assert ada.post(f"/people/{bob}/role/", {"role": "king"}).status_code == 404
    # An admin who was only invited does not count.
    create_member(organisation_id=here.id, email="late@x.example", role="admin", now=NOW)
    assert make_signed_in_client(here, "bob").post(f"/people/{bob}/remove/").status_code == 409


def test_a_removed_member_opens_nothing_and_what_they_said_stays(world: World) -> None:
    here, now = world.here, timezone.now()
    said = here.remember(here.person("bob"), "The door code has changed.", visibility="private").id
    create_delegation(
        organisation_id=here.id,
        member_id=here.members["bob"].id,
        robot_id=here.robots["aria"].id,
        actor=here.person("bob"),
        now=now,
    )
    bob, ada = make_signed_in_client(here, "bob"), make_signed_in_client(here, "ada")
    assert bob.get("/memories/").status_code == 200
    assert ada.post(f"/people/{here.members['bob'].id}/remove/").status_code == 302
    assert bob.get("/memories/")["Location"] == "/organisations/"
    assert bob.get("/api/v1/memories").status_code == 401
    assert "Bob is removed" in response_text(ada.get("/people/"))
    assert "Bob" not in response_text(ada.get("/people/"))
    assert seated(here, "launch") == {"Mina"}
    asked = {"query": "door code", "member": str(here.members["bob"].id), "group": "launch"}
    assert here.api("aria").post("/api/v1/recall", asked, format="json").status_code == 404
    with organisation_scope(here.id):
        assert not Delegation.objects.filter(revoked_at=None).exists()
        assert Member.objects.get(id=here.members["bob"].id).name == "Bob"
    assert here.readable(here.person("bob")) >= {said}, "the row is still there"


def test_seats_and_the_confidential_flag(world: World) -> None:
    here, ada, chidi = (
        world.here,
        make_signed_in_client(world.here, "ada"),
        make_signed_in_client(world.here, "chidi"),
    )
    made = chidi.post("/people/groups/add/", {"name": "Launch", "confidential": "on"})
    group = UUID(made["Location"].split("/")[-2])
    assert made.status_code == 302
    with organisation_scope(here.id):
        # A group that Chidi does not know is called "launch": nothing tells him so.
        here.groups["new"] = Group.objects.get(id=group)
    assert here.groups["new"].external_id == "launch"
    url, bob = f"/people/groups/{group}/", str(here.members["bob"].id)
    assert ada.get(url).status_code == 404
    assert chidi.post(f"{url}seat/", {"member": bob}).status_code == 302
    assert seated(here, "new") == {"Chidi", "Bob"}
    for foreign in (str(world.there.members["bob"].id), str(group), "x"):
        assert chidi.post(f"{url}seat/", {"member": foreign}).status_code == 404
    assert chidi.post(f"{url}confidential/", {"confidential": "0"}).status_code == 302
    assert ada.get(url).status_code == 200
    assert "Make it confidential" in response_text(ada.get(url))
    assert chidi.post(f"{url}unseat/", {"member": bob}).status_code == 302
    assert seated(here, "new") == {"Chidi"}
    assert "Bob" in response_text(chidi.get(f"{url}?q=bo"))
    assert audited(here) == [
        "group.created", "group.members", "group.confidential", "group.members"
    ]  # fmt: skip


def test_queries_do_not_grow_with_people_and_groups(world: World) -> None:
    here, ada = world.here, make_signed_in_client(world.here, "ada")
    urls = ("/people/", "/people/groups/", "/people/invitations/")

    few = [count_queries(ada, url) for url in urls]
    with organisation_scope(here.id):
        for number in range(60):
            create_member(organisation_id=here.id, name=f"Person {number:02}", now=NOW)
            create_member(organisation_id=here.id, email=f"p{number}@x.example", now=NOW)
    for number in range(5):
        ada.post("/people/groups/add/", {"name": f"Group {number}"})
    many = [count_queries(ada, url) for url in urls]
    assert all(after <= before for before, after in zip(few, many, strict=True))
    assert max(many) <= 12
    first = ada.get("/people/").context
    rest = ada.get(first["page"]["next_url"]).context
    names = [p["name"] for p in first["people"] + rest["people"]]
    assert names == sorted(names)
    assert len(names) == len(PEOPLE) + 60
