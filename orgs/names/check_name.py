"""Whether a robot, team, group or member may have a name: readable, not reserved, like no other.

A name is compared only with names that the caller may know. It does not collide with a hidden name,
so nobody learns of one by trying.
"""

from collections.abc import Iterable

from orgs.errors import LikeAnother, UnfitName
from orgs.names.lookalikes import alike, fault_of

# Words that pages and answers use instead of a name.
_NOT_A_NAME = ("You", "Everyone", "Somebody", "Support staff")
ROBOTS_KEEP = (*_NOT_A_NAME, "web", "import", "actor")
MEMBERS_KEEP = (*_NOT_A_NAME, "Only you")
GROUPS_KEEP = (*_NOT_A_NAME, "Only you", "Some people", "A group", "Waiting for review")
TEAMS_KEEP = (*_NOT_A_NAME, "Some people", "A team")
KEPT = "The name {name!r} is kept for the product itself. Choose another."
TAKEN = "The name could be taken for {name!r}, which is here already. Choose another."


def check_name(name: str, *, kept: Iterable[str], others: Iterable[str]) -> None:
    """Check a name. kept: reserved words. others: names of the same kind that the asker may know.

    Raises UnfitName for an unreadable or reserved name, and LikeAnother with the name that it could
    be taken for. Hold the lock of that kind of name (`orgs.database.advisory_locks.take_turns`).
    """
    if fault := fault_of(name):
        raise UnfitName(f"Nobody can read this name for sure. {fault}")
    if word := alike(name, kept):
        raise UnfitName(KEPT.format(name=word))
    if twin := alike(name, others):
        raise LikeAnother(TAKEN.format(name=twin))
