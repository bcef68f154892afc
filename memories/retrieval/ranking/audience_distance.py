"""The order of audiences from the nearest to the farthest. Of equal texts the nearest is served.
Pure."""

# From the reader's own audience outwards.
NEAREST = (
    "member", "robot", "explicit", "review", "persona", "role", "industry", "team", "group",
    "organisation",
)  # fmt: skip
_PLACES = {kind: place for place, kind in enumerate(NEAREST)}


def nearness(kind: str) -> int:
    """The place of an audience kind, 0 for the nearest; an unknown one is the farthest."""
    return _PLACES.get(kind, len(NEAREST))
