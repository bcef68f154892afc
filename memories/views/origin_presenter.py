"""Who wrote a memory, who said it and who reworded it: in words for people.

Whose words a memory gives is decided in `memories.store.speakers.attribution`.
"""

from datetime import UTC, datetime

from django.utils.translation import gettext, pgettext

from memories.store.models.memory import Memory
from memories.store.speakers.attribution import attribution_of, marked_name
from memories.store.speakers.document_source import document_label
from orgs.models.memberships import Member
from orgs.views.time_formats import day
from robots.models.robots import Robot
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME
from robots.registry.robots import IMPORT

MIN_DATETIME, MAX_DATETIME = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)


def robot_name(robot: Robot) -> str:
    """Empty for the built-in robots through which people and imports write."""
    return "" if robot.builtin else robot.name


def writer_robot_name(memory: Memory) -> str:
    """The robot that wrote it; empty for the built-in ones and if the reader may not know it."""
    return robot_name(memory.teller) if memory.teller else gettext(HIDDEN_ROBOT_NAME)


def memory_time(memory: Memory) -> datetime:
    """When it was said, else noted; within what every time zone can show.

    One memory of the calendar's first or last day would otherwise end each page that shows it.
    """
    return clamp_datetime(memory.occurred_at or memory.created_at)


def clamp_datetime(at: datetime) -> datetime:
    """The moment, within what every time zone can show."""
    return min(max(at, MIN_DATETIME), MAX_DATETIME)


def person_name(member: Member | None, me: object) -> str:
    """The member's name, You for oneself; empty for nobody."""
    if member is None:
        return ""
    return gettext("You") if member.id == me else member.name


def inline_name(name: str) -> str:
    """A name behind "by", where You is you."""
    return {
        gettext("You"): pgettext("by", "you"),
        gettext(HIDDEN_ROBOT_NAME): pgettext("by", "a personal robot"),
    }.get(name, name)


def is_derived_by_product(memory: Memory) -> bool:
    """Whether the product derived it from other memories: nobody said these words."""
    return attribution_of(memory).writer.is_service


def speaker_name(memory: Memory, me: object = None) -> str:
    """Who said it: a member, a name without a member, else the person who wrote it."""
    said = attribution_of(memory)
    if said.writer.is_service:
        return ""
    return person_name(said.person, me) or marked_name(said.document or said.name)


def reworder_name(memory: Memory, me: object) -> str:
    """Who wrote the present wording, if not the speaker."""
    if memory.reworded_by_robot:
        told = memory.told(memory.reworded_by_robot)
        return told.name if told else inline_name(gettext(HIDDEN_ROBOT_NAME))
    return inline_name(person_name(memory.reworded_by, me))


def voice_name(memory: Memory, me: object) -> str:
    """Whose words it gives now, in few words: who said it, else the robot that wrote it, and who
    reworded it since."""
    who = speaker_name(memory, me) or writer_robot_name(memory) or gettext("Somebody")
    editor = reworder_name(memory, me)
    return (
        gettext("%(who)s, reworded by %(editor)s") % {"who": who, "editor": editor}
        if editor
        else who
    )


def origin_sentence(memory: Memory, me: object) -> str:
    """How it got here and whose words it gives, in a sentence or two."""
    editor = reworder_name(memory, me)
    whose = (
        gettext("yours")
        if editor == pgettext("by", "you")
        else gettext("%(name)s’s") % {"name": editor}
    )
    return _source_sentence(memory, me) + (
        gettext(" The words are now %(whose)s.") % {"whose": whose} if editor else ""
    )


def _source_sentence(memory: Memory, me: object) -> str:
    at = day(memory_time(memory)) + (
        gettext(" in %(name)s") % {"name": memory.place.name} if memory.place else ""
    )
    if is_derived_by_product(memory):
        return gettext(
            "Commonmind worked this out on %(at)s from what was said in several groups."
        ) % {"at": at}
    if memory.author_id:
        return _written_sentence(memory, me, at)
    if memory.robot.builtin == IMPORT:
        who = speaker_name(memory, me)
        said = (
            gettext("%(who)s said this on %(at)s; it") % {"who": who, "at": at}
            if who
            else gettext("It")
        )
        return gettext("%(said)s was imported on %(created_at)s.") % {
            "said": said,
            "created_at": day(memory.created_at),
        }
    return _robot_sentence(memory, me, at)


def _written_sentence(memory: Memory, me: object, at: str) -> str:
    """By a person: in their own words, or in another's."""
    if document := document_label(memory):
        return gettext("%(who)s imported this on %(at)s from %(document)s.") % {
            "who": person_name(memory.author, me),
            "at": at,
            "document": marked_name(document),
        }
    wrote = gettext("%(author)s wrote this down on %(at)s") % {
        "author": person_name(memory.author, me),
        "at": at,
    }
    if not memory.speaker or memory.speaker_member_id == memory.author_id:
        return f"{wrote}."
    who = speaker_name(memory, me)
    if who == gettext("You"):
        return gettext("%(wrote)s, as your words.") % {"wrote": wrote}
    return gettext("%(wrote)s, as %(who)s’s words.") % {"wrote": wrote, "who": who}


def _robot_sentence(memory: Memory, me: object, at: str) -> str:
    """By a robot: what a member said, what it says that somebody said, what it learned."""
    who, robot = speaker_name(memory, me), writer_robot_name(memory) or gettext("Somebody")
    if document := document_label(memory):
        return gettext("%(who)s imported this on %(at)s from %(document)s.") % {
            "who": robot,
            "at": at,
            "document": marked_name(document),
        }
    if me and memory.robot.owner_id == me:
        robot = gettext("Your robot")
    if memory.speaker_member_id:
        by = gettext("your robot") if robot == gettext("Your robot") else robot
        return gettext("%(who)s said this on %(at)s, and %(by)s remembered it.") % {
            "who": who,
            "at": at,
            "by": by,
        }
    if memory.speaker:
        return gettext(
            "%(robot)s wrote this down on %(at)s as the words of %(who)s, a name that no "
            "member here stands behind."
        ) % {"robot": robot, "at": at, "who": who}
    return gettext("%(robot)s learned this on %(at)s.") % {"robot": robot, "at": at}
