"""A personal robot is its member and no more, over the API (T26)."""

from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Role
from orgs.organisations.groups import remove_from_group
from orgs.organisations.references import link_identity
from robots.models.conversations import Message
from tests.isolation.comparable_responses import fast_path_answer
from tests.isolation.forgery import all_audiences_scope
from tests.world import NOW, Tenant, World

WORDS = "The canteen closes at two."
V1 = "/api/v1"


@pytest.fixture
def here(world: World) -> Tenant:
    """mine serves Mina and sits with her in both groups; spare serves her with fewer scopes."""
    tenant = world.here
    tenant.add_robot("mine", groups=("launch", "design"), scopes=("read", "write", "act_for"))
    tenant.add_robot("spare", groups=("launch",), scopes=("read", "write"))
    tenant.give_owner("mine", "mina")
    for name in ("mina", "bob"):
        link_identity(
            organisation_id=tenant.id,
            platform="chat",
            identifier=name,
            member_id=tenant.members[name].id,
            confirmed_at=NOW,
        )
    return tenant


def id_of(here: Tenant, name: str) -> str:
    return str(here.members[name].id)


def post(client: APIClient, path: str, body: Any, status: int) -> Any:
    answer = client.post(f"{V1}{path}", body, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def refused(client: APIClient, path: str, body: Any) -> None:
    assert post(client, path, body, 403)["type"].endswith(":identity-claim")


def stored(here: Tenant) -> list[Memory]:
    with all_audiences_scope(here):
        return list(Memory.objects.filter(content__contains="canteen").select_related("audience"))


# Every way to say who somebody is; {who} is a reference to Bob, or his name.
CLAIMS: list[tuple[str, dict[str, Any]]] = [
    ("/memories", {"content": WORDS, "speaker": "{who}"}),
    ("/memories", {"content": WORDS, "speaker": "{who}", "group": "launch"}),
    ("/memories", {"content": WORDS, "member": "{id}", "visibility": "private"}),
    ("/memories", {"content": WORDS, "member": "{id}", "group": "launch"}),
    ("/memories", {"content": WORDS, "listeners": ["{id}"], "visibility": "protected"}),
    ("/decisions", {"topic": "The canteen", "conclusion": WORDS, "participants": ["{who}"]}),
    (
        "/decisions",
        {"topic": "The canteen", "conclusion": WORDS, "group": "launch",
         "claims": [{"text": "It is late.", "by": "{who}"}]},
    ),
    (
        "/decisions",
        {"topic": "The canteen", "conclusion": WORDS, "group": "launch",
         "dissents": [{"kind": "risk_warning", "content": "Hunger.", "by": "{who}"}]},
    ),
    ("/decisions", {"topic": "The canteen", "conclusion": WORDS, "member": "{id}"}),
    ("/tasks", {"content": "Close the canteen", "member": "{id}"}),
    ("/debates", {"topic": "The canteen", "member": "{id}"}),
    ("/conversations", {"member": "{id}"}),
    ("/recall", {"query": "canteen", "member": "{id}"}),
    ("/recall", {"query": "canteen", "member": "{id}", "group": "launch"}),
    ("/context", {"query": "canteen", "member": "{id}"}),
    ("/preferences", {"kind": "preference", "text": "Tea.", "member": "{id}"}),
    ("/personas/associations", {"handle": "qsr_real_estate", "member": "{id}"}),
    ("/members/{id}/identities", {"identity": "mail:bob"}),
]  # fmt: skip


def with_names(value: Any, id_: str, who: str) -> Any:
    if isinstance(value, str):
        return value.replace("{id}", id_).replace("{who}", who)
    if isinstance(value, dict):
        return {key: with_names(one, id_, who) for key, one in value.items()}
    return [with_names(one, id_, who) for one in value] if isinstance(value, list) else value


@pytest.mark.conformance("T26")
@pytest.mark.parametrize(("path", "body"), CLAIMS)
def test_it_names_nobody_but_its_owner(here: Tenant, path: str, body: dict[str, Any]) -> None:
    client, bob = here.api("mine"), id_of(here, "bob")
    for who in (bob, "chat:bob", "Bob", "Somebody else", str(uuid4())):
        refused(client, path.replace("{id}", bob), with_names(body, bob, who))
    assert stored(here) == []


@pytest.mark.conformance("T26", "T20")
def test_it_reads_and_keeps_at_hand_for_nobody_else(here: Tenant) -> None:
    client = here.api("mine")
    for path in ("/working-memory", "/tasks", "/decisions", "/preferences"):
        answer = client.get(f"{V1}{path}", {"member": id_of(here, "bob")})
        assert answer.status_code in (403, 404), (path, answer.content)
    assert client.get(f"{V1}/tasks", {"member": id_of(here, "bob")}).status_code == 403
    assert client.get(f"{V1}/tasks", {"member": id_of(here, "mina")}).status_code == 200


@pytest.mark.conformance("T26", "T20")
def test_the_straight_way_asks_for_its_owner_alone(here: Tenant) -> None:
    here.remember(here.robot("aria"), WORDS, group="launch")
    client = here.api("mine")
    for name, taken in (("bob", False), ("mina", True)):
        for place in ({}, {"group": "launch"}):
            body = {"query": "canteen", "member": id_of(here, name), **place}
            told = fast_path_answer(client, f"{V1}/recall", {}, body)
            assert (told is not None) is taken, (name, place)


@pytest.mark.conformance("T26", "T16")
def test_it_gives_its_owners_words(here: Tenant) -> None:
    client, mina = here.api("mine"), id_of(here, "mina")
    for who in (mina, "chat:mina", "Mina"):
        made = post(
            client, "/memories",
            {"content": f"{WORDS} {who}", "speaker": who, "member": mina, "visibility": "private"},
            201,
        )  # fmt: skip
        with all_audiences_scope(here):
            assert str(Memory.objects.get(id=made["id"]).speaker_member_id) == mina


@pytest.mark.conformance("T26")
def test_what_it_writes_for_everyone_is_proposed_and_can_be_approved(here: Tenant) -> None:
    client, asked = here.api("mine"), {"content": WORDS, "visibility": "organisation"}
    made = post(client, "/memories", asked, 201)
    assert made["status"] == "pending_review"
    [row] = stored(here)
    assert row.audience.kind == "review"
    found = here.api("aria").post(f"{V1}/recall", {"query": "canteen"}, format="json").json()
    assert found["results"] == []
    asked_for = here.browser("mina").get(f"{V1}/proposals", {"mine": "true"}).json()["results"]
    assert [one["memory"]["id"] for one in asked_for] == [made["id"]]
    # Its owner reads what it proposed; Bob does not. Sent twice it is one.
    page = here.browser("mina").get(f"/memories/{row.id}/")
    assert page.status_code == 200
    assert here.browser("bob").get(f"/memories/{row.id}/").status_code == 404
    assert post(client, "/memories", asked, 201)["id"] == made["id"]
    with all_audiences_scope(here):
        item = Proposal.objects.get(memory_id=row.id, cause="publish")
    post(
        here.browser("chidi"),
        f"/proposals/{item.id}/decision",
        {"action": "approve", "version": 1},
        200,
    )
    told = here.api("aria").post(f"{V1}/recall", {"query": "canteen"}, format="json").json()
    assert [one["content"] for one in told["results"]] == [WORDS]


@pytest.mark.conformance("T26")
@pytest.mark.parametrize("acting", [True, False])
def test_decisions_and_tasks_for_everyone_are_proposed(here: Tenant, acting: bool) -> None:
    client = here.api("mine")
    more = {"visibility": "organisation"} | ({"member": id_of(here, "mina")} if acting else {})
    claims = [{"text": "It is late.", "by": "chat:mina"}]
    decided = {"topic": "The canteen", "conclusion": WORDS, "claims": claims, **more}
    made = post(client, "/decisions", decided, 201)
    assert made["status"] == "pending_review"
    assert post(client, "/tasks", {"content": "Close the canteen", **more}, 201)["status"] == (
        "pending_review"
    )
    assert {row.audience.kind for row in stored(here)} == {"review"}
    assert post(client, "/debates", {"topic": "The canteen", **more}, 400)["type"].endswith(
        ":misplaced"
    )
    mine = here.browser("mina").get(f"/memories/{made['id']}/")
    assert mine.status_code == 200


@pytest.mark.conformance("T26")
def test_it_is_in_its_owners_groups_alone(here: Tenant) -> None:
    """Mina leaves #design; her robot, which sits there still, reads and writes nothing of it."""
    here.remember(here.robot("clio"), WORDS, group="design")
    client, asked = here.api("mine"), {"query": "canteen"}
    for body in (asked, asked | {"group": "design"}):
        assert len(post(client, "/recall", body, 200)["results"]) == 1
    with organisation_scope(here.id):
        remove_from_group(
            organisation_id=here.id,
            group_id=here.groups["design"].id,
            member_ids=[here.members["mina"].id],
        )
    assert post(client, "/recall", asked, 200)["results"] == []
    post(client, "/recall", asked | {"group": "design"}, 404)
    post(client, "/recall", asked | {"group": "design", "member": id_of(here, "mina")}, 404)
    post(client, "/memories", {"content": "No.", "group": "design"}, 404)
    post(client, "/conversations", {"group": "design"}, 404)
    assert client.get(f"{V1}/groups/design").status_code == 404


@pytest.mark.conformance("T26")
def test_a_viewers_robot_writes_as_little_as_the_viewer(here: Tenant) -> None:
    with organisation_scope(here.id):
        here.members["mina"].role = Role.VIEWER
        here.members["mina"].save(update_fields=["role"])
    client, mina = here.api("mine"), id_of(here, "mina")
    for where in (
        {"group": "launch"},
        {"visibility": "organisation"},
        {"group": "launch", "member": mina},
    ):
        assert post(client, "/memories", {"content": WORDS, **where}, 403)["type"].endswith(
            ":forbidden"
        )
    chat = post(client, "/conversations", {"group": "launch"}, 201)["id"]
    post(client, f"/conversations/{chat}/messages", {"content": WORDS}, 403)
    assert stored(here) == []
    private = {"content": WORDS, "member": mina, "visibility": "private"}
    assert post(client, "/memories", private, 201)["status"] == "active"


@pytest.mark.conformance("T26", "T16")
def test_in_messages_it_speaks_for_its_owner_or_itself(here: Tenant) -> None:
    client, bob, mina = here.api("mine"), id_of(here, "bob"), id_of(here, "mina")
    chat = post(client, "/conversations", {"group": "launch"}, 201)["id"]
    at = f"/conversations/{chat}/messages"
    for body in (
        {"speaker": bob}, {"speaker": "chat:bob"}, {"speaker": "Bob"}, {"speaker": "chat:nobody"},
        {"speaker_name": "Bob"}, {"speaker": "chat:nobody", "speaker_name": "Mina"},
        {"speaker_name": str(uuid4())}, {"speaker": bob, "speaker_name": "Mina"},
    ):  # fmt: skip
        refused(client, at, {"content": "Hello.", **body})
    for body in ({"speaker": mina}, {"speaker": "chat:mina", "speaker_name": "Bob"}):
        told = post(client, at, {"content": "Hello there.", **body}, 201)
        with all_audiences_scope(here):
            row = Message.objects.get(id=told["id"])
        assert (row.speaker, str(row.speaker_member_id)) == ("Mina", mina)
    told = post(client, at, {"content": "I am your robot."}, 201)
    with all_audiences_scope(here):
        assert Message.objects.get(id=told["id"]).speaker_member_id is None


@pytest.mark.conformance("T16", "T22")
def test_in_messages_an_id_is_named_with_the_scope_and_never_stored_as_a_name(here: Tenant) -> None:
    bob, at = id_of(here, "bob"), {}
    for name in ("aria", "spare"):
        chat = post(here.api(name), "/conversations", {"group": "launch"}, 201)["id"]
        at[name] = f"/conversations/{chat}/messages"
    told = post(here.api("aria"), at["aria"], {"content": "Yes.", "speaker": bob}, 201)
    with all_audiences_scope(here):
        assert str(Message.objects.get(id=told["id"]).speaker_member_id) == bob
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in bob)
    for who in (bob, str(uuid4()), f"{{{bob}}}", f" {bob}", bob.replace("-", ""), wide):
        refused(here.api("spare"), at["spare"], {"content": "No.", "speaker": who})
        refused(here.api("spare"), at["spare"], {"content": "No.", "speaker_name": who})
        refused(here.api("spare"), "/memories", {"content": "No.", "speaker": who})
        if who != bob:
            refused(here.api("aria"), at["aria"], {"content": "No.", "speaker_name": who})
    refused(here.api("aria"), at["aria"], {"content": "No.", "speaker": str(uuid4())})
    refused(here.api("aria"), "/memories", {"content": "No.", "speaker": str(uuid4())})


@pytest.mark.conformance("T26", "T16")
def test_without_act_for_it_acts_for_nobody_and_speaks_for_its_owner_alone(here: Tenant) -> None:
    here.give_owner("mine", "chidi")
    here.give_owner("spare", "mina")
    client, mina = here.api("spare"), id_of(here, "mina")
    missing = post(client, "/memories", {"content": WORDS, "member": mina}, 403)
    assert missing["type"].endswith(":missing-scope")
    private = post(client, "/memories", {"content": WORDS, "visibility": "private"}, 201)
    with all_audiences_scope(here):
        row = Memory.objects.select_related("audience").get(id=private["id"])
    assert (row.audience.kind, row.member_id) == ("robot", None)
    # The blocks that are private to Mina are open to her robot only if its key acts for her.
    here.browser("mina").get(f"{V1}/blocks")
    labels = {one["label"] for one in client.get(f"{V1}/blocks").json()["results"]}
    assert labels <= {"agent_persona", "global_experience"}
    assert client.get(f"{V1}/passages", {"query": "canteen"}).status_code == 403
    for who in (mina, "Mina", id_of(here, "bob"), "Bob", "chat:bob"):
        refused(client, "/memories", {"content": WORDS, "speaker": who, "group": "launch"})
    body = {"content": "Lunch is late.", "speaker": "chat:mina", "group": "launch"}
    made = post(client, "/memories", body, 201)
    with all_audiences_scope(here):
        assert str(Memory.objects.get(id=made["id"]).speaker_member_id) == mina


@pytest.mark.conformance("T26")
def test_nobody_gives_anothers_robot_leave(here: Tenant) -> None:
    browser = here.browser("bob")
    offered = browser.get("/me/?trust=1").context["robots"]
    assert [one.name for one in offered] == ["aria", "bolt", "clio", "spare"]
    sent = browser.post("/me/robots/", {"robot": str(here.robots["mine"].id)})
    assert sent.status_code == 404
    refused(here.api("mine"), "/recall", {"query": "x", "member": id_of(here, "bob")})
