"""The order of audiences from the nearest to the farthest. Of equal texts the nearest is served.
Pure."""

from orgs.cohort_types import GLOBAL_LEVEL

# From the reader's own audience outwards.
TYPES_NEAREST_FIRST = (
    "member", "robot", "explicit", "review", "persona", "role", "industry", "team", "group",
    "organisation", GLOBAL_LEVEL,
)  # fmt: skip
_RANK_BY_TYPE = {kind: place for place, kind in enumerate(TYPES_NEAREST_FIRST)}


def audience_rank(kind: str) -> int:
    """The place of an audience kind or `audience_level`, 0 for the nearest; an unknown one is the
    farthest."""
    return _RANK_BY_TYPE.get(kind, len(TYPES_NEAREST_FIRST))
