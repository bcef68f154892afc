"""Named entities in a text, by rules: people, companies, projects, dates, topics, places, tasks.

Pure, English; tasks are found in other languages too. The confidence in 0-1 says how explicit the
text is, not how often the rule is right. A chat line takes about 20 microseconds, since most rules
need a capital.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memories.language.gazetteers.places import PLACES
from memories.language.gazetteers.stopwords import CONTENTLESS_WORDS, STOPWORDS
from memories.language.mentions import is_firm
from memories.language.spoken_times.duties import NAMED, find_duties
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT

PERSON, COMPANY, PROJECT, DATE = "person", "company", "project", "date"
TOPIC, LOCATION, ACTION_ITEM = "topic", "location", "action_item"
# A notable word, which `terms.extract_concepts` finds.
CONCEPT = "concept"
MAX_ENTITIES, MAX_NAME_CHARACTERS = 20, 200
# The most dates that are compared with each other to keep the more complete one.
MAX_DATES = 200


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """type: person, company... name: as written. key: as compared. confidence: 0-1."""

    type: str
    name: str
    key: str
    confidence: float


# Bounded: only this much of a run without spaces is tried as a name.
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'&.-]{0,58}\w"
_CAPITALISED_RUN = re.compile(rf"{_CAPITAL}(?: (?:(?:de|van|von|der|di|da|&) )?{_CAPITAL}){{0,4}}")
_COMPANY_SUFFIX = re.compile(
    r"\b(?:Inc|Ltd|LLC|LLP|Corp|Corporation|GmbH|AG|PLC|plc|S\.?A|B\.?V|Oy|AB|Company|Holdings?"
    r"|Group|Labs|Technologies|Systems|Software|Bank|University|Institute)\b\.?$"
)
_LEGAL_SUFFIX = re.compile(r"\b(?:Inc|Ltd|LLC|LLP|Corp|Corporation|GmbH|AG|PLC|plc)\b\.?$")
_COMPANY_CONTEXT = re.compile(
    rf"\b(?:works?|worked|working|job|employed|hired|interviewed) (?:at|for|by) ({_CAPITAL}"
    rf"(?: {_CAPITAL}){{0,2}})|\b(?:client|customer|vendor|supplier|partner) ({_CAPITAL})"
)
_PROJECT = re.compile(
    rf"\b(?:[Pp]roject|[Cc]odename|[Ii]nitiative|[Pp]rogramme) ({_CAPITAL}(?: {_CAPITAL}){{0,2}})"
    rf"|\b(?:the|our) ({_CAPITAL}(?: {_CAPITAL})?) (?:project|initiative|programme|launch|rollout"
    r"|migration)\b"
)
_TITLE_AND_NAME = re.compile(rf"\b(?:Mr|Mrs|Ms|Dr|Prof|Professor)\.? ({_CAPITAL}(?: {_CAPITAL})?)")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATES = (
    (re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b"), 0.95),
    (re.compile(rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? (?:19|20)\d\d)?"), 0.9),
    (re.compile(rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? (?:19|20)\d\d)?"), 0.9),
    (re.compile(rf"\b{_MONTH} (?:19|20)\d\d\b|\bQ[1-4] (?:19|20)\d\d\b"), 0.85),
    (re.compile(r"\b\d{1,2}[/.]\d{1,2}[/.](?:19|20)\d\d\b"), 0.8),
)
_RELATIVE_DATE = re.compile(
    r"\b(?:(?:next|last|this|every) )?"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:yesterday|tomorrow|tonight|(?:next|last|this) (?:week|month|year|quarter))\b",
    re.IGNORECASE,
)
_HASHTAG = re.compile(r"(?<![\w&/])#([^\W\d_][\w-]{1,60})")
_TOPIC_LINE = re.compile(r"^\s*(?:re|topic|subject|about):\s*([^\n.!?]{3,80})", re.IGNORECASE)
_ACTION_ITEM_LINE = re.compile(
    r"(?:^|[.!?\n] ?|\b)(?:todo|to do|action(?: item)?|next step)s?:\s*([^\n.!?]{3,160})",
    re.IGNORECASE,
)
_PROMISE = re.compile(
    rf"\b((?:{_CAPITAL}|I|We|we)(?:'ll| (?:will|needs? to|has to|have to|must)) [^\n.!?;]{{3,140}})"
)
_MENTION = re.compile(r"(?<![\w.])@([A-Za-z][\w.\-]{1,60}\w)")
_WEEKDAY = re.compile(r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?")
_CALENDAR = re.compile(rf"^(?:{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?$")
_WORD = re.compile(r"\w+")
_STOPWORDS = STOPWORDS | CONTENTLESS_WORDS


def extract_entities(text: str, people: Iterable[str] = ()) -> list[NamedEntity]:
    """The entities of a text, each once, the most confident first. people: names of people who may
    be meant."""
    text = text[:MAX_CHARACTERS_PER_TEXT]
    best: dict[tuple[str, str], NamedEntity] = {}
    for type_, found, confidence in _iter_matches(text, people):
        name = " ".join(found.split()).strip(" .,;:'-")[:MAX_NAME_CHARACTERS]
        key = name.casefold()
        known = best.get((type_, key))
        if key and (known is None or known.confidence < confidence):
            best[type_, key] = NamedEntity(type_, name, key, confidence)
    dates = [one.key for one in best.values() if one.type == DATE][:MAX_DATES]
    for key in [k for k in dates if any(k != other and k in other for other in dates)]:
        del best[DATE, key]
    taken = {one.key for one in best.values() if one.type != PERSON and one.confidence >= 0.6}
    kept = [n for n in best.values() if n.type != PERSON or n.key not in taken]
    return sorted(kept, key=lambda one: -one.confidence)[:MAX_ENTITIES]


_Matches = Iterator[tuple[str, str, float]]


def _iter_matches(text: str, people: Iterable[str]) -> _Matches:
    yield from _iter_dates(text)
    if "#" in text:
        yield from ((TOPIC, match[1], 0.9) for match in _HASHTAG.finditer(text))
    if "@" in text:
        yield from ((PERSON, match[1], 0.9) for match in _MENTION.finditer(text))
    if ":" in text:
        if about := _TOPIC_LINE.match(text):
            yield TOPIC, about[1], 0.85
        yield from ((ACTION_ITEM, match[1], 0.9) for match in _ACTION_ITEM_LINE.finditer(text))
    yield from ((PERSON, person, 0.95) for person in names_in_text(text, people))
    if not text.islower():
        yield from _iter_promises(text)
        yield from _iter_duties(text)
        yield from _iter_capitalised(text)


def _iter_dates(text: str) -> _Matches:
    if any(mark in text for mark in "0123456789"):
        for pattern, confidence in _DATES:
            yield from ((DATE, match[0], confidence) for match in pattern.finditer(text))
    if "day" in text or "o" in text:
        yield from ((DATE, match[0], 0.6) for match in _RELATIVE_DATE.finditer(text))


def _iter_promises(text: str) -> _Matches:
    if "ll " in text or "to " in text or "must " in text:
        for match in _PROMISE.finditer(text):
            due = " by " in match[0] or " until " in match[0]
            if due or not match[1].startswith(("I ", "I'", "We", "we")):
                yield ACTION_ITEM, match[1], 0.7 if due else 0.5


def _iter_duties(text: str) -> _Matches:
    """Promises in other languages: as in English, one's own and shared ones only with a date."""
    for duty in find_duties(text):
        if duty.dated or duty.whose == NAMED:
            yield ACTION_ITEM, duty.sentence, 0.7 if duty.dated else 0.5


def _iter_capitalised(text: str) -> _Matches:
    runs = list(_CAPITALISED_RUN.finditer(text))
    if not runs:
        return
    if "roject" in text or "the " in text or "our " in text or "odename" in text:
        for match in _PROJECT.finditer(text):
            if not is_plain_name(name := match[1] or match[2]):
                yield PROJECT, name, 0.85
    yield from ((PERSON, match[1], 0.85) for match in _TITLE_AND_NAME.finditer(text))
    for match in _COMPANY_CONTEXT.finditer(text):
        if not is_plain_name(name := match[1] or match[2]):
            yield COMPANY, name, 0.7
    for run in runs:
        yield from _iter_run(run[0].removesuffix("'s").removesuffix("’s"), text, run.start())


def _iter_run(name: str, text: str, start: int) -> _Matches:
    """The entity that a run of capitalised words names; None if it is unclear."""
    words = name.split()
    end = _start_of_spaces(text, start)
    opens = start == 0 or text[max(0, end - 1) : end] in ".!?:\n"
    while words and (opens or len(words) > 1) and words[0].casefold() in _STOPWORDS:
        words, opens = words[1:], False
    if not words or all(_CALENDAR.match(word) for word in words):
        return
    name = " ".join(words)
    if len(words) > 1 and (_COMPANY_SUFFIX.search(name) or is_firm(name)):
        yield COMPANY, name, 0.9 if _LEGAL_SUFFIX.search(name) else 0.7
    elif name.casefold() in PLACES:
        before = text[max(0, end - 20) : end].rpartition(" ")[2].casefold()
        yield LOCATION, name, 0.9 if before in ("in", "at", "from", "to", "near") else 0.75
    elif (
        words[0] not in ("Project", "The")
        and len(words) in (2, 3)
        and all(word.isalpha() and not word.isupper() for word in words)
        and not any(_WEEKDAY.fullmatch(word) or word.casefold() in _STOPWORDS for word in words)
    ):
        yield PERSON, name, 0.5


def is_plain_name(name: str) -> bool:
    """Whether a name has only words of the calendar and words that say nothing."""
    return all(_CALENDAR.match(word) or word.casefold() in _STOPWORDS for word in name.split())


def _start_of_spaces(text: str, start: int) -> int:
    """The place where the spaces before a place begin."""
    while start and text[start - 1].isspace():
        start -= 1
    return start


def names_in_text(text: str, people: Iterable[str]) -> list[str]:
    """The people whom the text names by their whole name, in any letter case, in the given order.

    Each word of the text is looked up among the names, so the time does not grow with the number of
    people.
    """
    asked = {person: person.casefold() for person in people if person}
    shapes: dict[str, dict[tuple[int, int], set[str]]] = {}
    folded, found = text[:MAX_CHARACTERS_PER_TEXT].casefold() if asked else "", set()
    for name in set(asked.values()):
        first = _WORD.search(name)
        if first is None:
            found |= {name} if name in folded else set()
        else:
            shape = (first.start(), len(name))
            shapes.setdefault(first[0], {}).setdefault(shape, set()).add(name)
    for word in _WORD.finditer(folded) if shapes else ():
        for (before, length), names in shapes.get(word[0], {}).items():
            start = word.start() - before
            here = folded[max(0, start) : start + length] if start >= 0 else ""
            if here in names and not _is_inside_word(folded, start, start + length):
                found.add(here)
    return [person for person, name in asked.items() if name in found]


def _is_inside_word(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has a letter or digit directly before or after it."""
    return bool(_WORD.match(text[max(0, start - 1) : start]) or _WORD.match(text[end : end + 1]))
