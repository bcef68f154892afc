"""Patterns of a member across groups: expertise, language, time zone, preferences. Pure.

A pattern's value is a label that its writer chose (topic or tag) and that is also in the memory's
text, or a word of a closed list (a language, a time zone). Each group must show it on its own, so a
cross-group memory has no word of a single group. Denials, wishes, questions and reports about
others are no evidence; doubtful cases count as such.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from uuid import UUID

from memories.knowledge_graph.expertise_signals import asks
from memories.language.similarity import normalised
from memories.language.terms import key_of

MOST_WORDS, MOST_CHARACTERS = 4, 60
# The characters of a text that are read.
LOOKED_THROUGH = 10_000
LEAST_GROUPS = 2
# The weight of one piece of evidence with confidence 1.
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
_DENIED = re.compile(
    r"n['’]t\b|\b(?:not|never|no|none|nobody|nothing|neither|nor|hardly|barely|scarcely|rarely"
    r"|seldom|cannot|(?:ca|do|does|did|wo|is|are|was)nt|without|little|few|zero|used to|formerly"
    r"|previously|once|any ?more|stopped|quit|gave up|forg[eo]t(?:s|ten)?|lost|lacks?|fail(?:s|ed)?"
    r"|unable|unfamiliar|refuses?|avoids?|hates?|dislikes?|instead of|rather than|except|far from"
    r"|wrong|untrue|false)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"['’](?:d|ll)\b|\b(?:if|unless|whether|would|could|should|might|(?-i:may)|maybe|perhaps"
    r"|possibly|probably|will|gonna|going to|wish(?:es|ed)?|hopes?|wants? to|wanted to|like to"
    r"|plans? to|learn(?:s|ed|t|ing)?|study(?:ing)?|tr(?:y|ies|ied|ying)|suppos(?:e|ed|ing)"
    r"|imagin(?:e|ed|ing)|pretend(?:s|ed|ing)?|assum(?:e|ed|ing)|until i|someday|one day|as though"
    r"|jok(?:e|ed|ing)|kidding|allegedly|apparently)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"[\"“”„«»]|(?<!\w)['\u2018](?=\w)|^\s*(?:>|\|)|\b(?:said|says|saying|told|tells|claim(?:s|ed)?"
    r"|ask(?:s|ed)|think(?:s)?|thought|believes?|believed|heard|quotes?|quoted|mentions|mentioned"
    r"|according to|reads)\b",
    re.IGNORECASE,
)
# Words for other people than the speaker or the member.
_OTHERS = re.compile(
    r"\b(?:wife|husband|partner|spouse|boyfriend|girlfriend|fianc[eé]e?|colleagues?|co-?workers?"
    r"|boss|manager|friends?|brothers?|sisters?|mother(?! tongue)|fathers?|mum|mom|dad|parents?"
    r"|sons?|daughters?|kids?|child(?:ren)?|uncle|aunt|cousins?|neighbou?rs?|teacher|doctor"
    r"|clients?|customers?|suppliers?|team|users?|people|every(?:one|body)|some(?:one|body)|you"
    r"|your)\b",
    re.IGNORECASE,
)
_SELF = re.compile(r"\b(?:I|my|me|mine|myself|we|our|us)\b", re.IGNORECASE)
_THIRD = re.compile(r"\b(?:he|she|they|him|them|his|her|their|speaks)\b", re.IGNORECASE)
_BIDS = re.compile(r"^\W*(?:please\W+)?(?:reply|answer|write|respond|talk|speak)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;]*|[.!?;]+")
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


# Kinds whose value is a label that somebody chose.
LABELLED = (PatternKind.EXPERTISE, PatternKind.PREFERENCE)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A fact that may be true of a member in every group."""

    kind: PatternKind
    value: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory that shows a pattern, with its group."""

    memory_id: UUID
    group_id: UUID
    audience_id: UUID
    kind: str
    confidence: float


def patterns(
    *,
    content: str,
    type_: str,
    category: str,
    topic: str,
    tags: Sequence[str],
    own_words: bool | None = None,
) -> set[Pattern]:
    """The patterns that a memory shows of its member; expertise and preferences need a label.

    own_words: True if the member said it, False if somebody else did, None without a speaker.
    """
    stated = [one for one in _SENTENCE.findall(content[:LOOKED_THROUGH]) if _states(one)]
    found: set[Pattern] = set()
    for sentence_ in stated:
        if _of_member(sentence_, own_words):
            zones, languages = _time_zones(sentence_), _languages(sentence_)
            found |= {Pattern(PatternKind.TIME_ZONE, zone) for zone in zones}
            found |= {Pattern(PatternKind.LANGUAGE, language) for language in languages}
    label = _label(content, stated, topic, tags)
    if label and type_ == "expertise":
        found.add(Pattern(PatternKind.EXPERTISE, label))
    elif label and "preference" in (type_, category) and not found:
        found.add(Pattern(PatternKind.PREFERENCE, label))
    return found


def _states(text: str) -> bool:
    """Whether a sentence states something, in its own words."""
    said_so = not (_DENIED.search(text) or _SUPPOSED.search(text) or _REPORTED.search(text))
    return said_so and not asks(text)


def _of_member(text: str, own_words: bool | None) -> bool:
    """Whether a sentence is only about the member, by its wording."""
    if _OTHERS.search(text):
        return False
    if own_words is None:
        return True
    if own_words:
        return bool(_SELF.search(text) or _BIDS.search(text)) and not _THIRD.search(text)
    return not (_SELF.search(text) or _BIDS.search(text))


def _languages(text: str) -> set[str]:
    if not _SPEAKS.search(text):
        return set()
    return {word.capitalize() for word in _LANGUAGE.findall(text)}


def _label(content: str, stated: Sequence[str], topic: str, tags: Sequence[str]) -> str:
    """The topic, else the first tag, in the form for comparing, if the text states something about
    it; else empty.

    A label that is a whole text is not used, and neither is one that the text does not have.
    """
    whole, has = normalised(content), {word for text in stated for word in _keys(text)}
    for given in (topic, *tags):
        label = normalised(given)
        short = len(label) <= MOST_CHARACTERS and len(label.split()) <= MOST_WORDS
        if label and short and label != whole and (words := _keys(label)) and words <= has:
            return label
    return ""


def _keys(text: str) -> set[str]:
    """The words of a text in the form for comparing."""
    return {key for word in normalised(text).split() if (key := key_of(word))}


def _time_zones(content: str) -> set[str]:
    if not _LIVES.search(content):
        return set()
    named = set(_ZONE.findall(content))
    offsets = {
        f"UTC{sign}{int(hours):02}:{minutes or '00'}"
        for sign, hours, minutes in _OFFSET.findall(content)
        if int(hours) <= 14 and minutes in ("", "00", "15", "30", "45")
    }
    return named | offsets


def holds(evidence: Iterable[Evidence]) -> bool:
    """Whether a pattern was seen in enough groups to count as the member's, not a group's."""
    return len({one.group_id for one in evidence}) >= LEAST_GROUPS


def confidence(evidence: Iterable[Evidence]) -> float:
    """1 - product of (1 - WORTH x confidence) over the evidence, in 0-1."""
    return 1.0 - prod(1.0 - WORTH * one.confidence for one in evidence)


def sentence(name: str, pattern: Pattern) -> str:
    """The text of a cross-group memory."""
    match pattern.kind:
        case PatternKind.EXPERTISE:
            return f"{name} knows about {pattern.value}."
        case PatternKind.LANGUAGE:
            return f"{name} speaks {pattern.value}."
        case PatternKind.TIME_ZONE:
            return f"{name} is in the time zone {pattern.value}."
        case _:
            return f"{name} has a preference that holds everywhere: {pattern.value}."
