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

from memories.knowledge_graph.expertise_signals import is_question
from memories.language.terms import term_key

MAX_LABEL_WORDS, MAX_LABEL_CHARACTERS = 4, 60
# The characters of a text that are read.
MAX_CHARACTERS_READ = 10_000
MIN_GROUPS = 2
# The weight of one piece of evidence with confidence 1.
EVIDENCE_WEIGHT = 0.5

LANGUAGES = (
    "Arabic", "Bengali", "Bulgarian", "Chinese", "Croatian", "Czech", "Danish", "Dutch", "English",
    "Estonian", "Finnish", "French", "German", "Greek", "Hebrew", "Hindi", "Hungarian",
    "Indonesian", "Irish", "Italian", "Japanese", "Korean", "Latvian", "Lithuanian", "Mandarin",
    "Norwegian", "Persian", "Polish", "Portuguese", "Romanian", "Russian", "Serbian", "Slovak",
    "Slovenian", "Spanish", "Swahili", "Swedish", "Tamil", "Thai", "Turkish", "Ukrainian", "Urdu",
    "Vietnamese",
)  # fmt: skip
_LANGUAGE = re.compile(rf"\b({'|'.join(LANGUAGES)})\b", re.IGNORECASE)
_LANGUAGE_CONTEXT = re.compile(
    r"\b(?:speaks?|native|mother tongue|language"
    r"|(?:answers?|writes?|replies|reply|talks?) (?:\w+ )?in)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"n['’]t\b|\b(?:not|never|no|none|nobody|nothing|neither|nor|hardly|barely|scarcely|rarely"
    r"|seldom|cannot|(?:ca|do|does|did|wo|is|are|was)nt|without|little|few|zero|used to|formerly"
    r"|previously|once|any ?more|stopped|quit|gave up|forg[eo]t(?:s|ten)?|lost|lacks?|fail(?:s|ed)?"
    r"|unable|unfamiliar|refuses?|avoids?|hates?|dislikes?|instead of|rather than|except|far from"
    r"|wrong|untrue|false)\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"['’](?:d|ll)\b|\b(?:if|unless|whether|would|could|should|might|(?-i:may)|maybe|perhaps"
    r"|possibly|probably|will|gonna|going to|wish(?:es|ed)?|hopes?|wants? to|wanted to|like to"
    r"|plans? to|learn(?:s|ed|t|ing)?|study(?:ing)?|tr(?:y|ies|ied|ying)|suppos(?:e|ed|ing)"
    r"|imagin(?:e|ed|ing)|pretend(?:s|ed|ing)?|assum(?:e|ed|ing)|until i|someday|one day|as though"
    r"|jok(?:e|ed|ing)|kidding|allegedly|apparently)\b",
    re.IGNORECASE,
)
_REPORTED_SPEECH = re.compile(
    r"[\"“”„«»]|(?<!\w)['\u2018](?=\w)|^\s*(?:>|\|)|\b(?:said|says|saying|told|tells|claim(?:s|ed)?"
    r"|ask(?:s|ed)|think(?:s)?|thought|believes?|believed|heard|quotes?|quoted|mentions|mentioned"
    r"|according to|reads)\b",
    re.IGNORECASE,
)
# Words for other people than the speaker or the member.
_OTHER_PEOPLE = re.compile(
    r"\b(?:wife|husband|partner|spouse|boyfriend|girlfriend|fianc[eé]e?|colleagues?|co-?workers?"
    r"|boss|manager|friends?|brothers?|sisters?|mother(?! tongue)|fathers?|mum|mom|dad|parents?"
    r"|sons?|daughters?|kids?|child(?:ren)?|uncle|aunt|cousins?|neighbou?rs?|teacher|doctor"
    r"|clients?|customers?|suppliers?|team|users?|people|every(?:one|body)|some(?:one|body)|you"
    r"|your)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|my|me|mine|myself|we|our|us)\b", re.IGNORECASE)
_THIRD_PERSON = re.compile(r"\b(?:he|she|they|him|them|his|her|their|speaks)\b", re.IGNORECASE)
_IMPERATIVE = re.compile(
    r"^\W*(?:please\W+)?(?:reply|answer|write|respond|talk|speak)\b", re.IGNORECASE
)
_NOT_IN_LABEL = re.compile(r"[^\w%€$£+#-]+")
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;]*|[.!?;]+")
_ZONE_NAME = re.compile(
    r"\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)"
    r"(?:/[A-Z][A-Za-z_-]{2,30}){1,2}"
)
_LOCATION_CONTEXT = re.compile(
    r"\b(?:time ?zone|live[sd]?|based|located|sits?|stays?|works?|working|i am|i'm|is) ",
    re.IGNORECASE,
)
_OFFSET = re.compile(r"\b(?:UTC|GMT) ?([+-]) ?(\d{1,2})(?::?(\d{2}))?\b")


class PatternType(StrEnum):
    EXPERTISE = "expertise"
    LANGUAGE = "language"
    TIME_ZONE = "time_zone"
    PREFERENCE = "preference"


# Kinds whose value is a label that somebody chose.
LABEL_PATTERN_TYPES = (PatternType.EXPERTISE, PatternType.PREFERENCE)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A fact that may be true of a member in every group."""

    kind: PatternType
    value: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory that shows a pattern, with its group."""

    memory_id: UUID
    group_id: UUID
    audience_id: UUID
    kind: str
    confidence: float


def find_patterns(
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
    stated = [one for one in _SENTENCE.findall(content[:MAX_CHARACTERS_READ]) if _is_assertion(one)]
    found: set[Pattern] = set()
    for sentence_ in stated:
        if _is_about_member(sentence_, own_words):
            zones, languages = _find_time_zones(sentence_), _find_languages(sentence_)
            found |= {Pattern(PatternType.TIME_ZONE, zone) for zone in zones}
            found |= {Pattern(PatternType.LANGUAGE, language) for language in languages}
    label = _find_label(content, stated, topic, tags)
    if label and type_ == "expertise":
        found.add(Pattern(PatternType.EXPERTISE, label))
    elif label and "preference" in (type_, category) and not found:
        found.add(Pattern(PatternType.PREFERENCE, label))
    return found


def _is_assertion(text: str) -> bool:
    """Whether a sentence states something, in its own words."""
    said_so = not (
        _NEGATION.search(text) or _HYPOTHETICAL.search(text) or _REPORTED_SPEECH.search(text)
    )
    return said_so and not is_question(text)


def _is_about_member(text: str, own_words: bool | None) -> bool:
    """Whether a sentence is only about the member, by its wording."""
    if _OTHER_PEOPLE.search(text):
        return False
    if own_words is None:
        return True
    if own_words:
        return bool(
            _FIRST_PERSON.search(text) or _IMPERATIVE.search(text)
        ) and not _THIRD_PERSON.search(text)
    return not (_FIRST_PERSON.search(text) or _IMPERATIVE.search(text))


def _find_languages(text: str) -> set[str]:
    if not _LANGUAGE_CONTEXT.search(text):
        return set()
    return {word.capitalize() for word in _LANGUAGE.findall(text)}


def _find_label(content: str, stated: Sequence[str], topic: str, tags: Sequence[str]) -> str:
    """The topic, else the first tag, in the form for comparing, if the text states something about
    it; else empty.

    A label that is a whole text is not used, and neither is one that the text does not have.
    """
    whole, has = normalise_label(content), {word for text in stated for word in _term_keys(text)}
    for given in (topic, *tags):
        label = normalise_label(given)
        short = len(label) <= MAX_LABEL_CHARACTERS and len(label.split()) <= MAX_LABEL_WORDS
        if label and short and label != whole and (words := _term_keys(label)) and words <= has:
            return label
    return ""


def _term_keys(text: str) -> set[str]:
    """The words of a text in the form for comparing."""
    return {key for word in normalise_label(text).split() if (key := term_key(word))}


def _find_time_zones(content: str) -> set[str]:
    if not _LOCATION_CONTEXT.search(content):
        return set()
    named = set(_ZONE_NAME.findall(content))
    offsets = {
        f"UTC{sign}{int(hours):02}:{minutes or '00'}"
        for sign, hours, minutes in _OFFSET.findall(content)
        if int(hours) <= 14 and minutes in ("", "00", "15", "30", "45")
    }
    return named | offsets


def normalise_label(text: str) -> str:
    """A label in the form for comparing: without case, and without punctuation other than the signs
    of names such as "C++" and "C#"; a text with nothing else is unchanged."""
    return _NOT_IN_LABEL.sub(" ", text.casefold()).strip() or text.strip()


def is_supported(evidence: Iterable[Evidence]) -> bool:
    """Whether a pattern was seen in enough groups to count as the member's, not a group's."""
    return len({one.group_id for one in evidence}) >= MIN_GROUPS


def compute_confidence(evidence: Iterable[Evidence]) -> float:
    """1 - product of (1 - WORTH x confidence) over the evidence, in 0-1."""
    return 1.0 - prod(1.0 - EVIDENCE_WEIGHT * one.confidence for one in evidence)


def render_pattern(name: str, pattern: Pattern) -> str:
    """The text of a cross-group memory."""
    match pattern.kind:
        case PatternType.EXPERTISE:
            return f"{name} knows about {pattern.value}."
        case PatternType.LANGUAGE:
            return f"{name} speaks {pattern.value}."
        case PatternType.TIME_ZONE:
            return f"{name} is in the time zone {pattern.value}."
        case _:
            return f"{name} has a preference that holds everywhere: {pattern.value}."
