"""Who learns what of whose uses, and when: exact for the reader, by the day for others (T29)."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.access.references import ReaderReferences
from memories.curation.share_memory import share_memory
from memories.lifecycle.publish_uses import publish_uses
from memories.lifecycle.tier_moves import move_tiers
from memories.lifecycle.tier_schedule import move_due_tiers
from memories.retrieval.feedback import record_feedback, record_outcome
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.memory import Memory
from memories.store.models.reader_use import KnownUse
from memories.store.models.use import Transition
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.members.members import remove_member
from orgs.models.memberships import Role
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from tests.personas.persona_helpers import make_owner_actor, make_personal_robot
from tests.world import NOW, Tenant

pytestmark = pytest.mark.usefixtures("lasting_world")

DAY = timedelta(days=1)
# The end of NOW's day, when its uses count.
NEXT = datetime(2026, 3, 3, 0, 1, tzinfo=UTC)
START = datetime(2026, 3, 2, tzinfo=UTC)


def fill(here: Tenant, number: int) -> None:
    """Members who can sign in, up to this number; the world has five."""
    with organisation_scope(here.id):
        for one in range(number - len(here.members)):
            here.members[f"extra{one}"], _ = create_member(
                organisation_id=here.id,
                name=f"Extra {one}",
                email=f"extra{one}@{here.organisation.slug}.example",
                role=Role.MEMBER,
                password="correct horse battery",
                now=NOW,
            )


def known(who: Actor, memory: UUID) -> KnownUse:
    principal = resolve_principal(who)
    with principal.scope():
        return Memory.objects.with_names().get(id=memory).used


def ask(who: Actor, times: int = 1, *, at: datetime = NOW, **more: Any) -> UUID:
    for _ in range(times):
        answer = recall(who, Query(text="zebra", **more), now=at)
    return answer.recall_id


def counts(here: Tenant, memory: UUID, *names: str) -> dict[str, int]:
    return {name: known(here.person(name), memory).access_count for name in names}


def listed(here: Tenant, **more: Any) -> UUID:
    """A memory that Mina and Bob read."""
    readers = ReaderReferences(members=tuple(str(here.members[n].id) for n in ("mina", "bob")))
    return here.remember(
        here.robot("aria"),
        "Zoe is a zebra in a list.",
        visibility="shared",
        readers=readers,
        **more,
    ).id


@pytest.mark.conformance("T29", "A19", "Z12")
def test_of_many_readers_each_learns_the_day_and_a_power_of_two(here: Tenant) -> None:
    fill(here, 6)
    said = here.remember(here.robot("aria"), "The zebra is called Zoe.").id
    ask(here.person("bob"), 3)
    ask(here.person("mina"), 2)
    ask(here.person("extra0"), 4)
    assert counts(here, said, "bob", "mina", "vera") == {"bob": 3, "mina": 2, "vera": 0}
    assert publish_uses(here.id, now=NOW + timedelta(hours=11, minutes=59)) == 0
    assert counts(here, said, "bob", "mina", "vera") == {"bob": 3, "mina": 2, "vera": 0}
    assert known(here.person("vera"), said).last_accessed_at is None
    assert publish_uses(here.id, now=NEXT) == 3
    assert publish_uses(here.id, now=NEXT) == 0
    # Of others: 9 - 3 = 6, 9 - 2 = 7, 9 - 0 = 9.
    assert counts(here, said, "bob", "mina", "vera") == {"bob": 3 + 4, "mina": 2 + 4, "vera": 8}
    assert known(here.person("bob"), said).last_accessed_at == NOW
    assert known(here.person("vera"), said).last_accessed_at == START


@pytest.mark.conformance("T29")
def test_uses_of_one_day_are_added_the_day_after_whenever_somebody_asks_again(here: Tenant) -> None:
    fill(here, 6)
    said = here.remember(here.robot("aria"), "The zebra is called Zoe.").id
    ask(here.person("bob"), 2)
    ask(here.person("bob"), 1, at=NEXT)
    assert publish_uses(here.id, now=NEXT + timedelta(minutes=1)) == 1
    assert counts(here, said, "bob", "vera") == {"bob": 3, "vera": 2}
    assert known(here.person("vera"), said).last_accessed_at == START
    publish_uses(here.id, now=NEXT + DAY)
    assert counts(here, said, "bob", "vera") == {"bob": 3, "vera": 2}
    assert known(here.person("vera"), said).last_accessed_at == START + DAY


@pytest.mark.conformance("T29")
def test_of_few_readers_nobody_learns_anything(here: Tenant) -> None:
    """Five members who can sign in are four besides each; a sixth without an account counts not."""
    with organisation_scope(here.id):
        create_member(organisation_id=here.id, name="Guest", now=NOW)
    said = here.remember(here.robot("aria"), "The zebra is called Zoe.").id
    group = here.remember(here.robot("aria"), "The zebra eats.", group="launch").id
    both = listed(here)
    ask(here.person("bob"), 9)
    for days in range(1, 4):
        move_due_tiers(here.id, now=NEXT + days * DAY)
    for memory in (said, group, both):
        assert known(here.person("bob"), memory).access_count == 9
        unseen = known(here.person("mina"), memory)
        assert (unseen.access_count, unseen.last_accessed_at) == (0, None)
    with organisation_scope(here.id, using="worker"):
        moves = Transition.objects.using("worker").filter(organisation_id=here.id)
        assert {move.reason for move in moves} <= {"idle", "faded"}


@pytest.mark.conformance("T29")
def test_readers_are_counted_when_a_memory_is_used(here: Tenant) -> None:
    fill(here, 6)
    said = here.remember(here.robot("aria"), "The zebra is called Zoe.").id
    with organisation_scope(here.id):
        gone = here.members["extra0"].id
    remove_member(here.person("ada"), member_id=gone, now=NOW)
    ask(here.person("bob"), 5)
    publish_uses(here.id, now=NEXT)
    assert counts(here, said, "bob", "vera") == {"bob": 5, "vera": 0}


@pytest.mark.conformance("T29", "G08")
def test_what_one_alone_reads_moves_by_their_uses_and_starts_anew_for_others(here: Tenant) -> None:
    mina = here.person("mina")
    said = here.remember(mina, "The zebra is called Zoe.", visibility="private").id
    ask(mina, 5)
    assert move_tiers(here.id, now=NOW + timedelta(minutes=1), tiers=["slow"]).promoted == 0
    publish_uses(here.id, now=NEXT)
    assert move_tiers(here.id, now=NEXT, tiers=["slow"]).moves == {
        ("slow", "medium", "accesses"): 1
    }
    before = known(mina, said)
    assert (before.tier, before.access_count, before.tier_since) == ("medium", 5, NEXT)
    share_memory(mina, said, visibility="group", readers={}, group="launch", now=NEXT)
    after = known(here.person("bob"), said)
    assert (after.tier, after.tier_since, after.access_count) == ("slow", None, 0)
    assert known(mina, said).access_count == 5
    for who in ("bob", "mina"):
        with resolve_principal(here.person(who)).scope():
            assert not Transition.objects.filter(memory_id=said).exists()
    ask(mina, 1, at=NEXT)
    publish_uses(here.id, now=NEXT + DAY)
    assert known(here.person("bob"), said).access_count == 0


@pytest.mark.conformance("G08")
def test_a_robots_own_recalls_of_what_it_alone_brought_count_once_a_day(here: Tenant) -> None:
    fill(here, 6)
    said = here.remember(here.robot("bolt"), "The zebra is called Zoe.").id
    for day in range(5):
        ask(here.robot("bolt"), 7, at=NOW + day * DAY)
    assert known(here.robot("bolt"), said).access_count == 35
    publish_uses(here.id, now=NEXT + 3 * DAY)
    assert move_tiers(here.id, now=NEXT + 3 * DAY, tiers=["slow"]).promoted == 0
    publish_uses(here.id, now=NEXT + 4 * DAY)
    assert known(here.person("vera"), said).access_count == 4
    assert move_tiers(here.id, now=NEXT + 4 * DAY, tiers=["slow", "glacial"]).promoted == 1


@pytest.mark.conformance("G08", "T29")
def test_with_one_robot_what_it_uses_rises_and_what_a_member_asks_stays_theirs(
    here: Tenant,
) -> None:
    """Few read it; the lines of a robot that asks for nobody are shown to them anyway."""
    bolt, aria = here.robot("bolt"), here.robot("aria")
    used, foreign = (
        here.remember(bolt, f"The zebra {does} in {where}.").id
        for does, where in (("eats hay", "May"), ("sleeps", "June"))
    )
    whole = here.remember(bolt, "The zebra is called Zoe.", tier="glacial").id
    for day in range(5):
        ask(bolt, 3, at=NOW + day * DAY)
    ask(here.person("bob"), 50, at=NOW + DAY)
    bob = str(here.members["bob"].id)
    ask(aria, 9, at=NOW + DAY, member=bob, group="launch")
    publish_uses(here.id, now=NEXT + 4 * DAY)
    assert counts(here, used, "vera", "mina") == {"vera": 4, "mina": 4}, "of five a power of two"
    moves = move_tiers(here.id, now=NEXT + 4 * DAY).moves
    assert moves == {("slow", "medium", "accesses"): 2, ("glacial", "slow", "accesses"): 1}
    assert {known(bolt, one).tier for one in (used, foreign)} == {"medium"}
    assert known(bolt, whole).tier == "slow"
    # Another robot's uses count each.
    said = here.remember(bolt, "The giraffe is called Gus.", importance=0.9).id
    recall(aria, Query(text="giraffe"), now=NEXT + 4 * DAY)
    for _ in range(4):
        recall(aria, Query(text="giraffe"), now=NEXT + 4 * DAY)
    publish_uses(here.id, now=NEXT + 5 * DAY)
    assert ("slow", "medium", "accesses") in move_tiers(here.id, now=NEXT + 5 * DAY).moves
    assert known(bolt, said).tier == "medium"


@pytest.mark.slow
@pytest.mark.conformance("G08")
def test_what_is_used_every_day_is_not_glacial_whatever_its_importance(here: Tenant) -> None:
    """The daily jobs of forty days, with one robot. Unused, it sinks within three."""
    said = here.remember(here.robot("bolt"), "The zebra is called Zoe.", importance=0.2).id
    tiers = []
    for day in range(40):
        ask(here.robot("bolt"), 2, at=NOW + day * DAY)
        move_due_tiers(here.id, now=NEXT + day * DAY)
        tiers.append(known(here.robot("bolt"), said).tier)
    assert "glacial" in tiers[:5], "it has little importance, and no use counts yet"
    assert "glacial" not in tiers[6:]
    assert "medium" in tiers
    for day in range(40, 44):
        move_due_tiers(here.id, now=NEXT + day * DAY)
    assert known(here.robot("bolt"), said).tier == "glacial"


@pytest.mark.conformance("T29")
def test_feedback_is_learned_for_whoever_gave_it_and_for_others_with_the_day(here: Tenant) -> None:
    fill(here, 6)
    said = here.remember(here.robot("aria"), "The zebra is called Zoe.").id
    for name, outcome in (("bob", "success"), ("mina", "success"), ("vera", "failure")):
        who = here.person(name)
        record_feedback(
            who,
            recall_id=ask(who),
            memory_id=said,
            usefulness=1.0,
            outcome=outcome,
            now=NOW,
        )
    late = ask(here.person("chidi"))
    record_feedback(here.person("chidi"), recall_id=late, memory_id=said, usefulness=0.0, now=NOW)

    def learned(name: str) -> tuple[int, int, int]:
        use = known(here.person(name), said)
        return use.updates, use.successes, use.failures

    assert learned("bob") == (1, 1, 0)
    assert learned("ada") == (0, 0, 0)
    publish_uses(here.id, now=NOW)
    assert learned("ada") == (0, 0, 0)
    publish_uses(here.id, now=NEXT)
    assert learned("ada") == (4, 2, 1)
    assert learned("bob") == (1 + 2, 1 + 1, 0 + 1)
    record_outcome(
        here.person("chidi"), recall_id=late, memory_id=said, outcome="success", now=NEXT
    )
    publish_uses(here.id, now=NEXT)
    assert learned("ada") == (4, 2, 1)
    publish_uses(here.id, now=NEXT + DAY)
    # Of 3 successes a power of two; nothing is learned twice.
    assert learned("ada") == (4, 2, 1)
    assert learned("vera") == (1 + 2, 0 + 2, 1)


@pytest.mark.conformance("T29")
def test_feedback_of_few_is_theirs(here: Tenant) -> None:
    both = listed(here)
    bob = here.person("bob")
    told = record_feedback(
        bob, recall_id=ask(bob), memory_id=both, usefulness=1.0, outcome="success", now=NOW
    )
    assert (told.updates, told.success_rate) == (1, 2 / 3)
    move_due_tiers(here.id, now=NEXT)
    use = known(here.person("mina"), both)
    assert (use.updates, use.successes, use.surprise) == (0, 0, 0)


@pytest.mark.conformance("T29")
def test_who_is_one_reader(here: Tenant) -> None:
    """A member and their own robot are; a robot that acts for two members is another for each."""
    aria = here.robot("aria")
    said = here.remember(aria, "The zebra is in the organisation.").id
    bob, mina = (str(here.members[name].id) for name in ("bob", "mina"))
    make_personal_robot(here, "bob")
    ask(make_owner_actor(here, "bob"), 2)
    ask(make_personal_robot(here, "bob"))
    assert known(here.person("bob"), said).access_count == 3
    ask(aria, 3, member=bob, group="launch")
    assert known(here.person("bob"), said).access_count == 3

    def acting(member: str) -> int:
        principal = resolve_principal(resolve_actor(aria, member=member))
        with principal.scope():
            return Memory.objects.with_names().get(id=said).access_count

    assert (acting(bob), acting(mina), known(aria, said).access_count) == (3, 0, 0)
    ask(aria, 4)
    assert (acting(bob), acting(mina), known(aria, said).access_count) == (3, 0, 4)
