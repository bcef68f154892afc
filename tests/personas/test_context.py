"""What blocks add to every context."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.context.assembly.assemble import build_context
from memories.context.assembly.filter_contradicted import filter_contradicted_pieces
from memories.context.assembly.layout import PromptContext
from memories.context.sources.context_query import ContextBuildState, ContextQuery
from memories.context.sources.pieces import ContextPiece, ContextSection
from memories.curation.edit_memory import edit_memory
from memories.embedding.tokens.token_count import count_tokens
from memories.privacy.opt_out import set_sharing
from memories.store.models.memory import Memory
from memories.store.models.version import Operation
from orgs.models.base import new_id
from orgs.principals import Actor, resolve_principal
from personas.block_writes.block_updates import WriteOptions, add_entry, update_block_text
from personas.context_source import block_pieces
from tests.personas.persona_helpers import (
    QSR,
    RETAIL,
    get_block_by_label,
    make_association,
    make_owner_actor,
    make_personal_robot,
)
from tests.world import NOW, Tenant, World

MONDAY = "Weekly numbers are reported on Monday."
LATER = NOW + timedelta(days=1)


def text_for(actor: Actor, *, max_tokens: int = 2_000, **more: object) -> PromptContext:
    query = ContextQuery(text="numbers", max_tokens=max_tokens, **more)
    return build_context(actor, query, now=NOW)


def said(found: PromptContext, section: str = "blocks") -> list[str]:
    """The lines of a section, without what says how to use a block."""
    return [
        one.piece.said or one.piece.text
        for one in found.citations
        if one.section == section and not one.piece.more.get("hint")
    ]


def teach(tenant: Tenant, name: str, *lines: str, label: str = f"{QSR}_service_experience") -> None:
    robot = make_owner_actor(tenant, name)
    shown = get_block_by_label(robot, label)
    text = "\n".join(lines)
    update_block_text(
        robot, shown.block.id, text, version=shown.version, wanted=WriteOptions(), now=NOW
    )


@pytest.mark.conformance("N12")
def test_every_layer_stands_first_from_the_nearest_to_the_widest(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    admin = here.person("ada")
    shown = get_block_by_label(admin, "agent_persona")
    update_block_text(
        admin, shown.block.id, "Speak plainly.", version=0, wanted=WriteOptions(), now=NOW
    )
    for visibility, line in (
        (f"persona:{QSR}", "They check visits."),
        ("role:real_estate", "Leases end in spring."),
        ("industry:qsr", "Lunch counts most."),
    ):
        here.remember(here.person("chidi"), line, visibility=visibility)
    teach(here, "mina", "She likes short answers.", label="human")
    teach(here, "mina", "Goal: two sites a quarter.", label="user_persona_profile")
    found = text_for(make_personal_robot(here, "mina"))
    assert said(found) == [
        "Speak plainly.",
        "Goal: two sites a quarter.",
        "She likes short answers.",
        "They check visits.",
        "Leases end in spring.",
        "Lunch counts most.",
    ]
    levels = [
        one.piece.more.get("level")
        for one in found.citations
        if one.section == "blocks" and not one.piece.more.get("hint")
    ]
    assert levels == [None, "member", "member", "persona", "role", "industry"]
    # What stands in a block is not said again.
    assert said(found, "memories") == []
    # Others get what is for all, and nothing of hers.
    assert said(text_for(here.robot("aria"))) == ["Speak plainly."]
    assert said(text_for(make_owner_actor(here, "bob"))) == ["Speak plainly."]


@pytest.mark.conformance("P23")
def test_a_robot_is_told_once_how_to_use_each_block(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    admin = here.person("ada")
    agent = get_block_by_label(admin, "agent_persona").block.id
    update_block_text(admin, agent, "Speak plainly.", version=0, wanted=WriteOptions(), now=NOW)
    teach(here, "mina", "She likes short answers.", "She takes Fridays off.", label="human")
    teach(here, "mina", "They check visits.", "They compare months.")
    robot = make_owner_actor(here, "mina")
    found = text_for(robot)
    lines = found.text.split("\n")
    hints = [n for n, line in enumerate(lines) if "Belongs here: " in line]
    assert ["block human" in lines[hints[0]], f"block {QSR}_service" in lines[hints[1]]] == [
        True,
        True,
    ]
    assert len(hints) == 2, "once each, and none for what robots only read"
    assert lines[hints[0] + 1].endswith("She likes short answers.")
    assert "after a task of several steps, a pattern or a confirmed workflow" in lines[hints[1]]
    told = {one.piece.id for one in found.citations if one.piece.more.get("hint")}
    assert told == {
        get_block_by_label(robot, label).block.id
        for label in ("human", f"{QSR}_service_experience")
    }
    assert "Belongs here" not in text_for(here.person("mina")).text, "a person writes on pages"
    assert "Belongs here" not in text_for(robot, max_tokens=900).text


@pytest.mark.conformance("P23")
def test_the_nearest_level_wins_a_conflict(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    chidi = here.person("chidi")
    days = ("Friday", "Thursday", "Wednesday", "Tuesday", "Monday")
    levels = ("organisation", "industry:qsr", "role:real_estate", f"persona:{QSR}")
    for visibility, day in zip(levels, days[:4], strict=True):
        here.remember(
            chidi, f"Weekly numbers are reported on {day}.", visibility=visibility, key="report-day"
        )
    mina = make_owner_actor(here, "mina")
    found = text_for(mina)
    assert [t for t in [*said(found), *said(found, "memories")] if "reported" in t] == [
        "Weekly numbers are reported on Tuesday."
    ]
    # Without a key: what is said of one matter.
    here.remember(chidi, "The search radius is 5 km for sites.", visibility="role:real_estate")
    teach(here, "mina", "The search radius is 3 km for sites.", label="human")
    found = text_for(mina)
    assert [t for t in said(found) if "radius" in t] == ["The search radius is 3 km for sites."]
    # Whose level is farther hears the other one.
    make_association(here, "bob")
    assert "The search radius is 5 km for sites." in said(text_for(make_owner_actor(here, "bob")))


def test_two_that_were_recalled_are_both_given() -> None:
    def piece(text: str, audience: str, *, of_block: bool = False) -> ContextPiece:
        return ContextPiece(
            text=text, type="memory", id=new_id(), said=text, audience=audience, of_block=of_block
        )

    near, far = (
        piece("The search radius is 3 km for sites.", "member"),
        piece("The search radius is 5 km for sites.", "organisation"),
    )
    both = [ContextSection(name="m", title="", share=1, status="ok", pieces=[near, far])]
    assert filter_contradicted_pieces(both) == both
    blocked = piece("The search radius is 4 km for sites.", "persona", of_block=True)
    (left,) = filter_contradicted_pieces(
        [ContextSection(name="m", title="", share=1, status="ok", pieces=[blocked, near, far])]
    )
    assert list(left.pieces) == [near]
    other = piece("The menu has 5 pages.", "organisation", of_block=True)
    (left,) = filter_contradicted_pieces(
        [ContextSection(name="m", title="", share=1, status="ok", pieces=[near, other])]
    )
    assert list(left.pieces) == [near, other]


@pytest.mark.conformance("P24")
def test_personas_share_by_confidence(world: World) -> None:
    here = world.here
    make_association(here, "mina", confidence=0.9)
    make_association(here, "mina", RETAIL, confidence=0.3)
    for handle, mark in ((QSR, "sites"), (RETAIL, "leases")):
        lines = [f"About {mark}, pattern {chr(97 + n)} holds often." for n in range(26)]
        teach(here, "mina", *lines, label=f"{handle}_service_experience")
    mina = make_owner_actor(here, "mina")
    for budget in (400, 700):
        lines = [one.piece.text for one in text_for(mina, max_tokens=budget).citations]
        tokens = {
            mark: sum(count_tokens(line) for line in lines if mark in line)
            for mark in ("sites", "leases")
        }
        # As near to three to one as whole lines allow.
        assert len(lines) > 10
        assert tokens["sites"] / tokens["leases"] == pytest.approx(3, rel=0.25)
    with resolve_principal(mina).scope():
        asked = ContextBuildState(
            query=ContextQuery(text="x"), principal=resolve_principal(mina), now=NOW
        )
        first = [one.more["persona"] for one in block_pieces(asked) if "hint" not in one.more][:16]
    assert (first.count(QSR), first.count(RETAIL)) == (12, 4)


@pytest.mark.conformance("P24")
def test_all_blocks_are_one_query(world: World) -> None:
    here = world.here
    for handle in (QSR, RETAIL, "food_quality"):
        make_association(here, "mina", handle)
        teach(here, "mina", f"About {handle.split('_')[0]}.", label=f"{handle}_service_experience")
    principal = resolve_principal(make_owner_actor(here, "mina"))
    asked = ContextBuildState(query=ContextQuery(text="x"), principal=principal, now=NOW)
    with principal.scope(), CaptureQueriesContext(connection) as found:
        assert len([one for one in block_pieces(asked) if "hint" not in one.more]) == 3
    assert len(found) == 1


def test_in_a_group_and_without_what_is_shared_blocks_say_less(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    teach(here, "mina", "They check visits.")
    teach(here, "mina", "She likes short answers.", label="human")
    mina = make_owner_actor(here, "mina")
    assert len(said(text_for(mina))) == 2
    assert said(text_for(mina, include_shared=False)) == ["She likes short answers."]
    # Others hear the answer there.
    assert said(text_for(here.person("mina"), group="launch")) == []


def test_what_nobody_confirmed_for_long_comes_later(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    mina = make_owner_actor(here, "mina")
    old = NOW - timedelta(days=200)
    shared = get_block_by_label(mina).block.id
    add_entry(mina, shared, "They read reports at night.", wanted=WriteOptions(), now=old)
    add_entry(
        mina, shared, "They check visits.", wanted=WriteOptions(), now=NOW - timedelta(days=80)
    )
    assert said(text_for(mina)) == ["They check visits.", "They read reports at night."]
    add_entry(mina, shared, "They read reports at night.", wanted=WriteOptions(), now=NOW)
    assert said(text_for(mina)) == ["They read reports at night.", "They check visits."]


@pytest.mark.conformance("P19")
def test_after_an_opt_out_the_block_is_in_no_context(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    teach(here, "mina", "They check visits.")
    set_sharing(here.person("bob"), out=True, now=NOW)
    for who in (
        make_owner_actor(here, "bob"),
        make_personal_robot(here, "bob"),
        here.person("bob"),
    ):
        assert said(text_for(who)) == []
    assert said(text_for(make_owner_actor(here, "mina"))) == ["They check visits."]


def test_what_is_sensitive_stands_in_no_block_and_no_context(world: World) -> None:
    here = world.here
    teach(here, "mina", "The safe has a code.", "Coffee comes first.", label="human")
    mina = make_owner_actor(here, "mina")
    hidden = get_block_by_label(mina, "human").entries[0].id
    edit_memory(here.person("mina"), hidden, {"sensitive": True}, now=NOW)
    assert [one.text for one in get_block_by_label(mina, "human").entries] == [
        "Coffee comes first."
    ]
    assert said(text_for(mina)) == ["Coffee comes first."]


@pytest.mark.conformance("P29")
def test_a_read_of_a_block_counts_once_a_day_for_its_reader(world: World) -> None:
    here = world.here
    make_association(here, "mina")
    make_association(here, "bob")
    teach(here, "mina", "They check visits.")
    mina, bob = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")

    def reads(who: Actor) -> tuple[int, object]:
        principal = resolve_principal(who)
        with principal.scope():
            used = Memory.objects.with_names().get(content="They check visits.").used
        return used.access_count, used.last_accessed_at

    def ask(who: Actor, **more: object) -> None:
        build_context(who, ContextQuery(text="numbers", **more), now=at)

    for day in range(3):
        at = NOW + timedelta(days=day)
        for hours in range(3):
            at = NOW + timedelta(days=day, hours=hours)
            ask(mina)
        assert reads(mina) == (day + 1, None)
    assert reads(bob) == (0, None), "what another reads is told to nobody"
    ask(mina, max_tokens=40)
    assert reads(mina)[0] == 3
    with resolve_principal(mina).scope():
        lines = Operation.objects.filter(verb="recall", memory__content="They check visits.")
        assert not lines.exists(), "no line of the log"
