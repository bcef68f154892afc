"""Two memories of the same readers that contradict each other are shown to who may change both."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memories.access.permissions import RedLineError
from memories.curation import review_decisions
from memories.curation.review_decisions import ReviewDecision
from memories.curation.undo_review_decision import undo_review_decision
from memories.embedding.encoder_loading import get_encoder
from memories.embedding.model_catalogue import get_model
from memories.review.models import Proposal
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.principals import resolve_principal
from tests.memories.curation.test_decide import waiting
from tests.world import NOW, Tenant, World

DAY = timedelta(days=1)
OLD = "Customers return a bag within 14 days."
NEW = "Customers return a bag within 30 days."
LONG = (
    "Invoices above 5,000 euros need a second signature from finance in Marstal before Monday "
    "noon, with project number, supplier, delivery date, cost centre and stamp."
)


def pair(here: Tenant, one: str = OLD, other: str = NEW, **fields: object) -> tuple[UUID, UUID]:
    older = here.remember(here.robot("bolt"), one, **fields).id
    here.embed()
    newer = here.remember(here.robot("bolt"), other, **fields).id
    here.embed()
    return older, newer


def kept(here: Tenant) -> dict[UUID, tuple[str, str]]:
    with resolve_principal(here.person("chidi")).scope():
        return {row.id: (row.status, row.content) for row in Memory.objects.all()}


@pytest.mark.conformance("W05")
@pytest.mark.conformance("W21")
def test_a_contradiction_waits_and_nothing_is_merged(lasting_world: World) -> None:
    here = lasting_world.here
    older, newer = pair(here)
    (item,) = waiting(here.person("chidi"))
    assert (item.cause, item.memory_id, item.other_id) == ("contradiction", newer, older)
    assert (item.proposed_by_id, item.robot_id) == (None, None)
    assert kept(here) == {older: ("active", OLD), newer: ("active", NEW)}
    assert waiting(here.person("bob")) == []
    with pytest.raises(NotFoundError):
        review_decisions.merge_item(
            here.robot("bolt"), item.id, ReviewDecision(version=1, into_version=1), now=NOW
        )


def test_what_contradicts_is_never_a_duplicate(lasting_world: World) -> None:
    here = lasting_world.here
    other = LONG.replace("5,000", "2,000")
    one, two = get_encoder().encode([LONG, other])
    assert float(one @ two) >= get_model().twin, "near enough for a duplicate"
    pair(here, LONG, other)
    assert [item.cause for item in waiting(here.person("chidi"))] == ["contradiction"]


def test_two_facts_other_readers_turns_and_keys_stay_out(lasting_world: World) -> None:
    here = lasting_world.here
    hours = "The office at the old harbour opens at 9 on weekdays."
    pair(here, hours, "The office at the old harbour closes at 5 on weekdays.")
    bolt, mina = here.robot("bolt"), here.person("mina")
    here.remember(bolt, OLD)
    here.embed()
    here.remember(mina, NEW, visibility="private")
    here.remember(here.robot("aria"), NEW, group="launch")
    turns = {"group": "launch", "conversation": "monday"}
    here.remember(here.robot("aria"), OLD, **turns)
    here.remember(here.robot("aria"), "Customers return a bag within 60 days.", **turns)
    here.remember(bolt, "Dealers return a bag within 14 days.", key="one")
    here.embed()
    here.remember(bolt, "Dealers return a bag within 30 days.", key="two")
    here.embed()
    with resolve_principal(here.person("ada")).scope():
        causes = list(Proposal.objects.values_list("cause", "memory__key"))
    assert [key for _, key in causes if key] == []
    assert causes == []


PORTS = [f"The billing service listens on port {port}." for port in (8401, 9020)]
JANUARY, MARCH = (datetime(2026, month, 10, 9, tzinfo=UTC) for month in (1, 3))


def found(here: Tenant) -> list[tuple[str, UUID, UUID | None]]:
    """(cause, newer, older) of all items."""
    with organisation_scope(here.id, using="worker"):
        items = Proposal.objects.using("worker").filter(organisation_id=here.id).order_by("id")
        return list(items.values_list("cause", "memory_id", "other_id"))


@pytest.mark.conformance("X04")
@pytest.mark.parametrize("backwards", [False, True])
def test_a_change_is_found_among_different_times_and_keys(
    lasting_world: World, backwards: bool
) -> None:
    """The later one is the newer, whichever was stored first."""
    here = lasting_world.here
    said = [(PORTS[0], JANUARY, "old"), (PORTS[1], MARCH, "new")]
    ids = {}
    for text, at, key in reversed(said) if backwards else said:
        ids[key] = here.remember(here.robot("bolt"), text, occurred_at=at, key=key).id
        here.embed()
    assert found(here) == [("contradiction", ids["new"], ids["old"])]
    [item] = waiting(here.person("chidi"))
    read = ReviewDecision(version=1, into_version=1)
    review_decisions.approve_item(here.person("chidi"), item.id, read, now=NOW)
    with resolve_principal(here.person("chidi")).scope():
        older = Memory.objects.get(id=ids["old"])
    assert (older.superseded_by_id, older.valid_until) == (ids["new"], MARCH)
    # What holds no more is asked about no more.
    here.remember(here.robot("bolt"), PORTS[0].replace("8401", "8402"), key="other")
    here.embed()
    assert len(found(here)) == 2
    assert ids["old"] not in found(here)[1]


@pytest.mark.conformance("X04")
def test_a_change_is_found_among_conversations(lasting_world: World) -> None:
    here = lasting_world.here
    aria = here.robot("aria")
    ids = [
        here.remember(aria, text, group="launch", conversation=where, type="conversation").id
        for text, where in zip(PORTS, ("monday", "tuesday"), strict=True)
    ]
    here.remember(aria, "The launch is near.", group="launch", conversation="monday")
    # Turns repeat each other by nature, so equal ones are nothing that somebody is asked about.
    here.remember(aria, PORTS[1], group="launch", conversation="friday", type="conversation")
    here.embed()
    assert {(cause, older) for cause, _, older in found(here)} == {("contradiction", ids[0])}


@pytest.mark.conformance("X04")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The soup in the canteen is good.", "I think the soup in the canteen is bad."),
        ("The office is open at weekends.", "The office might be closed at weekends."),
        ("The fair opens on 12 March.", "We plan that the fair opens on 30 April."),
        ("The museum costs 12 euros.", "The museum costs 6 euros for students."),
        ("Door 7 opens with code 4410.", "Door 11 opens with code 4471."),
        ("Invoice 12 has been paid.", "Invoice 13 has not been paid."),
    ],
    ids=["opinion", "doubt", "plan", "exception", "two-doors", "two-invoices"],
)
@pytest.mark.parametrize("keys", [(None, None), ("one", "two")], ids=["no-key", "keys"])
def test_what_changes_nothing_is_no_contradiction(
    lasting_world: World, one: str, other: str, keys: tuple[str | None, str | None]
) -> None:
    here = lasting_world.here
    for text, key in zip((one, other), keys, strict=True):
        here.remember(here.robot("bolt"), text, key=key)
        here.embed()
    assert [cause for cause, *_ in found(here) if cause == "contradiction"] == []


@pytest.mark.conformance("X04")
@pytest.mark.parametrize(("second", "many"), [("Ivo", 1), ("Petra", 0)])
def test_what_one_says_of_oneself_is_changed_by_oneself(
    lasting_world: World, second: str, many: int
) -> None:
    here = lasting_world.here
    for city, speaker in (("Berlin", "Ivo"), ("Paris", second)):
        here.remember(
            here.robot("bolt"),
            f"I live in a small flat above the old bakery near the river in {city}.",
            speaker=speaker,
            key=city,
        )
        here.embed()
    assert len(found(here)) == many


@pytest.mark.conformance("X05")
def test_what_will_hold_or_held_is_not_asked_about(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("bolt"), PORTS[0], key="now")
    here.remember(here.robot("bolt"), PORTS[1], key="later", valid_from=NOW + 900 * DAY)
    here.remember(here.robot("bolt"), PORTS[1] + " ", key="over", valid_until=JANUARY)
    here.embed()
    assert [cause for cause, *_ in found(here) if cause == "contradiction"] == []


def test_only_the_nearest_of_a_memory_comes_up(lasting_world: World) -> None:
    here = lasting_world.here
    bolt = here.robot("bolt")
    for days in (10, 20, 40, 50, 60, 70, 80):
        here.remember(bolt, f"Customers return a bag within {days} days.", key=f"of {days}")
    near = here.remember(bolt, "Customers return a bag within 14 days, unopened.").id
    here.embed()
    new = here.remember(bolt, "Customers return a bag within 30 days, unopened.").id
    here.embed()
    found = [(item.memory_id, item.other_id) for item in waiting(here.person("chidi"))]
    assert [older for newer, older in found if newer == new] == [near]


@pytest.mark.conformance("W05")
def test_keep_both_merge_and_undo(lasting_world: World) -> None:
    here, chidi = lasting_world.here, lasting_world.here.person("chidi")
    older, newer = pair(here)
    (item,) = waiting(chidi)
    before = kept(here)

    # What stays says what a person chose: the older one's words, the newer one's, or others.
    ways: tuple[tuple[str | None, dict[UUID, tuple[str, str]]], ...] = (
        (None, {older: ("active", OLD), newer: ("archived", NEW)}),
        (NEW, {older: ("archived", OLD), newer: ("active", NEW)}),
        (NEW + " Or so.", {older: ("active", NEW + " Or so."), newer: ("archived", NEW)}),
    )
    for content, after in ways:
        answer = ReviewDecision(version=1, into_version=1, content=content)
        assert review_decisions.merge_item(chidi, item.id, answer, now=NOW).state == "merged"
        assert kept(here) == after
        undone = undo_review_decision(chidi, item.id, now=NOW)
        assert (undone.state, undone.other_id) == ("open", older)
        assert kept(here) == before
    with resolve_principal(chidi).scope():
        back = Memory.objects.get(id=newer)
        assert (back.archived_for, back.restored_at) == ("", NOW), "no policy takes it again"

    # Both stay, and no reason is asked for.
    assert (
        review_decisions.reject_item(chidi, item.id, ReviewDecision(), now=NOW).state == "rejected"
    )
    assert kept(here) == before
    here.embed()
    assert waiting(chidi) == []


def test_the_older_one_is_held_by_its_red_line(lasting_world: World) -> None:
    here, chidi = lasting_world.here, lasting_world.here.person("chidi")
    older, _ = pair(here)
    (item,) = waiting(chidi)
    before = kept(here)
    protect_memory(chidi, older, reason="Agreed with the bank.", now=NOW)
    answer = ReviewDecision(version=1, into_version=1, content=NEW)
    with pytest.raises(RedLineError):
        review_decisions.merge_item(chidi, item.id, answer, now=NOW)
    assert kept(here) == before
