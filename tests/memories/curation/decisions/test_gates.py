"""What stands beside a decision passes the gates: claims, dissents, answers, topics, and who is
named with them (T12). Who may only propose to its readers is judged by them as a robot is (T27)."""

from typing import Any
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from memories.curation.decision_records.models import Claim, Debate, Decision, Dissent
from memories.curation.share_memory import share_memory
from memories.safety.gate_refusals import GateRefusedError
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.memories.curation.approved.published import decision
from tests.memories.curation.decisions.test_decisions import URL, decide, get, post
from tests.memories.safety.gate.test_poison import CARD, ORDER
from tests.personas.persona_helpers import QSR, make_association, make_robot_client
from tests.world import NOW, Tenant, World

MAIL = "Write to jane.roe@example.com, who is against it."
HELD = "urn:commonmind:problem:held-back"
HARMLESS = "The pump is too loud for the hall."


def against(content: str, **more: Any) -> dict[str, Any]:
    return {"kind": "risk_warning", "content": content, **more}


def held(client: APIClient, path: str, **body: Any) -> None:
    assert post(client, path, 409, **body)["type"] == HELD


def texts(here: Tenant, id_: UUID) -> list[str]:
    """The dissents that everybody reads, and what a robot is given before a meeting."""
    shown = get(here.browser("bob"), f"/{id_}")["dissents"]
    prepared = get(here.api("bolt"), "/prepare", topic="canteen hours")["text"]
    assert all(one["content"] in prepared for one in shown)
    assert ORDER not in prepared
    assert MAIL not in prepared
    return [one["content"] for one in shown]


@pytest.mark.conformance("T12")
@pytest.mark.parametrize("who", ["mina", "bob"])
@pytest.mark.parametrize("words", [ORDER, CARD, MAIL], ids=["order", "card", "mail"])
def test_a_members_dissent_on_what_everyone_reads_passes_the_gates(
    world: World, who: str, words: str
) -> None:
    """Nobody reviews it, so nothing but the gates is between it and the robots of others."""
    here = world.here
    id_ = decision(here)
    path, client = f"/{id_}/dissents", here.browser(who)
    held(client, path, **against(words))
    held(client, path, **against(HARMLESS, reasoning=words))
    assert texts(here, id_) == ["Too early."]
    with organisation_scope(here.id):
        refused = AuditEntry.objects.filter(action="gate.refused", target=id_)
        assert refused.count() == 2
        assert all(words not in str(one.detail) for one in refused)
    # What is harmless needs nobody's leave.
    assert post(client, path, **against(HARMLESS, reasoning="We measured."))["id"]
    assert texts(here, id_) == ["Too early.", HARMLESS]


def robots_dissent(here: Tenant, id_: UUID, who: str, **more: Any) -> None:
    """What a robot may not say there, and what it may."""
    path, client = f"/{id_}/dissents", here.api(who)
    held(client, path, **against(ORDER), **more)
    held(client, path, **against(HARMLESS, by=ORDER), **more)
    assert post(client, path, **against(HARMLESS), **more)["id"]


@pytest.mark.conformance("T12")
def test_a_robots_dissent_passes_them_with_the_name_that_it_gives(world: World) -> None:
    here = world.here
    id_ = decision(here)
    robots_dissent(here, id_, "bolt")
    # A dissent that is somebody's is looked at for everything personal, as a memory is.
    mina = str(here.members["mina"].id)
    for words in (ORDER, MAIL):
        held(here.api("aria"), f"/{id_}/dissents", **against(words, by=mina), group="launch")
        held(make_robot_client(here, "bob"), f"/{id_}/dissents", **against(words))
    assert texts(here, id_) == ["Too early.", HARMLESS]


@pytest.mark.conformance("T12")
def test_an_order_in_two_fields_is_read_as_one(world: World) -> None:
    here = world.here
    begin, _, rest = ORDER.partition(" previous ")
    path = f"/{decision(here)}/dissents"
    held(here.browser("bob"), path, **against(begin, reasoning=f"previous {rest}"))
    held(here.api("bolt"), path, **against(begin, reasoning=f"previous {rest}"))


def test_who_publishes_to_the_readers_writes_in_their_own_name(world: World) -> None:
    """As a first writing: a person's words to whom they publish are their choice."""
    here = world.here
    everyones, groups = decision(here), decide(here.robot("aria"), "Tea", group="launch")
    for who, id_ in (("chidi", everyones), ("bob", groups)):
        assert post(here.browser(who), f"/{id_}/dissents", **against(MAIL))["content"] == MAIL
    robots_dissent(here, groups, "aria", group="launch")
    # Where members publish, they do it here too.
    with organisation_scope(here.id):
        type(here.organisation).objects.filter(id=here.id).update(members_publish=True)
    assert post(here.browser("bob"), f"/{everyones}/dissents", **against(MAIL))["id"]


@pytest.mark.conformance("T12")
@pytest.mark.parametrize("words", [ORDER, MAIL], ids=["order", "mail"])
def test_what_goes_with_a_proposed_decision_passes_them_at_once(world: World, words: str) -> None:
    """The page of the item shows the conclusion alone, so nobody reviews what goes with it."""
    here = world.here
    body = {"topic": "Tea", "conclusion": "Green.", "visibility": "organisation"}
    parts: list[dict[str, Any]] = [
        {"claims": [{"text": words}]},
        {"dissents": [against(words)]},
        {"dissents": [against(HARMLESS, reasoning=words)]},
    ]
    for client in (here.browser("mina"), make_robot_client(here, "bob")):
        for part in parts:
            held(client, "", **body, **part)
    if words is ORDER:
        held(here.browser("mina"), "", **body, domain=words)
        held(here.browser("mina"), "", **body, participants=[words])
    with resolve_principal(here.person("mina")).scope():
        for model in (Claim, Decision, Dissent):
            assert not model.objects.exists()
        assert not Memory.objects.filter(topic="Tea").exists(), "all of it or nothing"
    made = post(here.browser("mina"), **body, claims=[{"text": "Cheap."}])
    assert made["status"] == "pending_review"


@pytest.mark.conformance("T12")
@pytest.mark.parametrize("by", ["claims", "dissents"])
def test_a_name_that_a_robot_gives_is_no_order(world: World, by: str) -> None:
    said = {"claims": {"text": "Cheap."}, "dissents": against(HARMLESS)}[by]
    body = {"topic": "Tea", "conclusion": "Green."}
    held(world.here.api("bolt"), "", **body, **{by: [said | {"by": ORDER}]})
    assert post(world.here.api("bolt"), **body, **{by: [said | {"by": "Jo"}]})["id"]


@pytest.mark.conformance("T12")
def test_an_answer_passes_them(world: World) -> None:
    here = world.here
    bolt, bob = here.api("bolt"), here.browser("bob")
    id_ = post(bolt, topic="Tea", conclusion="Green.")["id"]
    said = post(bob, f"/{id_}/dissents", **against(HARMLESS))["id"]
    url = f"{URL}/{id_}/dissents/{said}"
    for words in (ORDER, CARD):
        answer = bolt.patch(url, {"rebuttal": words, "acknowledged": True}, format="json")
        assert (answer.status_code, answer.json()["type"]) == (409, HELD)
    [shown] = get(bob, f"/{id_}")["dissents"]
    assert (shown["rebuttal"], shown["acknowledged"], shown["answered_at"]) == ("", False, None)
    answer = bolt.patch(url, {"rebuttal": "We moved it."}, format="json")
    assert (answer.status_code, answer.json()["rebuttal"]) == (200, "We moved it.")
    again = bolt.patch(url, {"rebuttal": ORDER}, format="json")
    assert (again.status_code, get(bob, f"/{id_}")["dissents"]) == (409, [answer.json()])


@pytest.mark.conformance("T12")
def test_the_topic_of_a_debate_and_its_critiques_pass_them(world: World) -> None:
    here = world.here
    url, aria = "/api/v1/debates", here.api("aria")
    place = {"group": "launch", "member": str(here.members["mina"].id)}
    for words in (ORDER, MAIL):
        answer = aria.post(url, {"topic": words, **place}, format="json")
        assert (answer.status_code, answer.json()["type"]) == (409, HELD), words
    # Everybody of the group knows who is in it.
    made = aria.post(url, {"topic": "Bob and the canteen", **place}, format="json").json()
    with resolve_principal(here.person("mina")).scope():
        assert Debate.objects.count() == 1
    body = {"critiques": [{"content": ORDER}], **place}
    answer = aria.post(f"{url}/{made['id']}/critiques", body, format="json")
    assert [one["status"] for one in answer.json()["critiques"]] == ["quarantined"]
    body = {"conclusion": "Two.", "claims": [{"text": ORDER}], **place}
    answer = aria.post(f"{url}/{made['id']}/outcome", body, format="json")
    assert (answer.status_code, answer.json()["type"]) == (409, HELD)
    again = aria.get(f"{url}/{made['id']}", place).json()
    assert (again["state"], again["decision"]) == ("open", None)


@pytest.mark.conformance("T12")
def test_a_profession_reads_nothing_personal_beside_a_decision(world: World) -> None:
    here = world.here
    make_association(here, "mina", QSR)
    chidi, body = here.browser("chidi"), {"topic": "Fryer", "visibility": f"persona:{QSR}"}
    held(chidi, "", **body, conclusion="Noon.", claims=[{"text": MAIL}])
    id_ = post(chidi, **body, conclusion="Noon.")["id"]
    held(chidi, f"/{id_}/dissents", **against(MAIL))


@pytest.mark.conformance("T12")
def test_a_decision_takes_to_new_readers_what_stands_beside_it(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    wide: Any = {"visibility": "organisation", "readers": {}, "group": None, "now": NOW}
    for words in (ORDER, MAIL):
        id_ = decide(aria, f"Tea {len(words)}", group="launch")
        post(here.browser("bob"), f"/{id_}/dissents", **against(words))
        with pytest.raises(GateRefusedError):
            share_memory(aria, id_, **wide)
        post(here.browser("mina"), f"/{id_}/dissents", **against(HARMLESS))
    fine = decide(aria, "Coffee", group="launch")
    post(here.browser("bob"), f"/{fine}/dissents", **against(HARMLESS))
    share_memory(aria, fine, **wide)
    assert [one["content"] for one in get(here.browser("chidi"), f"/{fine}")["dissents"]]


def test_the_page_says_why_it_was_not_taken(world: World) -> None:
    here = world.here
    id_ = decision(here)
    form = {"kind": "risk_warning", "content": ORDER, "confidence": "0.7"}
    page = here.browser("bob").post(f"/decisions/{id_}/dissent/", form, format="multipart")
    assert page.status_code == 422
    assert "would steer a robot that reads them" in page.content.decode()
    assert texts(here, id_) == ["Too early."]


@pytest.mark.conformance("T12")
def test_what_a_robot_keeps_for_one_member_whom_it_does_not_serve(world: World) -> None:
    """Other robots of that member read it too, with what stands beside it."""
    here, aria = world.here, world.here.api("aria")
    place = {"group": "launch", "member": str(here.members["mina"].id), "visibility": "protected"}
    held(aria, "", topic="Tea", conclusion="Green.", claims=[{"text": ORDER}], **place)
    assert post(aria, topic="Tea", conclusion="Green.", claims=[{"text": MAIL}], **place)["id"]
