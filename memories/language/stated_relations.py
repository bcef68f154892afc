"""Relationships that a text states: who works where, reports to whom, is responsible for what.

Pure, English. A sentence states a relationship if a phrase such as "works at" stands between two
names. What is asked, denied, supposed or over states none. Each phrase is found once and only a
bounded piece before and after it is read, so the time grows with the text and no faster.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memories.language.entities import (
    COMPANY,
    CONCEPT,
    LOCATION,
    PERSON,
    PROJECT,
    NamedEntity,
    is_plain_name,
)
from memories.language.gazetteers.places import PLACES
from memories.language.propositions import iter_sentences
from memories.language.terms import term_key
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT

WORKS_AT, PART_OF, REPORTS_TO, RESPONSIBLE_FOR, LOCATED_IN = RELATIONS = (
    "works_at",
    "part_of",
    "reports_to",
    "responsible_for",
    "located_in",
)
# The key of whoever speaks, as the subject or object of a relationship.
SPEAKER_KEY = ""
MAX_RELATIONS, MAX_PHRASES = 10, 100
# How far a name reaches from its phrase, in characters.
_REACH = 130


@dataclass(frozen=True, slots=True)
class RelationMatch:
    """subject relation object. confidence: 0-1, how plainly the text says so."""

    relation: str
    subject: NamedEntity
    object: NamedEntity
    confidence: float


@dataclass(frozen=True, slots=True)
class _Phrase:
    """turned: the subject stands behind the phrase. subject, object: the type of a name that the
    text does not say more of; None if it must be known from the text."""

    relation: str
    confidence: float
    subject: str = PERSON
    object: str = COMPANY
    turned: bool = False


_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'&-]{0,58}\w|[A-ZÀ-ÖØ-Þ]"
_NAME = rf"(?:{_CAPITAL})(?: (?:(?:de|van|von|der|di|da|of|&) )?(?:{_CAPITAL})){{0,4}}"
_AFTER = re.compile(rf"\s{{0,8}}(?:the |our |a |an )?({_NAME})")
_ME_AFTER = re.compile(r"\s{0,8}(?:me|myself)\b")
# "Ada Lovelace, our new engineer, works at": one part between commas may stand between.
_BEFORE = re.compile(rf"(?<![\w’'])(?:the |The )?({_NAME})(?:,[^,]{{1,60}},)?\s{{0,8}}$")
_ME_BEFORE = re.compile(r"(?<![\w’'])I\s{0,8}$")
# What somebody is responsible for may be named in small letters.
_MATTER = re.compile(
    r"\s{0,8}(?:the |our |all |every )?(?!an? )([a-z][\w’'-]{1,40}"
    r"(?: (?!(?:and|but|or|since|until|in|at|on|for|from|by|who|that|which|because|when|while|with"
    r"|as|is|was|now|to)\b)[\w’'-]{2,40}){0,3})"
)
_BE = r"(?:is|am|are|['’]s|['’]m)"
_ROLE = r"(?:an? |the |our )?(?:[a-z][\w-]{1,30} ){0,3}"
_JOB = (
    r"(?:engineer|developer|designer|manager|analyst|consultant|director|nurse|teacher|ceo|cto|cfo"
    r"|head|lead|accountant|lawyer|scientist|researcher)"
)
_PHRASES = (
    (rf"(?:works?|(?:{_BE} )?working)(?: as(?: [a-z][\w-]{{0,30}}){{1,4}})? (?:at|for)",
     _Phrase(WORKS_AT, 0.9)),
    (rf"{_BE} (?:employed|hired) (?:by|at)", _Phrase(WORKS_AT, 0.9)),
    (rf"{_BE} {_ROLE}{_JOB} at", _Phrase(WORKS_AT, 0.8)),
    (r"(?:reports|report|answers|answer)(?: directly)? to",
     _Phrase(REPORTS_TO, 0.9, object=PERSON)),
    (r"(?:['’]s|[Mm]y) (?:manager|boss|supervisor) is", _Phrase(REPORTS_TO, 0.8, object=PERSON)),
    (rf"{_BE} (?:the )?(?:manager|boss|supervisor) of",
     _Phrase(REPORTS_TO, 0.8, object=PERSON, turned=True)),
    (rf"{_BE} (?:responsible for|in charge of|accountable for|the owner of)",
     _Phrase(RESPONSIBLE_FOR, 0.9, object=PROJECT)),
    (r"(?:owns|leads|looks after|takes care of)",
     _Phrase(RESPONSIBLE_FOR, 0.7, object=PROJECT)),
    (rf"(?:{_BE} (?:a )?part of|belongs to)", _Phrase(PART_OF, 0.9, PROJECT, PROJECT)),
    (rf"{_BE} an? (?:subsidiary|division|branch|unit) of", _Phrase(PART_OF, 0.9, COMPANY)),
    (rf"{_BE} (?:located|based|headquartered|situated) in",
     _Phrase(LOCATED_IN, 0.9, COMPANY, LOCATION)),
    (r"lives? in", _Phrase(LOCATED_IN, 0.8, object=LOCATION)),
)  # fmt: skip
_ANY_PHRASE = re.compile(
    r"\b(?:"
    + "|".join(f"(?P<p{number}>{words})" for number, (words, _) in enumerate(_PHRASES))
    + r")(?!\w)"
)
# What is asked, denied, supposed, wished or over.
_NOT_STATED = re.compile(
    r"\b(?:not|never|no longer|nobody|no one|none|if|whether|would|could|might|may|perhaps|maybe"
    r"|used to|formerly|previously|wants? to|wish(?:es)?|hopes?|imagine|pretend|suppose|unless"
    r"|until|was|were|had)\b|n['’]t\b",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"work|employ|hired| at |report|answers? |manager|boss|supervisor|responsible|charge|account"
    r"|owner|owns|leads|looks|takes|part of|belongs|subsid|divis|branch|unit|locat"
    r"|based|headq|situat|live"
)


def extract_relations(text: str, named: Iterable[NamedEntity] = ()) -> list[RelationMatch]:
    """The relationships of a text, each once, in its order. named: the entities of the text, the
    most confident first, which say of what type a name is. Whoever speaks ("I") has SPEAKER_KEY and
    no name."""
    text = text[:MAX_CHARACTERS_PER_TEXT]
    if not _HINT.search(text):
        return []
    known: dict[str, NamedEntity] = {}
    for one in named:
        known.setdefault(one.key, one)
    found: dict[tuple[str, str, str], RelationMatch] = {}
    left = MAX_PHRASES
    for sentence in iter_sentences(text):
        if left <= 0 or len(found) >= MAX_RELATIONS:
            break
        if sentence.rstrip().endswith("?") or _NOT_STATED.search(sentence):
            continue
        for match in _ANY_PHRASE.finditer(sentence):
            left -= 1
            for stated in _read_phrase(sentence, match, known):
                ends = (stated.relation, stated.subject.key, stated.object.key)
                found.setdefault(ends, stated)
            if left <= 0:
                break
    return list(found.values())[:MAX_RELATIONS]


def _read_phrase(
    sentence: str, match: re.Match[str], known: dict[str, NamedEntity]
) -> Iterator[RelationMatch]:
    """The relationship around a phrase, if there are names on both of its sides."""
    phrase = _PHRASES[int((match.lastgroup or "p0")[1:])][1]
    before = sentence[max(0, match.start() - _REACH) : match.start()]
    after = sentence[match.end() : match.end() + _REACH]
    own = match[0].casefold().startswith("my ")
    first = NamedEntity(PERSON, "", SPEAKER_KEY, 1.0) if own else _name_before(before)
    matter = phrase.relation == RESPONSIBLE_FOR
    second = _name_after(after, matter=matter)
    if first is None or second is None:
        return
    sides = (second, first) if phrase.turned else (first, second)
    subject = _typed(sides[0], phrase.subject, known)
    target = _typed(sides[1], phrase.object, known)
    if subject.key == target.key or not _fits(phrase.relation, subject, target):
        return
    yield RelationMatch(phrase.relation, subject, target, phrase.confidence)


def _name_before(text: str) -> NamedEntity | None:
    if _ME_BEFORE.search(text):
        return NamedEntity(PERSON, "", SPEAKER_KEY, 1.0)
    match = _BEFORE.search(text)
    # "Mina's report to Bob" is no sentence about Mina.
    owner = match is not None and match[1].endswith(("'s", "’s"))
    return None if match is None or owner else _named(match[1])


def _name_after(text: str, *, matter: bool) -> NamedEntity | None:
    if _ME_AFTER.match(text):
        return NamedEntity(PERSON, "", SPEAKER_KEY, 1.0)
    if match := _AFTER.match(text):
        return _named(match[1])
    words = _MATTER.match(text) if matter else None
    if words is None or is_plain_name(words[1]):
        return None
    key = " ".join(filter(None, map(term_key, words[1].split())))
    return NamedEntity(CONCEPT, words[1], key, 1.0) if key else None


def _named(name: str) -> NamedEntity | None:
    """A name without a type yet; None for words that name nothing."""
    name = " ".join(name.split()).removesuffix("'s").removesuffix("’s").strip(" .,;:'-")
    if not name or is_plain_name(name):
        return None
    if name.startswith("Project ") and (alone := name.removeprefix("Project ")):
        # As the entities of the text have it.
        return NamedEntity(PROJECT, alone, alone.casefold(), 0.85)
    return NamedEntity("", name, name.casefold(), 0.0)


def _typed(one: NamedEntity, usual: str, known: dict[str, NamedEntity]) -> NamedEntity:
    """The name with the type that the text gives it, else the usual one of its side."""
    if one.type:
        return one
    told = known.get(one.key)
    if told is not None and (told.confidence >= 0.6 or told.type == usual):
        return NamedEntity(told.type, told.name, told.key, max(told.confidence, 0.7))
    type_ = LOCATION if one.key in PLACES and usual != PERSON else usual
    return NamedEntity(type_, one.name, one.key, 0.7)


_SUBJECTS = {
    WORKS_AT: (PERSON,),
    REPORTS_TO: (PERSON,),
    RESPONSIBLE_FOR: (PERSON, COMPANY),
}


def _fits(relation: str, subject: NamedEntity, target: NamedEntity) -> bool:
    """Whether both sides are of a type of which the relationship can be said."""
    if subject.type not in _SUBJECTS.get(relation, (subject.type,)):
        return False
    if relation == LOCATED_IN:
        return target.type == LOCATION
    return relation != REPORTS_TO or target.type == PERSON
