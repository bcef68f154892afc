"""Audiences of personas, industries and roles, which the app of personas knows.

It registers how they are found, so that nothing below it names its tables.
"""

from collections.abc import Callable
from uuid import UUID

from memories.access.visibility import Visibility
from orgs.errors import NotFound
from orgs.principals import Principal

# finder(who writes, persona, industry or role, which one) -> id of the audience. It raises NotFound
# for what the asker does not read, and SharingOff; call inside the organisation's scope.
Finder = Callable[[Principal, Visibility, str], UUID]
_finders: list[Finder] = []


def finds_cohorts(finder: Finder) -> Finder:
    """Register what knows these audiences."""
    _finders.append(finder)
    return finder


def cohort_audience(principal: Principal, visibility: Visibility, reference: str) -> UUID:
    """The audience that the asker may write for. Raises NotFound and SharingOff."""
    for finder in _finders:
        return finder(principal, visibility, reference)
    raise NotFound("no such persona")
