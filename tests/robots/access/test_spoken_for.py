"""Whoever a robot spoke for finds it out: a line on /me/, an entry in the audit trail (T26)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.curation.decision_records.dissents import DissentDraft
from memories.curation.decision_records.record_decision import (
    ClaimDraft,
    DecisionDraft,
    record_decision,
)
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from robots.access.spoken_for import ACTION, spoken_for_by
from robots.conversations.conversations import ensure_conversation
from robots.conversations.message_types import NewMessage
from robots.conversations.post_messages import post_messages
from tests.page_client import make_signed_in_client
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T26")
WORDS = "Pears are green and hard."


def entries(here: Tenant) -> list[tuple[UUID | None, UUID | None, UUID | None]]:
    with organisation_scope(here.id):
        rows = AuditEntry.objects.filter(action=ACTION).order_by("at", "target")
        return list(rows.values_list("robot", "target", "member"))


def say(here: Tenant, how: str, name: str) -> None:
    """aria, which may act for members, gives words as a member's or writes for them."""
    aria, member = here.robot("aria"), str(here.members[name].id)
    match how:
        case "speaker":
            here.remember(aria, WORDS, speaker=member, group="launch")
        case "member":
            here.remember(aria, WORDS, member=member, visibility="private")
        case "message":
            chat, _ = ensure_conversation(aria, {"group": "launch"}, now=NOW)
            post_messages(aria, chat.id, [NewMessage(content=WORDS, speaker=member)], now=NOW)
        case _:
            parts: dict[str, Any] = {
                "claim": {"claims": (ClaimDraft(text="Wait.", by=member),)},
                "dissent": {
                    "dissents": (DissentDraft(kind="risk_warning", content="No.", by=member),)
                },
                "participant": {"participants": (member,)},
            }[how]
            draft = DecisionDraft(topic="Pears", conclusion="Green.", group="launch", **parts)
            record_decision(aria, draft, now=NOW)


@pytest.mark.parametrize("how", ["speaker", "member", "message", "claim", "dissent", "participant"])
def test_an_entry_names_robot_and_member_and_no_memory(world: World, how: str) -> None:
    here = world.here
    say(here, how, "bob")
    assert entries(here) == [(here.robots["aria"].id, here.members["bob"].id, None)]
    [one] = spoken_for_by(here.person("bob"))
    assert (one.name, one.days, one.last) == ("aria", 1, NOW.date())
    assert spoken_for_by(here.person("mina")) == []
    assert spoken_for_by(here.robot("aria")) == []


def test_once_for_each_day(world: World) -> None:
    here, bob = world.here, str(world.here.members["bob"].id)
    for at in (NOW, NOW + timedelta(hours=1), NOW + timedelta(days=2)):
        said = Draft(content=f"{WORDS} {at}", speaker=bob, group="launch")
        remember(here.robot("aria"), said, now=at)
    assert len(entries(here)) == 2
    [one] = spoken_for_by(here.person("bob"))
    assert (one.days, one.last) == (2, (NOW + timedelta(days=2)).date())


def test_nothing_is_noted_of_ones_own_words(world: World) -> None:
    here = world.here
    here.give_owner("clio", "mina")
    mina = str(here.members["mina"].id)
    here.remember(here.person("mina"), WORDS, visibility="private")
    here.remember(here.robot("clio"), WORDS, member=mina, speaker=mina, visibility="private")
    here.remember(here.robot("bolt"), WORDS)
    assert entries(here) == []


def test_their_page_says_which_robot_and_leads_to_what_they_may_read(world: World) -> None:
    """Words that are private to Mina are given as Bob's: he learns that aria spoke for him, and is
    shown no word of it."""
    here, bob = world.here, str(world.here.members["bob"].id)
    mina = str(here.members["mina"].id)
    here.remember(
        here.robot("aria"), "Secret figs.", member=mina, speaker=bob, visibility="private"
    )
    here.remember(here.robot("aria"), WORDS, speaker=bob, group="launch")
    page = make_signed_in_client(here, "bob")
    [line] = page.get("/me/").context["spoken_for"]
    assert (line["name"], line["days"]) == ("aria", 1)
    shown = page.get(line["url"]).content.decode()
    assert WORDS in shown
    assert "figs" not in shown
    assert page.get("/me/").content.decode().count("gave words as yours") == 1
    assert (
        "gave words as yours"
        not in make_signed_in_client(here, "vera").get("/me/").content.decode()
    )
