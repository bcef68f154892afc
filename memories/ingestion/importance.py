"""The default importance of a memory; all numbers in 0-1."""

import re

BY_TYPE = {"announcement": 0.9, "expertise": 0.8}
BY_CATEGORY = {
    "preference": 0.8,
    "fact": 0.7,
    "relationship": 0.7,
    "decision": 0.6,
    "reminder": 0.6,
    "event": 0.5,
    "sentiment": 0.4,
}
ROBOT_MENTION = 0.7
DEFAULT_IMPORTANCE = 0.5


def default_importance(*, type: str, category: str = "", mentions_robot: bool = False) -> float:
    """The first that applies: announcement .9, expertise .8, a robot is addressed .7, else by
    category."""
    if type in BY_TYPE:
        return BY_TYPE[type]
    if mentions_robot:
        return ROBOT_MENTION
    return BY_CATEGORY.get(category, DEFAULT_IMPORTANCE)


def mentions_name(name: str, text: str) -> bool:
    """Whether the text has @name, with the whole name, in any letter case."""
    return bool(re.search(rf"(?<![\w.])@{re.escape(name)}(?!\w|\.\w)", text, re.IGNORECASE))
