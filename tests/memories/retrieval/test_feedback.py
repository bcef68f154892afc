"""Feedback: once for each hit of one's own recall, and what a memory learns of it."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from memories.lifecycle.forget import forget_memory
from memories.lifecycle.publish_uses import publish_uses
from memories.lifecycle.tier_moves import move_tiers
from memories.retrieval.models import Feedback, Recall
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.memory import Memory
from memories.store.models.reader_use import KnownUse
from memories.store.models.use import Use
from orgs.database.rls import organisation_scope
from orgs.members.invitations import create_member
from orgs.principals import Actor, resolve_principal
from tests.databases import autocommit_connection
from tests.memories.lifecycle.oracles import compute_surprise
from tests.world import NOW, Tenant, World


def asked(actor: Actor, **more: Any) -> tuple[UUID, UUID, float]:
    """(recall, its first hit, the score that was served)."""
    answer = recall(actor, Query(text="zebra", **more), now=NOW)
    hit, row = answer.hits[0]
    return answer.recall_id, row.id, hit.score


def say(api: Any, recall_id: UUID, memory: UUID, usefulness: float = 1.0, **more: Any) -> Any:
    body = {"recall_id": str(recall_id), "memory": str(memory), "usefulness": usefulness, **more}
    return api.post("/api/v1/feedback", body, format="json")


def served(here: Tenant, actor: Actor, recall_id: UUID, score: float) -> None:
    """Let the record say that the hit was served with another score."""
    with resolve_principal(actor).scope():
        row = Recall.objects.get(id=recall_id)
        row.hits = [[row.hits[0][0], score]]
        row.save(update_fields=["hits"])


def sixth(here: Tenant) -> None:
    """With five others beside each reader, uses count for all, from the next day."""
    with organisation_scope(here.id):
        create_member(
            organisation_id=here.id,
            name="Sixth",
            email=f"sixth@{here.organisation.slug}.example",
            password="correct horse battery",
            now=NOW,
        )


@pytest.mark.conformance("G11", "N14")
def test_surprise_is_usefulness_less_what_was_served(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The zebra sleeps.")
    bolt = here.robot("bolt")
    recall_id, memory, score = asked(bolt)
    answer = say(here.api("bolt"), recall_id, memory, 0.9, outcome="success")
    assert answer.status_code == 201
    assert answer.json() == pytest.approx(
        {
            "surprise": 0.3 * max(0, 0.9 - score),
            "success_rate": 2 / 3,
            "consolidation": 0.15051499783199063,
            "updates": 1,
            "tier": "slow",
        },
        abs=1e-6,
    )
    with resolve_principal(bolt).scope():
        row = Feedback.objects.get(recall_id=recall_id)
        assert (row.usefulness, row.outcome, row.robot_id) == (0.9, "success", bolt.robot_id)
        assert row.predicted == pytest.approx(score, abs=1e-6)

    again, _, _ = asked(bolt)
    served(here, bolt, again, 1.0)
    answer = say(here.api("bolt"), again, memory, 0.2, outcome="failure").json()
    assert answer["surprise"] == pytest.approx(0.7 * 0.3 * max(0, 0.9 - score), abs=1e-6)
    assert (answer["success_rate"], answer["updates"]) == (0.5, 2)


@pytest.mark.conformance("G11")
def test_a_report_without_usefulness_says_half(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "The zebra sleeps.")
    recall_id, memory, _ = asked(here.robot("bolt"))
    served(here, here.robot("bolt"), recall_id, 0.1)
    body = {"recall_id": str(recall_id), "memory": str(memory)}
    answer = here.api("bolt").post("/api/v1/feedback", body, format="json")
    assert answer.status_code == 201
    assert answer.json()["surprise"] == pytest.approx(compute_surprise(0.0, None, 0.1))
    assert answer.json()["surprise"] == pytest.approx(0.3 * 0.4)


@pytest.mark.conformance("G12")
def test_four_full_surprises_promote_a_medium_memory(lasting_world: World) -> None:
    here = lasting_world.here
    sixth(here)
    memory = here.remember(
        here.robot("aria"), "The zebra sleeps.", tier="medium", importance=0.9
    ).id
    bolt = here.robot("bolt")
    surprises = []
    for _ in range(4):
        recall_id, _, _ = asked(bolt)
        served(here, bolt, recall_id, 0.0)
        before = move_tiers(here.id, now=NOW + timedelta(minutes=1)).moves
        assert before == {}
        surprises.append(say(here.api("bolt"), recall_id, memory).json()["surprise"])
    assert surprises == pytest.approx([0.3, 0.51, 0.657, 0.7599])
    rule = [0.0]
    for _ in surprises:
        rule.append(compute_surprise(rule[-1], 1.0, 0.0))
    assert surprises == pytest.approx(rule[1:]), "the statement says what the rule says"
    tell_on(here, NOW)
    publish_uses(here.id, now=NOW + timedelta(days=1))
    with organisation_scope(here.id, using="worker"):
        # Four accesses are not five, and nothing was called a success.
        use = Use.objects.using("worker").get(memory_id=memory)
        assert (use.since_accesses, use.since_successes, use.since_feedback) == (4, 0, 4)
    done = move_tiers(here.id, now=NOW + timedelta(days=1))
    assert done.moves == {("medium", "fast", "surprise"): 1}


@pytest.mark.conformance("G08", "T29")
def test_nobody_raises_what_they_alone_brought_by_praise(lasting_world: World) -> None:
    """What others report counts; their accesses of a day count, and one's own as one."""
    here = lasting_world.here
    sixth(here)
    aria = here.robot("aria")
    memory = here.remember(aria, "The zebra sleeps.").id
    day = 0

    def counts() -> tuple[int, ...]:
        nonlocal day
        day += 1
        publish_uses(here.id, now=NOW + timedelta(days=day))
        with organisation_scope(here.id, using="worker"):
            use = Use.objects.using("worker").get(memory_id=memory)
        return use.access_count, use.since_accesses, use.since_feedback, use.since_successes

    for _ in range(2):
        recall_id, _, _ = asked(aria)
    learned = say(here.api("aria"), recall_id, memory, outcome="success").json()
    assert learned["updates"] == 1, "it is learned from all the same"
    tell_on(here, NOW)
    assert counts() == (1, 1, 0, 0)

    for _ in range(2):
        recall_id, _, _ = asked(here.robot("bolt"))
    say(here.api("bolt"), recall_id, memory, outcome="success")
    tell_on(here, NOW)
    assert counts() == (3, 3, 1, 1)

    here.remember(here.robot("bolt"), "The zebra sleeps.")
    recall_id, _, _ = asked(aria)
    say(here.api("aria"), recall_id, memory, outcome="success")
    tell_on(here, NOW)
    assert counts()[2:] == (2, 2), "another brought it as well"


@pytest.mark.conformance("T29")
def test_few_readers_learn_what_a_robot_for_nobody_reports_and_not_what_a_member_does(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    memory = here.remember(here.robot("aria"), "The zebra sleeps.").id

    def successes() -> tuple[int, int]:
        """(of all readers, as Vera sees them who has reported nothing)."""
        tell_on(here, NOW)
        publish_uses(here.id, now=NOW + timedelta(days=1))
        with organisation_scope(here.id, using="worker"):
            use = Use.objects.using("worker").get(memory_id=memory)
        with resolve_principal(here.person("vera")).scope():
            shown = Memory.objects.with_names().get(id=memory)
        return use.successes, shown.used.successes

    for caller, api, expected in (
        (here.person("mina"), here.browser("mina"), 0),
        (here.robot("bolt"), here.api("bolt"), 1),
    ):
        recall_id, _, _ = asked(caller)
        assert say(api, recall_id, memory, outcome="success").status_code == 201
        assert successes() == (expected, expected)


def tell_on(here: Tenant, at: datetime) -> None:
    """The API asks the clock; let what was reported be of that day."""
    with autocommit_connection("owner") as connection:
        connection.execute("ALTER TABLE memories_feedback NO FORCE ROW LEVEL SECURITY")
        connection.execute(
            "UPDATE memories_feedback SET told_at = %s WHERE organisation_id = %s", [at, here.id]
        )
        connection.execute("ALTER TABLE memories_feedback FORCE ROW LEVEL SECURITY")


@pytest.mark.conformance("N14")
def test_only_once_and_only_for_ones_own_hits(world: World) -> None:
    here = world.here
    memory = here.remember(here.robot("aria"), "The zebra sleeps.").id
    other = here.remember(here.robot("aria"), "A pear.").id
    recall_id, _, _ = asked(here.robot("bolt"), limit=1)
    api = here.api("bolt")
    assert say(here.api("aria"), recall_id, memory).status_code == 404, "another robot's recall"
    assert say(here.browser("mina"), recall_id, memory).status_code == 404
    assert say(api, recall_id, other).status_code == 404, "no hit of it"
    assert say(api, uuid4(), memory).status_code == 404
    assert say(api, recall_id, memory, 7).status_code == 400
    assert say(api, recall_id, memory, -0.1).status_code == 400
    assert say(api, recall_id, memory, outcome="splendid").status_code == 400
    assert say(api, recall_id, memory).status_code == 201
    assert say(api, recall_id, memory).status_code == 409
    with resolve_principal(here.robot("bolt")).scope():
        assert KnownUse.objects.get(memory_id=memory).updates == 1


def test_what_is_forgotten_or_out_of_reach_learns_nothing(world: World) -> None:
    here = world.here
    memory = here.remember(here.robot("aria"), "The zebra sleeps.").id
    recall_id, _, _ = asked(here.robot("bolt"))
    forget_memory(here.person("ada"), memory, now=NOW)
    assert say(here.api("bolt"), recall_id, memory).status_code == 404


def test_a_person_says_it_of_their_own_recall(world: World) -> None:
    here = world.here
    memory = here.remember(here.person("mina"), "My zebra sleeps.", visibility="private").id
    recall_id, hit, _ = asked(here.person("mina"))
    assert hit == memory
    assert say(here.browser("bob"), recall_id, memory).status_code == 404
    assert say(here.browser("mina"), recall_id, memory).status_code == 201


def test_a_robot_says_it_for_whom_it_asked(world: World) -> None:
    """The memory is readable only while it acts for the member in the group."""
    here = world.here
    member, group = str(here.members["mina"].id), str(here.groups["launch"].id)
    memory = here.remember(
        here.robot("aria"), "Her zebra sleeps.", visibility="protected", member=member, group=group
    ).id
    recall_id, hit, _ = asked(here.robot("aria"), member=member, group=group)
    assert hit == memory
    assert say(here.api("aria"), recall_id, memory).status_code == 201


@pytest.mark.conformance("N14", "G12")
def test_of_what_is_equally_relevant_the_more_helpful_comes_first(world: World) -> None:
    """Three texts of equal words: .02 x (successes - failures) / (n + 2) parts them."""
    here = world.here
    ids = {
        name: here.remember(here.robot("aria"), f"The zebra of {name} sleeps.").id
        for name in ("Kim", "Lee", "Max")
    }
    bolt = here.robot("bolt")
    outcomes = {"Kim": "failure", "Lee": "success"}
    for name, outcome in outcomes.items():
        for _ in range(3):
            recall_id, _, _ = asked(bolt, limit=50)
            assert (
                say(here.api("bolt"), recall_id, ids[name], 0, outcome=outcome).status_code == 201
            )
    answer = recall(bolt, Query(text="zebra", counts=False), now=NOW)
    assert [row.id for _, row in answer.hits] == [ids["Lee"], ids["Max"], ids["Kim"]]
    best, middle, last = (hit.score for hit, _ in answer.hits)
    assert best - middle == pytest.approx(0.02 * 3 / 5)
    assert middle - last == pytest.approx(0.02 * 3 / 5)
