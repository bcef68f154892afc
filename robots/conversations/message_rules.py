"""What a message is and who may read it, by its words and whom it addresses. Pure.

profile open: the whole group reads what is posted in it. profile strict: the group reads
announcements and expertise. Everything else is read by its sender and by the members whom it
addresses; by its sender alone if it addresses a robot.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from robots.conversations.chatter import count_informative_words, is_chatter

OPEN, STRICT = "open", "strict"
TITLE_WORDS = 4
# A `reason`: the message could instruct a robot, so people see it and robots do not.
QUARANTINED = "quarantined"
# A `reason`: the message says nothing beside courtesies.
CHATTER = "chatter"

_ANNOUNCEMENT = re.compile(
    r"^\s*\W{0,3}(?:announcement|attention|heads[ -]up|psa|fyi (?:all|everyone)|please note"
    r"|important|reminder)\b|(?<!\w)@(?:all|everyone|here|channel|room|group)\b",
    re.IGNORECASE,
)
_EXPERTISE = re.compile(
    r"\bi(?:'m| am| have been|'ve been) (?:an? |the |our )?(?:\w+ ){0,2}?"
    r"(?:expert|specialist|maintainer|lead|responsible for)\b"
    r"|\bi (?:specialise|specialize) in\b|\bmy (?:speciality|specialty|expertise|field) is\b"
    r"|\bi know (?:a lot|everything|quite a bit|all) about\b|\bi(?:'m| am) (?:very )?experienced\b"
    r"|\bi(?:'ve| have) (?:worked (?:with|on)|used|maintained) .{1,60}? for (?:\w+ ){1,3}?years?\b"
    r"|\b(?:\w+ )?years of experience\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\bi(?:'d| would)? (?:really |much |always |usually )?"
    r"(?:prefer|rather|like .{1,60}? (?:better|more|best)|dislike|hate|love|can't stand)\b"
    r"|\bmy favou?rite\b|\bcall me \w|\bi never (?:eat|drink|use|work)\b",
    re.IGNORECASE,
)


class MessageReach(StrEnum):
    """Who reads a message: all of its conversation, its sender, or the sender and the addressed."""

    CONVERSATION = "conversation"
    SENDER = "sender"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class MessageFacts:
    """A message as the rules see it.

    known: its speaker is a member of the group. to_members, to_robot: whom it addresses.
    """

    text: str
    role: str = "user"
    known: bool = False
    to_members: bool = False
    to_robot: bool = False


@dataclass(frozen=True, slots=True)
class MessageClassification:
    """type and kind as a memory of it has them; reason: why it stays a message, or empty."""

    type: str
    kind: str
    reach: MessageReach
    reason: str


def message_type(said: MessageFacts) -> str:
    """The type: announcement, expertise, preference, interaction or conversation."""
    text = said.text[:2_000]
    if _ANNOUNCEMENT.search(text):
        return "announcement"
    if _EXPERTISE.search(text):
        return "expertise"
    if _PREFERENCE.search(text):
        return "preference"
    return "interaction" if said.to_members else "conversation"


def classify_message(said: MessageFacts, profile: str) -> MessageClassification:
    """The verdict on a message that is posted in a group. profile: OPEN or STRICT."""
    type_ = message_type(said)
    reason = ""
    if said.role == "system":
        reason = "system"
    elif (
        not count_informative_words(said.text) if type_ == "announcement" else is_chatter(said.text)
    ):
        reason = CHATTER
    return MessageClassification(type_, _kind(said, type_), _reach(said, type_, profile), reason)


def _kind(said: MessageFacts, type_: str) -> str:
    if type_ == "announcement" or not said.known:
        return "group"
    return "interaction" if said.to_members else "user"


def _reach(said: MessageFacts, type_: str, profile: str) -> MessageReach:
    if profile != STRICT or type_ in ("announcement", "expertise"):
        return MessageReach.CONVERSATION
    if said.to_robot:
        return MessageReach.SENDER
    return MessageReach.BOTH if said.to_members else MessageReach.SENDER


def build_title(text: str, at: str) -> str:
    """A conversation's title: the first four words, and `at` (dd-mm:HH:MM)."""
    words = " ".join(text[:2_000].split()[:TITLE_WORDS])[:180]
    return f"{words} {at}"
