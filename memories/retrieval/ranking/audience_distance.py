"""Which of several equal texts is served: the one of the nearest audience. Pure."""

# From the reader's own outwards.
NEAREST = (
    "member", "robot", "explicit", "review", "persona", "role", "industry", "team", "group",
    "organisation",
)  # fmt: skip
_PLACES = {kind: place for place, kind in enumerate(NEAREST)}


def nearness(kind: str) -> int:
    """The place of an audience kind, 0 for the nearest; an unknown one is the farthest."""
    return _PLACES.get(kind, len(NEAREST))
