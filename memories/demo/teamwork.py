"""Of the demo: decisions with dissents, a team of robots, and what robots have at hand."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from uuid import UUID

from memories.context.team_working_memory import add_to_team_working_memory
from memories.context.working_memory import add_to_working_memory
from memories.curation.decision_records.dissents import (
    DissentAnswer,
    DissentDraft,
    add_dissent,
    answer_dissent,
)
from memories.curation.decision_records.models import DissentType
from memories.curation.decision_records.record_decision import (
    ClaimDraft,
    DecisionDraft,
    record_decision,
)
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.principals import Actor, resolve_principal
from robots.models.robots import Robot
from robots.teams.team_robots import add_team_robot
from robots.teams.teams import create_team

TEAM_ID = "front-desk"
# Words of the memories that a robot has at hand.
AT_HAND = {
    "Aria": ("Spinnaker backpack goes on sale", "Repairs are free", "within 30 days"),
    "Scout": ("competitor closes its shop", "Dealers in Denmark pay us"),
}
OF_THE_TEAM = ("eleven dealers", "price of the Spinnaker")


def add_decisions(plan: Callable[..., None], person: Callable[[str], Actor], now: datetime) -> None:
    """Two decisions of the launch: one that somebody still speaks against, one with an answer.

    plan: does an act at a moment, given its arguments.
    """
    plan(now - timedelta(days=33), _decide_label, person)
    plan(now - timedelta(days=12), _decide_gift, person)


def _decide_gift(person: Callable[[str], Actor], *, now: datetime) -> None:
    made = record_decision(
        person("Chidi"),
        DecisionDraft(
            topic="Discount for the first buyers",
            conclusion="The first hundred buyers get a pencil case, and nobody gets a discount.",
            participants=("Ada", "Chidi", "Mina", "Jonas"),
            agree=3,
            disagree=1,
            claims=(
                ClaimDraft(text="A gift is remembered longer than five percent."),
                ClaimDraft(text="Dealers cannot match a discount of ours."),
            ),
            domain="sales",
            group="launch",
            decided_at=now,
        ),
        now=now,
    )
    add_dissent(
        person("Jonas"),
        made.id,
        DissentDraft(
            kind=DissentType.RISK_WARNING,
            content="A hundred pencil cases are two more days of sewing before the launch.",
            reasoning="The workshop has no free afternoon until the bags are done.",
            confidence=0.8,
        ),
        now=now + timedelta(hours=2),
    )


def _decide_label(person: Callable[[str], Actor], *, now: datetime) -> None:
    made = record_decision(
        person("Chidi"),
        DecisionDraft(
            topic="Language of the care label",
            conclusion="The care label is printed in English and German.",
            participants=("Ada", "Chidi", "Mina"),
            agree=2,
            disagree=1,
            domain="product",
            group="launch",
            decided_at=now,
        ),
        now=now,
    )
    dissent = add_dissent(
        person("Mina"),
        made.id,
        DissentDraft(
            kind=DissentType.ALTERNATIVE_APPROACH,
            content="Signs without words would be read everywhere.",
            confidence=0.6,
        ),
        now=now + timedelta(hours=1),
    )
    answer = DissentAnswer(rebuttal="Three of five customers misread the signs; we asked.")
    answer_dissent(person("Chidi"), made.id, dissent.id, answer, now=now + timedelta(hours=5))


def add_team(
    admin: Actor,
    robots: Mapping[str, Robot],
    robot_actor: Callable[[str], Actor],
    now: datetime,
) -> None:
    """A team of two robots, what they have at hand together, and what each has for itself.

    robot_actor: the actor of the robot of a name.
    """
    create_team(
        admin,
        {
            "id": TEAM_ID,
            "name": "Front desk",
            "purpose": "Answers dealers and customers; when one is silent, the other takes over.",
        },
        now=now,
    )
    for name in AT_HAND:
        add_team_robot(admin, TEAM_ID, robots[name].public_id, now=now)
    for name, words in AT_HAND.items():
        actor = robot_actor(name)
        for id_ in _list_ids_with(actor, words):
            add_to_working_memory(actor, robots[name].public_id, id_, now=now)
    aria = robot_actor("Aria")
    for id_ in _list_ids_with(aria, OF_THE_TEAM):
        add_to_team_working_memory(aria, TEAM_ID, id_, now=now)


def _list_ids_with(actor: Actor, texts: tuple[str, ...]) -> list[UUID]:
    """The memories for everyone that contain one of the texts, in the order of the texts."""
    with resolve_principal(actor).scope():
        rows = Memory.objects.filter(kind=Kind.ORGANISATION, status=Status.ACTIVE)
        return [
            id_ for text in texts
            for id_ in rows.filter(content__icontains=text).values_list("id", flat=True)[:1]
        ]  # fmt: skip
