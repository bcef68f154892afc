"""Why somebody reads a memory, in a few words that follow their name."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext

from memories.access.audience_summary import AudienceReader
from orgs.models.audiences import AudienceType

# A reason names at most this many groups and teams.
_MAX_NAMES = 3


@dataclass(frozen=True, slots=True)
class MemoryParticipants:
    """Who took part in a memory, by id. For a list of readers this is the reason why they read it.

    wrote: who wrote it, as far as the asker may know; said: its speaker; about: its subject; heard:
    its listeners.
    """

    wrote: frozenset[UUID] = frozenset()
    said: UUID | None = None
    about: UUID | None = None
    heard: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class AudienceNames:
    """The names of an audience: its organisation, groups and teams that the asker knows, and its
    persona, industry or role."""

    kind: str
    organisation: str
    groups: Sequence[str] = ()
    teams: Sequence[str] = ()
    cohort: str = ""


def reason_text(reader: AudienceReader, place: AudienceNames, part: MemoryParticipants) -> str:
    """The reason in words: "in Design", "wrote it", "with your leave, when it works for you"."""
    mine, reason = reader.mine, reader.reason
    simple = {
        "everyone": gettext("in %(organisation)s") % {"organisation": place.organisation},
        "own": gettext("it is yours") if mine else gettext("it is theirs"),
        "curates": "curate" if mine else "curates",
        "through": _group_reason(
            [
                *place.groups,
                *(gettext("the team %(name)s") % {"name": name} for name in place.teams),
            ]
        ),
    }
    if reason in simple:
        return simple[reason]
    if reason == "named":
        return _named_reader_reason(reader, part)
    return _membership_reason(reader, place) if reason == "seat" else _acting_robot_reason(reader)


def _named_reader_reason(reader: AudienceReader, part: MemoryParticipants) -> str:
    you = reader.mine and reader.what == "person"
    if reader.id in part.wrote:
        return gettext("wrote it")
    if reader.id == part.said:
        return gettext("said it")
    if reader.id == part.about:
        return gettext("it is about you") if you else gettext("it is about them")
    if reader.id in part.heard:
        return gettext("heard it")
    return gettext("named as a reader")


def _group_reason(names: Sequence[str]) -> str:
    if not names or len(names) > _MAX_NAMES:
        return gettext("in a group or team that is named as a reader")
    return gettext("in %(names)s") % {"names": gettext(" or ").join(names)}


def _membership_reason(reader: AudienceReader, place: AudienceNames) -> str:
    if place.kind == AudienceType.TEAM:
        return _group_reason(
            [gettext("the team %(name)s") % {"name": name} for name in place.teams]
        )
    if place.kind == AudienceType.GROUP:
        return _group_reason(place.groups)
    if reader.what == "robot":
        return gettext("your own robot") if reader.mine else gettext("the robot of one of them")
    return (
        gettext("of %(cohort)s") % {"cohort": place.cohort}
        if place.cohort
        else gettext("has the persona")
    )


def _acting_robot_reason(reader: AudienceReader) -> str:
    """The reason of a helper, which reads only on behalf of one of the people."""
    whom = gettext("you") if reader.mine else gettext("one of them")
    match reader.reason:
        case "serves":
            return (
                gettext("when it works for you, as your own robot")
                if reader.mine
                else gettext("when it works for one of them, as their own robot")
            )
        case "told":
            return gettext("when it works for %(whom)s, who talked to it") % {"whom": whom}
        case "leave":
            return (
                gettext("when it works for you, with your leave")
                if reader.mine
                else gettext("when it works for one of them, with their leave")
            )
    return gettext("when it works for %(whom)s in the group where this was said") % {"whom": whom}
