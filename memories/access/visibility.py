"""Who may write what for which readers, as pure rules over roles and visibilities.

What is read the database decides, by the audiences of `orgs.principals`. These rules say for whom a
new memory is meant, and whether its writer may write for them. They use no row and no clock.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from orgs.cohort_types import COHORT_TYPES

PUBLISHER_ROLES = ("admin", "curator")


class Visibility(StrEnum):
    INTERNAL = "internal"
    TEAM = "team"
    PRIVATE = "private"
    PROTECTED = "protected"
    SHARED = "shared"
    GROUP = "group"
    ORGANISATION = "organisation"
    PERSONA = "persona"
    INDUSTRY = "industry"
    ROLE = "role"


ALIASES = {"public": Visibility.GROUP, "organization": Visibility.ORGANISATION}
# The kinds of audiences behind each visibility, for searches.
_AUDIENCE_TYPES = {
    "internal": "robot",
    "private": "member",
    "protected": "explicit",
    "shared": "explicit",
    "group": "group",
    "public": "group",
    "organisation": "organisation",
    "team": "team",
    "persona": "persona",
    "industry": "industry",
    "role": "role",
}
SEARCHABLE_VISIBILITIES = tuple(_AUDIENCE_TYPES)
TEAM_PREFIX = "team:"
# Audiences of a profession: the people of a persona, or of all personas of an industry or a role.
COHORTS = tuple(map(Visibility, COHORT_TYPES))
# These name their persona, industry, role or team after a colon.
_PREFIXED = (Visibility.TEAM, *COHORTS)
VISIBILITY_NAMES = (
    *(v.value for v in Visibility if v not in _PREFIXED),
    *ALIASES,
    f"{TEAM_PREFIX}<id>",
    "persona:<handle>",
    "industry:<name>",
    "role:<name>",
)
# Notes among robots: no person reads them.
ROBOT_ONLY = (Visibility.INTERNAL, Visibility.TEAM)

TEAM_NOTE_DENIED = (
    "A member does not reach the notes of a team, so what is about a member or said by one is not "
    "kept there."
)
COHORT_NAMES_DENIED = (
    "What is kept for a persona, an industry or a role names nobody: leave group, speaker, "
    "listeners and conversation out."
)


class MemoryRequestError(ValueError):
    """The wanted visibility does not fit; the message says why."""


class WriteAccess(StrEnum):
    """Whether a wish to write is granted, becomes a proposal, or is refused."""

    YES = "yes"
    PROPOSE = "propose"
    NO = "no"


def default_visibility(*, group: bool, member: bool) -> Visibility:
    """The visibility where none is given: with a group its readers, with a member that member
    alone, with neither everyone."""
    if group:
        return Visibility.GROUP
    return Visibility.PRIVATE if member else Visibility.ORGANISATION


def audience_types(names: Iterable[str], *, member: bool) -> tuple[str, ...]:
    """The kinds of audiences that these visibilities mean, each once.

    member: whether a member asks, or a robot for one; without one, private means the robot's own
    notes. Raises ValueError for a name that is not in LOOKED_FOR.
    """
    found = []
    for name in names:
        if name not in _AUDIENCE_TYPES:
            raise ValueError(f"Unknown visibility; one of {', '.join(SEARCHABLE_VISIBILITIES)}.")
        found.append("robot" if name == "private" and not member else _AUDIENCE_TYPES[name])
    return tuple(dict.fromkeys(found))


def check_team_note(visibility: Visibility, *, member: bool) -> None:
    """Raise MemoryRequestError if a note of a team would be about a member, or said by one.

    member: whether the robot acts for a member or a member speaks. No person reads such a note, so
    the member could neither see nor forget it.
    """
    if visibility is Visibility.TEAM and member:
        raise MemoryRequestError(TEAM_NOTE_DENIED)


def check_cohort_memory(visibility: Visibility, *, names_somebody: bool) -> None:
    """Raise MemoryRequestError if a memory for a profession names a speaker, listeners, a group or
    a conversation.

    names_somebody: whether any of these is given.
    """
    if visibility in COHORTS and names_somebody:
        raise MemoryRequestError(COHORT_NAMES_DENIED)


def parse_team_visibility(wish: str | None) -> str | None:
    """The reference in `team:<id>`, or None for any other wish."""
    if wish is None or not wish.startswith(TEAM_PREFIX):
        return None
    return wish.removeprefix(TEAM_PREFIX) or None


def parse_cohort_visibility(wish: str | None) -> tuple[Visibility, str] | None:
    """(persona, industry or role, which one) of a wish such as `persona:<handle>`, or None."""
    mark, colon, reference = (wish or "").partition(":")
    if not colon or not reference or mark not in COHORTS:
        return None
    return Visibility(mark), reference


def effective_visibility(
    wish: str | None, *, group: bool, member: bool, person: bool
) -> Visibility:
    """The visibility that a wish means; None means the default. Raises MemoryRequestError if it
    makes no sense.

    private without a member means the robot's own notes; internal and team:<id> are for robots
    alone.
    """
    if wish is None:
        return default_visibility(group=group, member=member)
    chosen = _parse_visibility(wish)
    if chosen is Visibility.GROUP and not group:
        raise MemoryRequestError(missing_group_text(wish))
    if chosen is Visibility.PRIVATE and not member:
        return Visibility.INTERNAL
    if chosen in ROBOT_ONLY and person:
        raise MemoryRequestError("Such notes belong to robots; choose private.")
    return chosen


def missing_group_text(wish: str) -> str:
    """Why `group` or its alias `public` is refused without a group."""
    if wish in ALIASES:
        return (
            f"Visibility {wish} means those who read a group, so it needs a group. "
            "For everyone say organisation."
        )
    return "Visibility group needs a group."


def _parse_visibility(wish: str) -> Visibility:
    if parse_team_visibility(wish):
        return Visibility.TEAM
    if cohort := parse_cohort_visibility(wish):
        return cohort[0]
    if wish not in _PREFIXED and wish in (*Visibility, *ALIASES):
        return ALIASES.get(wish) or Visibility(wish)
    raise MemoryRequestError(f"Unknown visibility; one of {', '.join(VISIBILITY_NAMES)}.")


def write_access(
    role: str,
    visibility: Visibility,
    *,
    in_group: bool = False,
    confidential: bool = True,
    members_publish: bool = False,
) -> WriteAccess:
    """Whether a person with this role may write a new row of this visibility.

    Viewers only read. Members write private memories, write in the groups that they read, and
    propose to the organisation (or publish, if it has `members_publish`). Admins and curators write
    shared knowledge. For a persona, an industry or a role only they and robots write.
    """
    if role == "viewer" or visibility in ROBOT_ONLY:
        return WriteAccess.NO
    if visibility in COHORTS:
        return WriteAccess.YES if role in PUBLISHER_ROLES else WriteAccess.NO
    if visibility is Visibility.ORGANISATION:
        return (
            WriteAccess.YES if role in PUBLISHER_ROLES or members_publish else WriteAccess.PROPOSE
        )
    if visibility is Visibility.GROUP:
        # Who reads a group writes in it.
        reads = in_group or (role in PUBLISHER_ROLES and not confidential)
        return WriteAccess.YES if reads else WriteAccess.NO
    return WriteAccess.YES


def proposes_to_everyone(role: str | None, *, members_publish: bool) -> bool:
    """Whether what a person writes for the whole organisation waits for a curator."""
    access = write_access(
        role or "viewer", Visibility.ORGANISATION, members_publish=members_publish
    )
    return access is WriteAccess.PROPOSE


@dataclass(frozen=True, slots=True)
class KindInputs:
    """The facts from which the kind of a memory is derived."""

    visibility: Visibility
    group: bool
    member: bool
    listeners: bool


def derive_kind(place: KindInputs) -> str:
    """The kind of a memory: direct, group, user, interaction, organisation or internal."""
    if place.visibility in ROBOT_ONLY:
        return "internal"
    if place.group:
        if not place.member:
            return "group"
        return "interaction" if place.listeners else "user"
    if place.visibility is Visibility.ORGANISATION and not place.member:
        return "organisation"
    if place.visibility in (Visibility.SHARED, *COHORTS) and not place.member:
        return "organisation"
    return "direct"


def check_kind(kind: str, *, group: bool, member: bool) -> None:
    """Raise MemoryRequestError if the kind that a caller gives contradicts its group and member.

    group: a group and no member; user and interaction: both; direct: no group.
    """
    fits = {
        "group": group and not member,
        "user": group and member,
        "interaction": group and member,
        "direct": not group,
    }.get(kind, True)
    if not fits:
        need = {
            "group": "a group and no member",
            "user": "a group and a member",
            "interaction": "a group and a member",
            "direct": "no group",
        }[kind]
        raise MemoryRequestError(f"Kind {kind} needs {need}.")
