"""Who may read and write what, as pure rules over roles and places.

The database decides what is read; these rules say where a new memory goes and whether the
writer may put it there. They know no row and no clock.
"""

from dataclasses import dataclass
from enum import StrEnum

READS_SHARED = ("admin", "curator", "member", "viewer")
PUBLISHES = ("admin", "curator")


class Visibility(StrEnum):
    INTERNAL = "internal"
    PRIVATE = "private"
    PROTECTED = "protected"
    SHARED = "shared"
    GROUP = "group"
    ORGANISATION = "organisation"


ALIASES = {"public": Visibility.GROUP}
NAMES = (*(v.value for v in Visibility), *ALIASES)


class Misplaced(ValueError):
    """The wish does not fit the place; the message says why."""


class Write(StrEnum):
    """What happens to a wish to write."""

    YES = "yes"
    PROPOSE = "propose"
    NO = "no"


def default_visibility(*, group: bool, member: bool) -> Visibility:
    """With a group its readers, with a member only that member, with neither everyone."""
    if group:
        return Visibility.GROUP
    return Visibility.PRIVATE if member else Visibility.ORGANISATION


def effective_visibility(
    wish: str | None, *, group: bool, member: bool, person: bool
) -> Visibility:
    """The visibility that is meant. Raises Misplaced where it makes no sense.

    private without a member means the robot's own notes; internal is for robots alone.
    """
    if wish is None:
        return default_visibility(group=group, member=member)
    try:
        chosen = ALIASES.get(wish) or Visibility(wish)
    except ValueError as error:
        raise Misplaced(f"Unknown visibility; one of {', '.join(NAMES)}.") from error
    if chosen is Visibility.GROUP and not group:
        raise Misplaced("Visibility group needs a group.")
    if chosen is Visibility.PRIVATE and not member:
        return Visibility.INTERNAL
    if chosen is Visibility.INTERNAL and person:
        raise Misplaced("Internal notes belong to robots; choose private.")
    return chosen


def can_read(
    role: str,
    visibility: Visibility,
    *,
    owner: bool = False,
    in_group: bool = False,
    confidential: bool = True,
) -> bool:
    """Whether a member with this role reads a row of this visibility.

    private: its owner alone. organisation: every role. group: those in it and, where it is not
    confidential, curators and admins. internal: no person. protected and shared are lists.
    """
    match visibility:
        case Visibility.ORGANISATION:
            return role in READS_SHARED
        case Visibility.GROUP:
            return in_group or (role in PUBLISHES and not confidential)
        case Visibility.PRIVATE | Visibility.PROTECTED | Visibility.SHARED:
            return owner
        case _:
            return False


def can_write(
    role: str,
    visibility: Visibility,
    *,
    in_group: bool = False,
    confidential: bool = True,
    members_publish: bool = False,
) -> Write:
    """Whether a person with this role may write a new row of this visibility.

    Viewers read. Members keep what is theirs, speak in their groups and propose to the
    organisation (or publish, where the organisation lets members). Admins and curators write
    shared knowledge.
    """
    if role == "viewer" or visibility is Visibility.INTERNAL:
        return Write.NO
    if visibility is Visibility.ORGANISATION:
        return Write.YES if role in PUBLISHES or members_publish else Write.PROPOSE
    if visibility is Visibility.GROUP:
        readable = can_read(role, visibility, in_group=in_group, confidential=confidential)
        return Write.YES if readable else Write.NO
    return Write.YES


def visible_organisations(memberships: dict[str, str]) -> set[str]:
    """The organisations of which a user reads the shared rows: organisation -> role."""
    return {organisation for organisation, role in memberships.items() if role in READS_SHARED}


@dataclass(frozen=True, slots=True)
class KindInputs:
    """What decides the kind of a memory."""

    visibility: Visibility
    group: bool
    member: bool
    listeners: bool


def derive_kind(place: KindInputs) -> str:
    """direct, group, user, interaction, organisation or internal."""
    if place.visibility is Visibility.INTERNAL:
        return "internal"
    if place.group:
        if not place.member:
            return "group"
        return "interaction" if place.listeners else "user"
    if place.visibility is Visibility.ORGANISATION and not place.member:
        return "organisation"
    if place.visibility is Visibility.SHARED and not place.member:
        return "organisation"
    return "direct"


def check_kind(kind: str, *, group: bool, member: bool) -> None:
    """Raise Misplaced where a kind that was asked for cannot be.

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
        raise Misplaced(f"Kind {kind} needs {need}.")
