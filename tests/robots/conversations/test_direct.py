"""Direct conversations: the robot that was told reads them for the member who told it, alone."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.users import User
from orgs.organisations.groups import add_to_group, create_group
from orgs.principals import resolve_principal
from robots.access.acting_for_members import create_delegation, revoke_delegation
from robots.identities.identity_links import confirm_identity
from robots.models.delegations import Delegation
from robots.people.members_without_account import create_member_without_account
from robots.registry.robots import add_robot_to_groups
from tests.world import NOW, PASSWORD, Tenant, World

SECRETS = {"rosa": "I take warfarin for my heart.", "kofi": "I take insulin for my sugar."}
QUESTION = "Which medicine do I take?"


def add_person(here: Tenant, name: str) -> Member:
    """A member without a log-in, whom robots know by telegram:<name>."""
    data = {"name": name.capitalize(), "identity": f"telegram:{name}"}
    here.members[name] = create_member_without_account(here.person("ada"), data, NOW)
    return here.members[name]


def tell(api: APIClient, name: str, words: str, **conversation: Any) -> dict[str, Any]:
    """The member says it to the robot in a direct conversation; what became of it."""
    asked = {"member": f"telegram:{name}", "external_id": f"chat-{name}", **conversation}
    opened = api.post("/api/v1/conversations", asked, format="json").json()
    said = {"content": words, "speaker": f"telegram:{name}"}
    address = f"/api/v1/conversations/{opened['id']}/messages"
    kept = api.post(address, said, format="json").json()
    return {**kept, "conversation": opened["id"]}


def give_account(here: Tenant, name: str) -> None:
    """The member has joined, and an admin has confirmed their name on the platform."""
    with organisation_scope(here.id):
        user = User.objects.create_user(email=f"{name}@sign-in.example", password=PASSWORD)
        Member.objects.filter(id=here.members[name].id).update(user=user, joined_at=NOW)
        here.members[name] = Member.objects.select_related("user").get(id=here.members[name].id)
    ada, identity = here.person("ada"), f"telegram:{name}"
    confirm_identity(ada, str(here.members[name].id), identity, now=NOW)


def add_group(here: Tenant, name: str, *people: Member) -> None:
    """A group of these people, in which aria sits."""
    with organisation_scope(here.id):
        group = create_group(organisation_id=here.id, external_id=name, name=f"#{name}", now=NOW)
        ids = [person.id for person in people]
        add_to_group(organisation_id=here.id, group_id=group.id, member_ids=ids)
        robot_id = here.robots["aria"].id
        add_robot_to_groups(organisation_id=here.id, robot_id=robot_id, group_ids=[group.id])
    here.groups[name] = group


def delegate(here: Tenant, name: str) -> Delegation:
    return create_delegation(
        organisation_id=here.id, member_id=here.members[name].id,
        robot_id=here.robots["aria"].id, actor=here.person(name), now=NOW,
    )  # fmt: skip


def recalled(api: APIClient, query: str = QUESTION, **asked: Any) -> list[str]:
    body = {"query": query, "limit": 50, **asked}
    answer = api.post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200, answer.json()
    return [hit["content"] for hit in answer.json()["results"]]


def for_member(name: str, **asked: Any) -> dict[str, Any]:
    return {"member": f"telegram:{name}", "include_direct": True, **asked}


@pytest.fixture
def told(world: World) -> Tenant:
    """Rosa and Kofi, who have no log-in, each told aria something."""
    here = world.here
    for name, words in SECRETS.items():
        add_person(here, name)
        assert tell(here.api("aria"), name, words)["memory"]
    here.read()
    return here


@pytest.mark.conformance("X07")
def test_each_is_told_their_own(told: Tenant) -> None:
    for name, words in SECRETS.items():
        assert recalled(told.api("aria"), **for_member(name)) == [words]
        # It is not on by default in a recall.
        assert recalled(told.api("aria"), member=f"telegram:{name}") == []


@pytest.mark.conformance("X07")
def test_for_nobody_a_robot_reads_no_direct_conversation(told: Tenant) -> None:
    aria = told.api("aria")
    for more in ({}, {"include_direct": True}, {"group": "launch"}, {"strategy": "keyword"}):
        assert recalled(aria, **more) == []
    assert aria.get("/api/v1/memories").json()["results"] == []
    assert aria.get("/api/v1/conversations").json()["results"] == []
    assert aria.get("/api/v1/stats").json()["memories"] == 0
    assert aria.get("/api/v1/entities").json()["results"] == []
    context = aria.post("/api/v1/context", {"query": QUESTION}, format="json").json()
    assert "take" not in context["text"]
    assert told.readable(told.robot("aria")) == set()


@pytest.mark.conformance("X07")
def test_another_robot_reads_nothing_of_it_even_for_that_member(told: Tenant) -> None:
    told.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for"))
    dora = told.api("dora")
    assert recalled(dora, **for_member("rosa")) == []
    assert dora.get("/api/v1/conversations?member=telegram:rosa").json()["results"] == []
    tell(dora, "rosa", "I take the bus to the clinic.")
    told.read()
    assert recalled(dora, **for_member("rosa")) == ["I take the bus to the clinic."]
    assert recalled(told.api("aria"), **for_member("rosa")) == [SECRETS["rosa"]]


@pytest.mark.conformance("X07")
@pytest.mark.parametrize("strategy", ["keyword", "hybrid", "triple_tenant", "multi_level"])
def test_where_others_read_the_answer_it_stays_out(told: Tenant, strategy: str) -> None:
    """In a group and in what may be said there, also if the member is alone in it, if the words may
    be said elsewhere, and if the member delegated to the robot."""
    rosa, aria = told.members["rosa"], told.api("aria")
    add_group(told, "clinic", rosa)
    with resolve_principal(told.person("rosa")).scope():
        Memory.objects.update(shareable=True)
    alone = for_member("rosa", strategy=strategy)
    for delegated in (False, True):
        if delegated:
            delegate(told, "rosa")
        assert recalled(aria, **alone) == [SECRETS["rosa"]]
        for where in ({"group": "clinic"}, {"shareable_with": "clinic"}):
            assert recalled(aria, **alone, **where) == [], (where, delegated)
        asked = {"query": QUESTION, "group": "clinic", **for_member("rosa")}
        context = aria.post("/api/v1/context", asked, format="json").json()
        assert SECRETS["rosa"] not in context["text"]


@pytest.mark.conformance("X07")
def test_a_context_for_a_member_alone_has_what_they_told(told: Tenant) -> None:
    aria = told.api("aria")

    def context(**asked: Any) -> str:
        body = {"query": QUESTION, "include_recent": False, **asked}
        return aria.post("/api/v1/context", body, format="json").json()["text"]

    for name, words in SECRETS.items():
        assert words in context(member=f"telegram:{name}")
        assert words in context(member=f"telegram:{name}", include_recent=True)
        assert words not in context(member=f"telegram:{name}", include_direct=False)
    assert SECRETS["kofi"] not in context(member="telegram:rosa")


@pytest.mark.conformance("X07")
def test_a_row_that_is_named_is_the_robots_to_read_correct_and_delete(told: Tenant) -> None:
    """By its id the robot that had the conversation reads it also without naming the member."""
    told.add_robot("dora", scopes=("read", "write", "act_for"))
    aria, dora = told.api("aria"), told.api("dora")
    kept = tell(aria, "rosa", "I am allergic to penicillin.")
    told.read()
    chat, memory = f"/api/v1/conversations/{kept['conversation']}", kept["memory"]
    for address in (chat, f"{chat}/messages", f"{chat}/earlier", f"/api/v1/memories/{memory}"):
        assert aria.get(address).status_code == 200, address
        assert dora.get(address).status_code == 404, address
    [listed] = aria.get("/api/v1/conversations?member=telegram:rosa").json()["results"]
    assert listed["id"] == kept["conversation"]
    again = tell(aria, "rosa", "I am allergic to nuts as well.")
    assert again["conversation"] == kept["conversation"]
    address = f"/api/v1/memories/{memory}"
    changed = aria.patch(address, {"content": "I am allergic to aspirin."}, format="json")
    assert changed.status_code == 200, changed.json()
    assert aria.get(f"{address}/history").status_code == 200
    assert dora.delete(address).status_code == 404
    assert aria.delete(address).status_code == 204
    assert recalled(aria, "allergic to aspirin?", **for_member("rosa")) != []


@pytest.mark.conformance("X07")
def test_who_signs_in_sees_it_and_may_end_it(told: Tenant) -> None:
    aria, rosa = told.api("aria"), told.members["rosa"]
    give_account(told, "rosa")
    # The robot remembers as before, because it is still the same person who told it.
    assert recalled(aria, **for_member("rosa")) == [SECRETS["rosa"]]
    browser = told.browser("rosa")
    page = browser.get("/me/?all=1").content.decode()
    assert SECRETS["rosa"] in page
    assert "These read what you told them" in page
    assert "You and aria" in page
    end = f"/me/robots/{told.robots['aria'].id}/end/"
    assert told.browser("mina").post(end).status_code == 404
    assert browser.post(end).status_code == 302
    assert recalled(aria, **for_member("rosa")) == []
    assert recalled(aria, **for_member("kofi")) == [SECRETS["kofi"]]
    assert "These read what you told them" not in browser.get("/me/").content.decode()
    assert browser.post(end).status_code == 404
    tell(aria, "rosa", "I take aspirin now.")
    told.read()
    assert recalled(aria, **for_member("rosa")) == []
    delegate(told, "rosa")
    assert set(recalled(aria, **for_member("rosa"))) == {SECRETS["rosa"], "I take aspirin now."}
    assert rosa.id


@pytest.mark.conformance("X07")
def test_a_revoked_delegation_ends_what_was_told_as_well(told: Tenant) -> None:
    give_account(told, "rosa")
    leave = delegate(told, "rosa")
    revoke_delegation(
        organisation_id=told.id, delegation_id=leave.id, actor=told.person("rosa"), now=NOW
    )
    assert recalled(told.api("aria"), **for_member("rosa")) == []


@pytest.mark.conformance("X07")
def test_a_member_with_a_log_in_is_answered_from_what_they_told_and_from_nothing_private(
    told: Tenant,
) -> None:
    aria, mina = told.api("aria"), str(told.members["mina"].id)
    told.remember(told.person("mina"), "I take thyroxine, and I told nobody.")
    told.remember(told.robot("aria"), "Mina takes zinc.", member=mina)
    opened = aria.post("/api/v1/conversations", {"member": mina}, format="json").json()
    said = {"content": "I take iron.", "speaker": mina}
    aria.post(f"/api/v1/conversations/{opened['id']}/messages", said, format="json")
    told.read()
    asked = {"member": mina, "include_direct": True}
    assert recalled(aria, **asked) == ["I take iron."]
    assert recalled(aria, **asked, group="launch") == []
    assert recalled(aria) == []


@pytest.mark.conformance("X07")
def test_preferences_of_a_member_without_a_log_in(told: Tenant) -> None:
    told.add_robot("dora", scopes=("read", "write", "act_for"))
    aria, dora = told.api("aria"), told.api("dora")
    add_person(told, "lin")
    lin, kofi = "?member=telegram:lin", "?member=telegram:kofi"
    assert aria.get(f"/api/v1/preferences{lin}").json()["results"] == []
    given = {"kind": "preference", "member": "telegram:lin", "importance": 0.9,
             "text": "Answers in Portuguese, please."}  # fmt: skip
    made = aria.post("/api/v1/preferences", given, format="json")
    assert made.status_code == 201, made.json()
    dora.post("/api/v1/preferences", given, format="json")
    told.read()
    [shown] = aria.get(f"/api/v1/preferences{lin}").json()["results"]
    assert shown["id"] == made.json()["preference"]["id"]
    assert aria.get(f"/api/v1/preferences{kofi}").json()["results"] == []
    [other] = dora.get(f"/api/v1/preferences{lin}").json()["results"]
    assert other["id"] != shown["id"]
    one = f"/api/v1/preferences/{shown['id']}"
    changed = {"text": "Answers in Spanish, please.", "member": "telegram:lin"}
    assert aria.patch(one, changed, format="json").status_code == 200
    assert dora.get(f"{one}{lin}").status_code == 404
    body = {"query": "How shall I answer?", "member": "telegram:lin"}
    context = aria.post("/api/v1/context", body, format="json").json()["text"]
    assert "Answers in Spanish, please." in context
    assert "Portuguese" not in context
    give_account(told, "lin")
    mine = told.browser("lin").get("/api/v1/preferences").json()["results"]
    assert {one["id"] for one in mine} == {shown["id"], other["id"]}
    assert aria.delete(f"{one}{lin}").status_code == 204
    assert aria.get(f"/api/v1/preferences{lin}").json()["results"] == []
    # A member with a log-in who has told it nothing is as unknown as before.
    assert aria.get(f"/api/v1/preferences?member={told.members['bob'].id}").status_code == 404
