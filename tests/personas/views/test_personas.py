"""Personas on the pages: who sees what of them, who describes, confirms, hides."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.review.models import Proposal, ProposalCause
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from personas.associations.association_changes import ensure_association
from personas.block_writes.block_updates import WriteOptions, add_entry
from personas.models.blocks import BlockRobot
from personas.models.personas import Association, Persona
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.personas.persona_helpers import (
    QSR,
    RETAIL,
    get_block_by_label,
    make_association,
    make_owner_actor,
)
from tests.world import PEOPLE, Tenant, World

LESSON = "QSR real estate users check places first, then visits, then cannibalisation."
PAGE, BLOCK = f"/personas/{QSR}/", "What robots learned"


def teach(here: Tenant, name: str, line: str = LESSON, **more: Any) -> UUID:
    """The member's robot writes a line of the shared block."""
    robot = make_owner_actor(here, name)
    now = more.get("now") or timezone.now()
    made = add_entry(
        robot,
        get_block_by_label(robot, now=timezone.now()).block.id,
        line,
        wanted=WriteOptions(),
        now=now,
    )
    assert made.entry is not None
    assert made.entry.status == Status.ACTIVE
    return made.entry.id


def entries(client: Client) -> list[str]:
    return [one["text"] for one in client.get(PAGE).context.get("entries", [])]


def proposed(here: Tenant) -> Association:
    """A robot of the organisation says that Bob has a persona."""
    bob = str(here.members["bob"].id)
    robot = here.robot("aria")
    made = ensure_association(robot, member=bob, handle=RETAIL, confidence=0.6, now=timezone.now())
    assert made.association.confirmed_at is None
    return made.association


@pytest.mark.conformance("P20")
def test_a_block_is_shown_to_who_has_the_persona_and_to_who_curates(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    teach(here, "mina")
    seen = {name: response_text(make_signed_in_client(here, name).get(PAGE)) for name in PEOPLE}
    assert [name for name in PEOPLE if LESSON in seen[name]] == ["ada", "chidi", "mina"]
    for name in ("bob", "vera"):
        assert "Only those who have this persona and share" in seen[name]
        assert "Sales per square metre" in seen[name]
        assert "of 8,000 characters" not in seen[name]
    assert f"1 entry, {len(LESSON)} of 8,000 characters" in seen["mina"]
    # Who taught it is told to its member alone; who curates knows the robot.
    assert "Your robot" in seen["mina"]
    assert "Your robot" not in seen["ada"]
    make_association(here, "bob")
    assert entries(make_signed_in_client(here, "bob")) == [LESSON]
    assert "A personal robot" in response_text(make_signed_in_client(here, "bob").get(PAGE))
    assert make_signed_in_client(here, "mina").get("/personas/qsr_nothing/").status_code == 404


def test_the_list_counts_what_the_asker_reads(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    teach(here, "mina")
    teach(here, "mina", "Visits are read by the week.")

    def row(name: str) -> dict[str, Any]:
        rows = make_signed_in_client(here, name).get("/personas/").context["rows"]
        return next(one for one in rows if one["handle"] == QSR)

    shown = {name: (row(name)["members"], row(name)["entries"], row(name)["mine"])
             for name in ("mina", "bob", "chidi")}  # fmt: skip
    assert shown == {"mina": (1, 2, True), "bob": (1, None, False), "chidi": (1, 2, False)}


def test_an_old_entry_says_that_it_fades(world: World) -> None:
    here = world.here
    now = timezone.now()
    make_association(here, "mina")
    old = teach(here, "mina", now=now - timedelta(days=120))
    teach(here, "mina", "Visits are read by the week.", now=now - timedelta(days=89))
    client, mina = make_signed_in_client(here, "chidi"), make_signed_in_client(here, "mina")
    fading = [one["fading"] for one in mina.get(PAGE).context["entries"]]
    assert fading == ["Not confirmed for 120 days: counts less", ""]
    # Who curates says that it still holds; htmx gets the list alone.
    shared = get_block_by_label(here.person("chidi"), now=timezone.now()).block.id
    url = f"/blocks/{shared}/entries/{old}/holds/"
    assert make_signed_in_client(here, "mina").post(url).status_code == 404
    part = response_text(client.post(url, headers={"HX-Request": "true", "HX-Target": "entries"}))
    assert part.lstrip().startswith('<div id="entries"')
    assert "<html" not in part
    assert [one["fading"] for one in mina.get(PAGE).context["entries"]] == ["", ""]


@pytest.mark.conformance("P21", "W13")
def test_a_reported_entry_is_hidden_and_brought_back_by_moderators(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    entry = teach(here, "mina")
    bob, chidi = make_signed_in_client(here, "bob"), make_signed_in_client(here, "chidi")
    report = next(one["report_url"] for one in bob.get(PAGE).context["entries"])
    assert bob.post(report, {"reason": "This names a deal."}).status_code == 302
    with resolve_principal(here.person("chidi")).scope():
        item = Proposal.objects.get(cause=ProposalCause.REPORT)
        assert (item.memory_id, item.reason) == (entry, "This names a deal.")
    assert "This names a deal." in response_text(chidi.get(f"/review/{item.id}/"))
    # Only who curates hides; the entry is gone for everybody, and comes back from the page of hers.
    assert bob.post(f"/memories/{entry}/forget/").status_code == 403
    assert "Hide" not in response_text(bob.get(PAGE))
    hidden = chidi.post(f"/memories/{entry}/forget/", HTTP_REFERER=f"http://testserver{PAGE}")
    assert hidden["Location"] == PAGE
    assert entries(bob) == entries(make_signed_in_client(here, "mina")) == []
    assert chidi.post(f"/memories/{entry}/restore/").status_code == 302
    assert entries(bob) == [LESSON]


@pytest.mark.conformance("P22")
def test_who_leaves_reads_no_more_and_the_others_keep_theirs(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    teach(here, "mina")
    mina, bob = make_signed_in_client(here, "mina"), make_signed_in_client(here, "bob")
    shared = get_block_by_label(here.person("mina"), now=timezone.now()).block.id

    def attached() -> int:
        with organisation_scope(here.id):
            return BlockRobot.objects.filter(block_id=shared).count()

    assert attached() == 2
    leave = mina.get(PAGE).context["mine"]["leave_url"]
    assert bob.post(leave).status_code == 404
    gone = mina.post(leave, {"back": "me"})
    assert gone["Location"] == "/me/#personas"
    # The toast offers to take it back.
    undo = f"/personas/{QSR}/join/"
    assert undo in response_text(mina.get("/me/"))
    assert (entries(mina), entries(bob), attached()) == ([], [LESSON], 1)
    with organisation_scope(here.id):
        entry = AuditEntry.objects.get(action="association.removed")
        assert entry.member == here.members["mina"].id
    mina.post(undo)
    assert (entries(mina), attached()) == ([LESSON], 2)


def test_what_a_robot_says_waits_for_who_curates_or_the_member(world: World) -> None:
    here = world.here
    said = proposed(here)
    chidi = make_signed_in_client(here, "chidi")
    waiting = chidi.get("/personas/").context["waiting"]
    assert [(one["member"], one["told_by"], one["sure"]) for one in waiting] == [
        ("Bob", "aria", "60 % sure")
    ]
    for name in ("mina", "bob", "vera"):
        assert make_signed_in_client(here, name).get("/personas/").context["waiting"] == []
    confirm = f"/personas/said/{said.id}/confirm/"
    assert make_signed_in_client(here, "mina").post(confirm).status_code == 404
    assert "before you say yes" in response_text(
        make_signed_in_client(here, "bob").get(f"/personas/{RETAIL}/")
    )
    assert "Only those who have" in response_text(
        make_signed_in_client(here, "bob").get(f"/personas/{RETAIL}/")
    )
    assert chidi.post(confirm)["Location"] == "/personas/"
    assert "Only those who have" not in response_text(
        make_signed_in_client(here, "bob").get(f"/personas/{RETAIL}/")
    )
    assert chidi.get("/personas/").context["waiting"] == []


def test_who_curates_rejects_what_a_robot_said(world: World) -> None:
    here = world.here
    said = proposed(here)
    chidi = make_signed_in_client(here, "chidi")
    chidi.post(f"/personas/said/{said.id}/remove/", {"back": "personas"})
    assert "Bob does not have this persona." in response_text(chidi.get("/personas/"))
    with organisation_scope(here.id):
        assert not Association.objects.filter(id=said.id).exists()


@pytest.mark.parametrize("handle", ["qsr", "_x", "QSR_sites", "a__b", "x" * 61 + "_y"])
def test_a_handle_that_is_none_is_refused_with_a_sentence(world: World, handle: str) -> None:
    chidi = make_signed_in_client(world.here, "chidi")
    fields = {"handle": handle, "industry": "QSR", "role": "Sites"}
    answer = chidi.post("/personas/add/", fields)
    assert answer.status_code == 422
    assert answer.context["form"].errors["handle"]


def test_who_curates_describes_and_removes_a_persona(world: World) -> None:
    here = world.here
    chidi = make_signed_in_client(here, "chidi")
    fields = {"handle": "bank_risk", "industry": "Bank", "role": "Risk", "kpis": "Loss\n\nExposure"}
    assert chidi.post("/personas/add/", fields)["Location"] == "/personas/bank_risk/"
    changed = fields | {"kpis": "Loss", "queries": "What is at risk?"}
    chidi.post("/personas/bank_risk/edit/", changed)
    with organisation_scope(here.id):
        made = Persona.objects.get(handle="bank_risk")
        assert (made.industry, made.role, made.kpis) == ("Bank", "Risk", ["Loss"])
        assert made.queries == ["What is at risk?"]
    assert "Loss" in response_text(make_signed_in_client(here, "vera").get("/personas/bank_risk/"))
    for name in ("mina", "vera"):
        other = make_signed_in_client(here, name)
        for url in ("/personas/add/", "/personas/bank_risk/edit/", "/personas/bank_risk/remove/"):
            assert other.post(url, fields).status_code == 404, url
    assert chidi.post("/personas/bank_risk/remove/")["Location"] == "/personas/"
    assert chidi.get("/personas/bank_risk/").status_code == 404


def test_a_persona_with_entries_stays(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    teach(here, "mina")
    chidi = make_signed_in_client(here, "chidi")
    assert chidi.post(f"{PAGE}remove/")["Location"] == PAGE
    assert "Memories are kept for this persona." in response_text(chidi.get(PAGE))


def test_few_queries(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    for number in range(3):
        teach(here, "mina", f"A lesson of number {number}.")
    proposed(here)
    chidi = make_signed_in_client(here, "chidi")
    pages = ("/personas/", PAGE, "/robots/instructions/", "/personas/add/")
    for url in pages:
        chidi.get(url)
    counted = {url: count_queries(chidi, url) for url in pages}
    assert {url: count for url, count in counted.items() if count > 13} == {}


def test_memories_of_a_persona_stay_what_they_are(world: World) -> None:
    """An entry names nobody: no member, no author."""
    here = world.here
    make_association(here, "mina")
    entry = teach(here, "mina")
    with resolve_principal(here.person("chidi")).scope():
        row = Memory.objects.get(id=entry)
        assert (row.member_id, row.author_id, row.speaker_member_id) == (None, None, None)


@pytest.mark.conformance("W16")
def test_the_page_of_a_persona_has_a_sheet_of_its_readers(world: World) -> None:
    """Who has the persona is counted for them, and named for who curates."""
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    teach(here, "mina")
    for name, named in {"mina": {"You"}, "chidi": {"Mina", "Bob", "You"}}.items():
        client = make_signed_in_client(here, name)
        page = response_text(client.get(PAGE))
        [url] = re.findall(r'href="(/readers/[^"]+/)" data-readers', page)
        sheet = response_text(client.get(url, headers={"HX-Request": "true"}))
        told = set(re.findall(r'class="sheet-name">([^<]+)<', sheet))
        assert {one.lower() for one in named} <= {one.lower() for one in told}, name
        assert ("bob" in {one.lower() for one in told}) is (name == "chidi")
        assert make_signed_in_client(here, "vera").get(url).status_code == 404
    assert (
        "data-readers"
        not in response_text(make_signed_in_client(here, "vera").get(PAGE)).split("<main")[1]
    )
