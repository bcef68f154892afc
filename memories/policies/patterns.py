"""What holds of a member beyond one group: expertise, language, time zone, preferences. Pure.

A pattern's value is a label that its writer chose (topic or tag) or a word of a closed list (a
language, a time zone); never the words of a memory. So a cross-group memory says nothing that was
said in a group.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from uuid import UUID

from memories.policies.budget import A_TEXT
from memories.policies.consolidation import normalised

MOST_WORDS, MOST_CHARACTERS = 4, 60
LEAST_GROUPS = 2
# How much one piece of evidence at full confidence is worth.
WORTH = 0.5

LANGUAGES = (
    "Arabic", "Bengali", "Bulgarian", "Chinese", "Croatian", "Czech", "Danish", "Dutch", "English",
    "Estonian", "Finnish", "French", "German", "Greek", "Hebrew", "Hindi", "Hungarian",
    "Indonesian", "Irish", "Italian", "Japanese", "Korean", "Latvian", "Lithuanian", "Mandarin",
    "Norwegian", "Persian", "Polish", "Portuguese", "Romanian", "Russian", "Serbian", "Slovak",
    "Slovenian", "Spanish", "Swahili", "Swedish", "Tamil", "Thai", "Turkish", "Ukrainian", "Urdu",
    "Vietnamese",
)  # fmt: skip
_LANGUAGE = re.compile(rf"\b({'|'.join(LANGUAGES)})\b", re.IGNORECASE)
_SPEAKS = re.compile(
    r"\b(?:speaks?|native|mother tongue|language"
    r"|(?:answers?|writes?|replies|reply|talks?) (?:\w+ )?in)\b",
    re.IGNORECASE,
)
_ZONE = re.compile(
    r"\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)"
    r"(?:/[A-Z][A-Za-z_-]{2,30}){1,2}"
)
_LIVES = re.compile(
    r"\b(?:time ?zone|live[sd]?|based|located|sits?|stays?|works?|working|i am|i'm|is) ",
    re.IGNORECASE,
)
_OFFSET = re.compile(r"\b(?:UTC|GMT) ?([+-]) ?(\d{1,2})(?::?(\d{2}))?\b")


class PatternKind(StrEnum):
    EXPERTISE = "expertise"
    LANGUAGE = "language"
    TIME_ZONE = "time_zone"
    PREFERENCE = "preference"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One thing that may hold of a member everywhere."""

    kind: PatternKind
    value: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory from which a pattern is taken, in the group where it lies."""

    memory_id: UUID
    group_id: UUID
    audience_id: UUID
    kind: str
    confidence: float


def patterns(
    *, content: str, type_: str, category: str, topic: str, tags: Sequence[str]
) -> set[Pattern]:
    """What a memory shows of its member; expertise and preferences need a label."""
    content = content[:A_TEXT]
    found = {Pattern(PatternKind.TIME_ZONE, zone) for zone in _time_zones(content)}
    if _SPEAKS.search(content):
        languages = {word.capitalize() for word in _LANGUAGE.findall(content)}
        found |= {Pattern(PatternKind.LANGUAGE, language) for language in languages}
    label = _label(content, topic, tags)
    if label and type_ == "expertise":
        found.add(Pattern(PatternKind.EXPERTISE, label))
    elif label and "preference" in (type_, category) and not found:
        found.add(Pattern(PatternKind.PREFERENCE, label))
    return found


def _label(content: str, topic: str, tags: Sequence[str]) -> str:
    """The topic, else the first tag, as labels are compared; one that is a text is none."""
    for given in (topic, *tags):
        label = normalised(given)
        short = len(label) <= MOST_CHARACTERS and len(label.split()) <= MOST_WORDS
        if label and short and label != normalised(content):
            return label
    return ""


def _time_zones(content: str) -> set[str]:
    if not _LIVES.search(content):
        return set()
    named = set(_ZONE.findall(content))
    offsets = {
        f"UTC{sign}{int(hours):02}:{minutes or '00'}"
        for sign, hours, minutes in _OFFSET.findall(content)
        if int(hours) <= 14
    }
    return named | offsets


def holds(evidence: Iterable[Evidence]) -> bool:
    """Whether a pattern was seen in so many groups that it is the member's, not the group's."""
    return len({one.group_id for one in evidence}) >= LEAST_GROUPS


def confidence(evidence: Iterable[Evidence]) -> float:
    """1 - product of (1 - WORTH x confidence), in 0-1: each piece leaves less doubt."""
    return 1.0 - prod(1.0 - WORTH * one.confidence for one in evidence)


def sentence(name: str, pattern: Pattern) -> str:
    """What a cross-group memory says."""
    match pattern.kind:
        case PatternKind.EXPERTISE:
            return f"{name} knows about {pattern.value}."
        case PatternKind.LANGUAGE:
            return f"{name} speaks {pattern.value}."
        case PatternKind.TIME_ZONE:
            return f"{name} is in the time zone {pattern.value}."
        case _:
            return f"{name} has a preference that holds everywhere: {pattern.value}."
