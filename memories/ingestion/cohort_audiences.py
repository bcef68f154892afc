"""Audiences of personas, industries and roles.

The app of personas registers a finder, so that no lower app uses its tables.
"""

from collections.abc import Callable
from uuid import UUID

from memories.access.visibility import Visibility
from orgs.errors import NotFoundError
from orgs.principals import Principal

# finder(writer, kind of cohort, which one) -> id of the audience. Raises NotFoundError for one that
# the asker does not read, and SharingOff. Called inside the organisation's scope.
CohortAudienceFinder = Callable[[Principal, Visibility, str], UUID]
_finders: list[CohortAudienceFinder] = []


def register_cohort_audience_finder(finder: CohortAudienceFinder) -> CohortAudienceFinder:
    """Register the finder of these audiences."""
    _finders.append(finder)
    return finder


def get_cohort_audience(principal: Principal, visibility: Visibility, reference: str) -> UUID:
    """The id of a cohort's audience for which the asker may write. Raises NotFoundError and
    SharingOptOutError."""
    for finder in _finders:
        return finder(principal, visibility, reference)
    raise NotFoundError("no such persona")
