"""Which writes a gate looks at, and for what. Pure.

The audience decides most of it: what all of a profession reads is always looked at, what one person
reads alone never. Words that a person gives their own colleagues are theirs to choose; what a robot
writes for others is not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from memories.safety.findings import SECRETS, Personal

COHORTS = frozenset({"persona", "industry", "role"})
SHARED = frozenset({"organisation", "group", "team", "explicit"})
EVERYTHING = frozenset(Personal)


class WhenPersonal(StrEnum):
    """When the texts of robots are looked at for what is personal; a setting of the organisation.

    Audiences of a persona, an industry or a role are always looked at, and secrets in whatever
    others read.
    """

    ABOUT_SOMEBODY = "about_somebody"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A text on its way to its readers.

    audience: its kind. by_robot: the words are a robot's. about_somebody: it is about a member, or
    a robot acts for one. own_words: a member's own words to a group that they are in. alone: only
    the member whom it is about reads there, or only the robot that wrote it for one member.
    strict: it is for a text that may hold nothing personal, whoever reads that (a shared block, a
    profile).
    """

    audience: str
    by_robot: bool
    about_somebody: bool = False
    own_words: bool = False
    alone: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class LookedFor:
    """personal: the kinds that may not stand there; poison: whether it is looked for."""

    personal: frozenset[Personal] = frozenset()
    poison: bool = False

    def __bool__(self) -> bool:
        return bool(self.personal) or self.poison


def looked_for(given: Submission, when: WhenPersonal = WhenPersonal.ABOUT_SOMEBODY) -> LookedFor:
    """What the gates look for in a text."""
    return LookedFor(_personal(given, when), _poison(given))


def _personal(given: Submission, when: WhenPersonal) -> frozenset[Personal]:
    if given.strict or given.audience in COHORTS:
        return EVERYTHING
    if not given.by_robot or given.alone or given.audience not in SHARED:
        return frozenset()
    if when is WhenPersonal.ALWAYS or (given.about_somebody and not given.own_words):
        return EVERYTHING
    return SECRETS


def _poison(given: Submission) -> bool:
    """A robot's own notes count as read by others: it answers more than one member from them."""
    if not given.by_robot:
        return False
    return given.strict or (not given.alone and given.audience in SHARED | COHORTS | {"robot"})


def strings_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names of fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from strings_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from strings_in(one)
