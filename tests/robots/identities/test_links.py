"""One person on many platforms: linked by robots, confirmed by admins, taken back (A30)."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.members.invitations import create_member
from orgs.models.audit import AuditEntry
from orgs.models.memberships import ExternalIdentity
from orgs.models.organisations import Group
from orgs.organisations.groups import add_to_group
from orgs.principals import resolve_principal
from robots.identities.identity_code import compute_member_code
from robots.identities.identity_links import unlink_identity
from robots.models.identities import IdentityLink
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("A30")

SURE = {"identity": "telegram:4711", "confidence": 1.0, "evidence": "Told me the phone number."}


def seen(tenant: Tenant, robot: str, reference: str = "telegram:4711") -> int:
    return int(tenant.api(robot).get(f"/api/v1/members/{reference}").status_code)


def link(tenant: Tenant, robot: str, member: str, **said: Any) -> Any:
    url = f"/api/v1/members/{member}/identities"
    return tenant.api(robot).post(url, SURE | said, format="json")


def guest(tenant: Tenant) -> str:
    """Somebody in #design without an account, whom aria and clio know."""
    member, _ = create_member(organisation_id=tenant.id, name="Lena", now=NOW)
    add_to_group(
        organisation_id=tenant.id,
        group_id=tenant.groups["design"].id,
        member_ids=[member.id],
    )
    return str(member.id)


def test_linked_by_one_robot_found_by_another_and_unlinked(world: World) -> None:
    here = world.here
    lena = guest(here)
    made = link(here, "aria", lena, known_as="user-17", confidence=0.7)
    assert made.status_code == 201, made.content
    assert link(here, "aria", lena, known_as="user-17", confidence=0.8).status_code == 200
    body = here.api("clio").get("/api/v1/members/telegram:4711").json()
    assert body["id"] == lena, "the second robot of the organisation"
    assert (seen(here, "aria", "user-17"), seen(here, "clio", "user-17")) == (200, 404)
    listed = here.api("clio").get(f"/api/v1/members/{lena}/identities").json()["results"]
    (said,) = listed[0]["said_by"]
    assert (said["robot"]["name"], said["confidence"]) == ("aria", 0.8)
    assert "evidence" not in said, "why is between that robot and the admins"
    # They act for whom nobody signs in as, in a group of both.
    asked = {"query": "x", "group": "design", "member": "telegram:4711"}
    recall = here.api("aria").post("/api/v1/recall", asked, format="json")
    assert recall.status_code == 200
    # bolt sits in no group of Lena's, and in the other organisation she does not exist.
    assert (seen(here, "bolt"), seen(world.there, "aria")) == (404, 404)
    assert link(here, "bolt", lena).status_code == 404
    mina = str(here.members["mina"].id)
    assert link(here, "aria", mina).status_code == 409, "it is Lena's"

    gone = f"/api/v1/members/{lena}/identities/telegram:4711"
    assert here.api("clio").delete(gone).status_code == 404, "clio has not said it"
    assert here.api("aria").delete(gone).status_code == 204
    assert (seen(here, "aria"), seen(here, "clio")) == (404, 404)
    with organisation_scope(here.id):
        assert not IdentityLink.objects.exists()
        acts = AuditEntry.objects.filter(action__startswith="identity.").order_by("id")
        assert [a.action for a in acts] == ["identity.linked"] * 2 + ["identity.unlinked"]
        assert {str(a.target) for a in acts} == {lena}


def test_confidence_opens_nothing_an_admin_does(world: World) -> None:
    here, mina = world.here, world.here.members["mina"]
    with organisation_scope(here.id):
        Group.objects.filter(id=here.groups["launch"].id).update(profile="strict")
    assert link(here, "aria", str(mina.id)).status_code == 201
    assert seen(here, "aria") == 200, "who that may be"
    client = here.api("aria")
    url = "/api/v1/conversations"
    chat = client.post(url, {"group": "launch"}, format="json").json()["id"]

    def said(words: str) -> str:
        body = {"content": words, "speaker": "telegram:4711"}
        answer = client.post(f"{url}/{chat}/messages", body, format="json")
        return str(answer.json()["memory"])

    def mina_reads() -> set[str]:
        return {str(id_) for id_ in here.readable(here.person("mina"))}

    asked = {"query": "x", "group": "launch", "member": "telegram:4711"}
    private = {"content": "A gift for Mina.", "member": "telegram:4711"}
    before = said("the blue folder is lost")
    assert before not in mina_reads(), "strict: for its sender, and nobody knows who that is"
    assert client.post("/api/v1/recall", asked, format="json").status_code == 404
    assert client.post("/api/v1/memories", private, format="json").status_code == 404

    confirm = f"/api/v1/members/{mina.id}/identities/telegram:4711/confirm"
    for name in ("mina", "bob", "chidi"):
        assert here.browser(name).post(confirm).status_code == 403, name
    assert client.post(confirm).status_code == 403
    page = make_signed_in_client(here, "ada")
    shown = response_text(page.get(f"/people/{mina.id}/"))
    assert "telegram:4711" in shown
    assert "Not confirmed" in shown
    assert "aria says so, 100 % sure: “Told me the phone number.”" in shown
    with organisation_scope(here.id):
        identity = ExternalIdentity.objects.get()
    done = page.post(f"/people/{mina.id}/identities/{identity.id}/confirm/")
    assert done.status_code == 302
    after = said("the red folder is lost")
    assert after in mina_reads()
    assert before not in mina_reads()
    assert client.post("/api/v1/recall", asked, format="json").status_code == 200
    # The robot takes back its word; the admin's stands until an admin takes it.
    assert client.delete(confirm.removesuffix("/confirm")).status_code == 204
    assert seen(here, "aria") == 200
    with pytest.raises(NotFoundError):
        unlink_identity(here.robot("aria"), str(mina.id), "telegram:4711", now=NOW)
    with organisation_scope(here.id):
        told = AuditEntry.objects.filter(action="identity.unlinked").count()
    assert (seen(here, "aria"), told) == (200, 1), "what did not happen is not told"
    page.post(f"/people/{mina.id}/identities/{identity.id}/unlink/")
    assert seen(here, "aria") == 404
    assert after in mina_reads(), "what was said stays theirs"


def test_an_admin_links_on_the_page_and_others_do_not(world: World) -> None:
    here, bob = world.here, world.here.members["bob"]
    url = f"/people/{bob.id}/identities/"
    for name in ("chidi", "mina", "vera"):
        assert (
            make_signed_in_client(here, name).post(url, {"identity": "irc:bob"}).status_code == 404
        )
    ada = make_signed_in_client(here, "ada")
    assert ada.post(url, {"identity": "nonsense"}).status_code == 422
    assert ada.post(url, {"identity": "irc:bob"}).status_code == 302
    mina = here.members["mina"].id
    taken = ada.post(f"/people/{mina}/identities/", {"identity": "irc:bob"})
    assert taken.status_code == 422
    assert "belongs to a member already" in response_text(taken)
    asked = {"query": "x", "group": "launch", "member": "irc:bob"}
    assert here.api("aria").post("/api/v1/recall", asked, format="json").status_code == 200
    answer = here.browser("chidi").post(
        f"/api/v1/members/{bob.id}/identities", {"identity": "irc:b"}, format="json"
    )
    assert answer.status_code == 403
    with resolve_principal(here.person("ada")).scope():
        assert ExternalIdentity.objects.get().confirmed_at is not None


def test_a_member_proves_a_name_by_a_code_from_there(world: World) -> None:
    here, mina = world.here, str(world.here.members["mina"].id)
    now = timezone.now()
    with time_machine.travel(now, tick=False):
        page = response_text(make_signed_in_client(here, "mina").get("/me/names/"))
        code = re.search(r">([A-Z2-7]{4}-[A-Z2-7]{4})<", page)[1]
        assert code not in response_text(make_signed_in_client(here, "bob").get("/me/names/"))
        for wrong in ("AAAA-AAAA", code[:-1], "ü"):
            refused = link(here, "aria", mina, proof=wrong)
            assert (refused.status_code, refused.json()["type"][-11:]) == (400, "wrong-proof")
        bob = str(here.members["bob"].id)
        assert link(here, "aria", bob, proof=code).status_code == 400, "it is Mina's"
        made = link(here, "aria", mina, proof=code.lower())
        assert made.json()["confirmed_at"] is not None
        spent = link(here, "aria", mina, identity="slack:2", proof=code)
        assert spent.status_code == 400, "a code proves one name"
        assert "Yours" in response_text(make_signed_in_client(here, "mina").get("/me/names/"))
    asked = {"query": "x", "group": "launch", "member": "telegram:4711"}
    assert here.api("aria").post("/api/v1/recall", asked, format="json").status_code == 200
    with time_machine.travel(now + timedelta(minutes=31), tick=False):
        other = {"identity": "slack:1", "proof": code}
        assert link(here, "aria", mina, **other).status_code == 400, "it is over"


def test_a_proof_wins_over_what_a_robot_says_of_somebody_else(world: World) -> None:
    here, mina, bob = world.here, world.here.members["mina"], world.here.members["bob"]
    assert link(here, "aria", str(bob.id), known_as="bobby").status_code == 201
    code = compute_member_code(here.person("mina"), now=timezone.now())
    assert link(here, "aria", str(mina.id), proof="AAAA-AAAA").status_code == 400
    assert link(here, "aria", str(mina.id)).status_code == 409, "a word against a word"
    won = link(here, "aria", str(mina.id), proof=code)
    assert (won.status_code, won.json()["confirmed_at"] is not None) == (201, True), won.content
    with organisation_scope(here.id):
        assert ExternalIdentity.objects.get(identifier="4711").member_id == mina.id
        assert IdentityLink.objects.get().known_as == "", "nothing stays of the claim"
        acts = AuditEntry.objects.filter(action__startswith="identity.").order_by("id")
        assert [(a.action, a.target) for a in acts] == [
            ("identity.linked", bob.id),
            ("identity.unlinked", bob.id),
            ("identity.linked", mina.id),
            ("identity.proven", mina.id),
        ]
    # What is confirmed stays, and so does whom nobody can ask.
    other = compute_member_code(here.person("bob"), now=timezone.now())
    assert link(here, "aria", str(bob.id), proof=other).status_code == 409
    lena = guest(here)
    assert link(here, "aria", lena, identity="telegram:12").status_code == 201
    assert link(here, "aria", str(bob.id), identity="telegram:12", proof=other).status_code == 409


def test_colleagues_do_not_look_up_each_others_names(world: World) -> None:
    here, bob = world.here, str(world.here.members["bob"].id)
    assert link(here, "aria", bob, identity="whatsapp:+491234").status_code == 201
    for who, status in (("vera", 403), ("chidi", 403), ("bob", 200), ("ada", 200)):
        answer = here.browser(who).get(f"/api/v1/members/{bob}/identities")
        assert (answer.status_code, "+491234" in response_text(answer)) == (
            status,
            status == 200,
        ), who
