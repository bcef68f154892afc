"""Whether a robot, group or member may have a name: readable, not kept, like no other.

What a name is compared with is what its giver may know of. A hidden name collides with nothing, so
that nobody learns of it by trying.
"""

from collections.abc import Iterable

from orgs.errors import LikeAnother, UnfitName
from orgs.names.lookalikes import alike, fault_of

# Words that pages and answers use in the place of a name.
_NOT_A_NAME = ("You", "Everyone", "Somebody", "Support staff")
ROBOTS_KEEP = (*_NOT_A_NAME, "web", "import", "actor")
MEMBERS_KEEP = (*_NOT_A_NAME, "Only you")
GROUPS_KEEP = (*_NOT_A_NAME, "Only you", "Some people", "A group", "Waiting for review")
TEAMS_KEEP = (*_NOT_A_NAME, "Some people", "A team")
KEPT = "The name {name!r} is kept for the product itself. Choose another."
TAKEN = "The name could be taken for {name!r}, which is here already. Choose another."


def check_name(name: str, *, kept: Iterable[str], others: Iterable[str]) -> None:
    """Raises UnfitName, and LikeAnother with the one of the others that it collides with.

    Call it with others of the same kind that the asker may know, while nobody else gives a name of
    that kind (`orgs.database.advisory_locks.take_turns`).
    """
    if fault := fault_of(name):
        raise UnfitName(f"Nobody can read this name for sure. {fault}")
    if word := alike(name, kept):
        raise UnfitName(KEPT.format(name=word))
    if twin := alike(name, others):
        raise LikeAnother(TAKEN.format(name=twin))
