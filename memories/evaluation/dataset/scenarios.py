"""The questions about the generated groups: who asks, what answers them, who may know it. Pure.

The permission rule here uses only the data and shares no code with the product, so it notices every
row that should not have been served.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from memories.evaluation.dataset.generator import GeneratedMessage, SyntheticData
from memories.evaluation.dataset.phrases import Concept, load_concepts

SCENARIOS = {
    "robot_mention": "A robot is mentioned in a group and answers all of it",
    "member_to_member": "A member asks a robot what another member told them",
    "announcements": "A member asks for an announcement of the group",
    "cross_context": "A member asks elsewhere for what was said in one of their groups",
    "expertise_location": "A member asks who in the group knows about something",
    "topic_aggregation": "A member asks what several people said about a topic",
}
_FAMILY = {
    "robot_mention": "robot",
    "member_to_member": "member",
    "announcements": "announcement",
    "cross_context": "preference",
    "expertise_location": "expertise",
    "topic_aggregation": "topic",
}
# Questions whose answer the asker may not read, so nothing answers them.
FORBIDDEN = "forbidden"
# How a question is asked: by a robot for the whole group, by a robot for a member in it, by the
# member in the group, by the member outside of any group.
SHAREABLE, FOR_MEMBER, IN_GROUP, OUTSIDE_GROUPS = "shareable", "for_member", "inside", "anywhere"
_ACCESS_BY_SCENARIO = {
    "robot_mention": SHAREABLE,
    "member_to_member": FOR_MEMBER,
    "cross_context": OUTSIDE_GROUPS,
}


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """One question. gold: the keys of the messages that answer it; in_part: those of them that only
    show the answer; readable: how many rows its asker reads."""

    scenario: str
    text: str
    paraphrased: bool
    way: str
    group: int
    member: int
    gold: frozenset[str]
    readable: int = 0
    in_part: frozenset[str] = frozenset()

    @property
    def gains(self) -> dict[str, float]:
        """What each message of `gold` is worth: 2 if it says the answer, 1 if it only shows it."""
        return {key: 1 if key in self.in_part else 2 for key in self.gold}


def may_read(
    world: SyntheticData, way: str, group: int, member: int, message: GeneratedMessage
) -> bool:
    """Whether a message may be served to the asker of a question that is asked this way."""
    if way == OUTSIDE_GROUPS:
        if message.readers is not None:
            return member in message.readers
        return member in world.seats[message.group]
    if message.group != group:
        return False
    if message.readers is None:
        return True
    return way != SHAREABLE and member in message.readers


def count_readable(world: SyntheticData, way: str, group: int, member: int) -> int:
    """How many messages of the world the asker may read."""
    groups = range(group, group + 1)
    if way == OUTSIDE_GROUPS:
        groups = [g for g in world.groups_of[member] if g < world.groups]  # type: ignore[assignment]
    return sum(
        may_read(world, way, group, member, message)
        for number in groups
        for message in world.messages(number)
    )


def build_questions(world: SyntheticData, *, each: int) -> list[EvaluationQuestion]:
    """Up to `each` questions of every scenario, and as many probes; half of them are
    paraphrased."""
    found = []
    for scenario in (*SCENARIOS, FORBIDDEN):
        rng = Random(f"{world.seed}/{scenario}/{world.groups}")
        numbers = rng.sample(range(world.groups), min(world.groups, each))
        make = _forbidden_questions if scenario == FORBIDDEN else _scenario_questions
        pairs = [pair for number in numbers for pair in make(world, scenario, number, rng)]
        rng.shuffle(pairs)
        found += [one for pair in pairs[: max(1, each // 2)] for one in pair]
    return found


def build_user_probes(world: SyntheticData) -> list[EvaluationQuestion]:
    """One question of every member of every group, in the very words of a message that they may not
    read: a secret of one of their groups where there is one, else a message of another group."""
    found = []
    for member in sorted({member for seats in world.seats[: world.groups] for member in seats}):
        rng = Random(f"{world.seed}/user/{member}")
        group = rng.choice([g for g in world.groups_of[member] if g < world.groups])
        numbers = [group, *(g for g in _nearby_groups(world, group) if g != group)]
        way = rng.choice((IN_GROUP, OUTSIDE_GROUPS))
        for number in numbers:
            hidden = [
                m for m in world.messages(number)
                if not may_read(world, OUTSIDE_GROUPS, group, member, m)
            ]  # fmt: skip
            if hidden:
                text = rng.choice(hidden).text
                found.append(
                    EvaluationQuestion(FORBIDDEN, text, False, way, group, member, frozenset())
                )
                break
    return found


def _both_wordings(concept: Concept, name: str) -> Iterator[tuple[str, bool]]:
    yield concept.asks.replace("{name}", name), False
    yield concept.other, True


def _scenario_questions(
    world: SyntheticData, scenario: str, group: int, rng: Random
) -> Iterator[list[EvaluationQuestion]]:
    """The questions of one group, each in both wordings."""
    said: dict[str, list[GeneratedMessage]] = {}
    for message in world.messages(group):
        if message.concept.startswith(f"{_FAMILY[scenario]}/"):
            said.setdefault(message.concept, []).append(message)
    by_name = {c.name: c for c in load_concepts(_FAMILY[scenario])}
    way = _ACCESS_BY_SCENARIO.get(scenario, IN_GROUP)
    for name, messages in sorted(said.items()):
        first = messages[0]
        asker = _choose_asker(world, scenario, first, rng)
        if asker is None:
            continue
        told = [m for m in messages if may_read(world, way, group, asker, m)]
        gold, in_part = (
            frozenset(m.key for m in some) for some in (told, [m for m in told if m.in_part])
        )
        rows = count_readable(world, way, group, asker)
        yield [
            EvaluationQuestion(scenario, text, paraphrased, way, group, asker, gold, rows, in_part)
            for text, paraphrased in _both_wordings(by_name[name], world.names[first.speaker])
        ]


def _choose_asker(
    world: SyntheticData, scenario: str, message: GeneratedMessage, rng: Random
) -> int | None:
    if scenario == "member_to_member":
        return message.listeners[0]
    others = [m for m in world.seats[message.group] if m != message.speaker]
    rng.shuffle(others)
    if scenario != "cross_context":
        return others[0]
    # A member of two groups with the same concept would have two right answers.
    for member in sorted(others, key=lambda m: len(world.groups_of[m]) < 2):
        elsewhere = [g for g in world.groups_of[member] if g != message.group and g < world.groups]
        if not any(m.concept == message.concept for g in elsewhere for m in world.messages(g)):
            return member
    return None


def _forbidden_questions(
    world: SyntheticData, scenario: str, group: int, rng: Random
) -> Iterator[list[EvaluationQuestion]]:
    """Questions about secrets of one group, asked by another member, by the robot and by an
    outsider."""
    by_name = {c.name: c for family in ("private", "member") for c in load_concepts(family)}
    for message in world.messages(group):
        if message.readers is None:
            continue
        concept, inside = by_name[message.concept], set(world.seats[group])
        outsiders = [
            m for g in _nearby_groups(world, group) for m in world.seats[g] if m not in inside
        ]
        curious = [m for m in sorted(inside) if m not in message.readers]
        askers = [
            (way, rng.choice(curious)) for way in (SHAREABLE, FOR_MEMBER, IN_GROUP, OUTSIDE_GROUPS)
        ]
        askers += [(OUTSIDE_GROUPS, rng.choice(outsiders))] if outsiders else []
        way, member = rng.choice(askers)
        yield [
            EvaluationQuestion(scenario, text, paraphrased, way, group, member, frozenset())
            for text, paraphrased in _both_wordings(concept, world.names[message.speaker])
        ]


def _nearby_groups(world: SyntheticData, group: int) -> range:
    """The numbers of groups near one."""
    return range(max(0, group - 2), min(world.groups, group + 3))
