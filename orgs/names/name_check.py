"""Whether a robot, team, group or member may have a name: readable, not reserved, like no other.

A name is compared only with names that the caller may know. It does not collide with a hidden name,
so nobody learns of one by trying.
"""

from collections.abc import Iterable

from orgs.errors import InvalidNameError, LookalikeNameError
from orgs.names.lookalikes import find_lookalike, name_fault

# Words that pages and answers use instead of a name.
_DISPLAY_WORDS = ("You", "Everyone", "Somebody", "Support staff")
RESERVED_ROBOT_NAMES = (*_DISPLAY_WORDS, "web", "import", "actor")
RESERVED_MEMBER_NAMES = (*_DISPLAY_WORDS, "Only you")
RESERVED_GROUP_NAMES = (*_DISPLAY_WORDS, "Only you", "Some people", "A group", "Waiting for review")
RESERVED_TEAM_NAMES = (*_DISPLAY_WORDS, "Some people", "A team")
RESERVED_MESSAGE = "The name {name!r} is kept for the product itself. Choose another."
LOOKALIKE_MESSAGE = "The name could be taken for {name!r}, which is here already. Choose another."


def check_name(name: str, *, kept: Iterable[str], others: Iterable[str]) -> None:
    """Check a name. kept: reserved words. others: names of the same kind that the asker may know.

    Raises InvalidNameError for an unreadable or reserved name, and LookalikeNameError with the name
    that it could be taken for. Hold the lock of that kind of name
    (`orgs.database.advisory_locks.acquire_advisory_lock`).
    """
    if fault := name_fault(name):
        raise InvalidNameError(f"Nobody can read this name for sure. {fault}")
    if word := find_lookalike(name, kept):
        raise InvalidNameError(RESERVED_MESSAGE.format(name=word))
    if twin := find_lookalike(name, others):
        raise LookalikeNameError(LOOKALIKE_MESSAGE.format(name=twin))
