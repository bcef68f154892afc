"""Who wrote a memory, who said it and who reworded it: in words for people.

Whose words a memory gives is decided in `memories.store.speakers.attribution`.
"""

from datetime import UTC, datetime

from memories.store.models.memory import Memory
from memories.store.speakers.attribution import attribution_of, marked_name
from orgs.models.memberships import Member
from orgs.views.moments import day
from robots.models.robots import Robot
from robots.registry.robots import IMPORT
from robots.registry.who_taught import A_PERSONAL_ROBOT

EARLIEST, LATEST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)


def robot_name(robot: Robot) -> str:
    """Empty for the built-in robots through which people and imports write."""
    return "" if robot.builtin else robot.name


def teller_name(memory: Memory) -> str:
    """The robot that wrote it; empty for the built-in ones and if the reader may not know it."""
    return robot_name(memory.teller) if memory.teller else A_PERSONAL_ROBOT


def when(memory: Memory) -> datetime:
    """When it was said, else noted; within what every time zone can show.

    One memory of the calendar's first or last day would otherwise end each page that shows it.
    """
    return in_range(memory.occurred_at or memory.created_at)


def in_range(at: datetime) -> datetime:
    """The moment, within what every time zone can show."""
    return min(max(at, EARLIEST), LATEST)


def person_name(member: Member | None, me: object) -> str:
    """The member's name, You for oneself; empty for nobody."""
    if member is None:
        return ""
    return "You" if member.id == me else member.name


def in_sentence(name: str) -> str:
    """A name inside a sentence, where You is you."""
    return {"You": "you", A_PERSONAL_ROBOT: "a personal robot"}.get(name, name)


def is_worked_out(memory: Memory) -> bool:
    """Whether the product derived it from other memories: nobody said these words."""
    return attribution_of(memory).writer.is_service


def said_by(memory: Memory, me: object = None) -> str:
    """Who said it: a member, a name without a member, else the person who wrote it."""
    said = attribution_of(memory)
    if said.writer.is_service:
        return ""
    return person_name(said.person, me) or marked_name(said.name)


def reworded_by(memory: Memory, me: object) -> str:
    """Who wrote the present wording, if not the speaker."""
    if memory.reworded_by_robot:
        told = memory.told(memory.reworded_by_robot)
        return told.name if told else in_sentence(A_PERSONAL_ROBOT)
    return in_sentence(person_name(memory.reworded_by, me))


def learned(memory: Memory, me: object) -> str:
    """How it got here and whose words it gives, in a sentence or two."""
    editor = reworded_by(memory, me)
    whose = "yours" if editor == "you" else f"{editor}’s"
    return _origin(memory, me) + (f" The words are now {whose}." if editor else "")


def _origin(memory: Memory, me: object) -> str:
    at = day(when(memory)) + (f" in {memory.place.name}" if memory.place else "")
    if is_worked_out(memory):
        return f"Commonmind worked this out on {at} from what was said in several groups."
    if memory.author_id:
        return _written(memory, me, at)
    if memory.robot.builtin == IMPORT:
        who = said_by(memory, me)
        said = f"{who} said this on {at}; it" if who else "It"
        return f"{said} was imported on {day(memory.created_at)}."
    return _heard(memory, me, at)


def _written(memory: Memory, me: object, at: str) -> str:
    """By a person: in their own words, or in another's."""
    wrote = f"{person_name(memory.author, me)} wrote this down on {at}"
    if not memory.speaker or memory.speaker_member_id == memory.author_id:
        return f"{wrote}."
    who = said_by(memory, me)
    return f"{wrote}, as {'your' if who == 'You' else f'{who}’s'} words."


def _heard(memory: Memory, me: object, at: str) -> str:
    """By a robot: what a member said, what it says that somebody said, what it learned."""
    who, robot = said_by(memory, me), teller_name(memory) or "Somebody"
    if me and memory.robot.owner_id == me:
        robot = "Your robot"
    if memory.speaker_member_id:
        by = "your robot" if robot == "Your robot" else robot
        return f"{who} said this on {at}, and {by} remembered it."
    if memory.speaker:
        return (
            f"{robot} wrote this down on {at} as the words of {who}, a name that no member here "
            "stands behind."
        )
    return f"{robot} learned this on {at}."
