"""What is asked of the generated groups, by whom, what answers it, and who may know it. Pure.

The permission rule here is written from the data alone. It shares nothing with the code that is
measured, so that a row which should not have been served is noticed whoever made the mistake.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from memories.evaluation.dataset.generator import GeneratedMessage, World
from memories.evaluation.dataset.phrases import Concept, concepts

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
# Questions whose answer the asker may not know; nothing answers them.
PROBES = "forbidden"
# How it is asked: a robot for everybody in the group, a robot for a member there, the member
# there, the member outside of any group.
SHAREABLE, FOR_MEMBER, INSIDE, ANYWHERE = "shareable", "for_member", "inside", "anywhere"
_WAY = {
    "robot_mention": SHAREABLE,
    "member_to_member": FOR_MEMBER,
    "cross_context": ANYWHERE,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question. gold: the keys of what answers it; readable: how many rows its asker reads."""

    scenario: str
    text: str
    paraphrased: bool
    way: str
    group: int
    member: int
    gold: frozenset[str]
    readable: int = 0


def may_read(world: World, way: str, group: int, member: int, message: GeneratedMessage) -> bool:
    """Whether whoever asks this way may be served this message."""
    if way == ANYWHERE:
        if message.readers is not None:
            return member in message.readers
        return member in world.seats[message.group]
    if message.group != group:
        return False
    if message.readers is None:
        return True
    return way != SHAREABLE and member in message.readers


def readable(world: World, way: str, group: int, member: int) -> int:
    """How many messages of the world that is."""
    groups = range(group, group + 1)
    if way == ANYWHERE:
        groups = [g for g in world.groups_of[member] if g < world.groups]  # type: ignore[assignment]
    return sum(
        may_read(world, way, group, member, message)
        for number in groups
        for message in world.messages(number)
    )


def questions(world: World, *, each: int) -> list[Asked]:
    """Up to `each` questions of every scenario and as many probes, half of them paraphrased."""
    found = []
    for scenario in (*SCENARIOS, PROBES):
        rng = Random(f"{world.seed}/{scenario}/{world.groups}")
        numbers = rng.sample(range(world.groups), min(world.groups, each))
        make = _probes if scenario == PROBES else _plain
        pairs = [pair for number in numbers for pair in make(world, scenario, number, rng)]
        rng.shuffle(pairs)
        found += [one for pair in pairs[: max(1, each // 2)] for one in pair]
    return found


def _pair(concept: Concept, name: str) -> Iterator[tuple[str, bool]]:
    yield concept.asks.replace("{name}", name), False
    yield concept.other, True


def _plain(world: World, scenario: str, group: int, rng: Random) -> Iterator[list[Asked]]:
    """The questions of one group, each in both wordings."""
    said: dict[str, list[GeneratedMessage]] = {}
    for message in world.messages(group):
        if message.concept.startswith(f"{_FAMILY[scenario]}/"):
            said.setdefault(message.concept, []).append(message)
    by_name = {c.name: c for c in concepts(_FAMILY[scenario])}
    way = _WAY.get(scenario, INSIDE)
    for name, messages in sorted(said.items()):
        first = messages[0]
        asker = _asker(world, scenario, first, rng)
        if asker is None:
            continue
        gold = frozenset(m.key for m in messages if may_read(world, way, group, asker, m))
        rows = readable(world, way, group, asker)
        yield [
            Asked(scenario, text, paraphrased, way, group, asker, gold, rows)
            for text, paraphrased in _pair(by_name[name], world.names[first.speaker])
        ]


def _asker(world: World, scenario: str, message: GeneratedMessage, rng: Random) -> int | None:
    if scenario == "member_to_member":
        return message.listeners[0]
    others = [m for m in world.seats[message.group] if m != message.speaker]
    rng.shuffle(others)
    if scenario != "cross_context":
        return others[0]
    # Who sits in two groups in which the same was said would have two right answers.
    for member in sorted(others, key=lambda m: len(world.groups_of[m]) < 2):
        elsewhere = [g for g in world.groups_of[member] if g != message.group and g < world.groups]
        if not any(m.concept == message.concept for g in elsewhere for m in world.messages(g)):
            return member
    return None


def _probes(world: World, scenario: str, group: int, rng: Random) -> Iterator[list[Asked]]:
    """Secrets of one group, asked for by somebody else there, by the robot and by an outsider."""
    by_name = {c.name: c for family in ("private", "member") for c in concepts(family)}
    for message in world.messages(group):
        if message.readers is None:
            continue
        concept, inside = by_name[message.concept], set(world.seats[group])
        outsiders = [m for g in _near(world, group) for m in world.seats[g] if m not in inside]
        curious = [m for m in sorted(inside) if m not in message.readers]
        askers = [(way, rng.choice(curious)) for way in (SHAREABLE, FOR_MEMBER, INSIDE, ANYWHERE)]
        askers += [(ANYWHERE, rng.choice(outsiders))] if outsiders else []
        way, member = rng.choice(askers)
        yield [
            Asked(scenario, text, paraphrased, way, group, member, frozenset())
            for text, paraphrased in _pair(concept, world.names[message.speaker])
        ]


def _near(world: World, group: int) -> range:
    """The groups around one."""
    return range(max(0, group - 2), min(world.groups, group + 3))
