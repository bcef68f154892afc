"""Checks of a language model's answers against what was said. Pure.

A model may be wrong, and may follow instructions in a text. So its answer is data of a fixed shape.
A restatement is refused if it loses a number, a name, a date or a "not" of the original, or adds a
number or a name; then that of the rules stays.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from memories.language.coreference import Turn
from memories.language.mentions import find_persons
from memories.language.relative_dates import local_date, resolve_relative_dates
from memories.language.text_limits import MAX_CHARACTERS_PER_TURN
from memories.llm.client import InvalidAnswerError

ENTITY_TYPES = frozenset(
    {"person", "company", "project", "date", "topic", "location", "action_item", "concept"}
)
MAX_KEYWORDS, MAX_WORD_CHARACTERS, MAX_ENTITIES = 10, 100, 20
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<![\"“(])\b[A-ZÀ-ÖØ-Þ][\w-]{2,}", re.MULTILINE)
NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t)\b", re.I
)
_MAX_DATE_SHIFT = timedelta(days=3_700)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmRestatement:
    """The accepted answer for one turn. entities: pairs of name and type."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    location: str = ""
    topic: str = ""


def parse_answer(answer: Any, count: int) -> dict[int, Mapping[str, Any]]:
    """The parts of an answer by the number of their turn (0 to count - 1).

    Raises InvalidAnswerError for anything but a list of objects with such numbers.
    """
    turns = answer.get("turns") if isinstance(answer, dict) else None
    if not isinstance(turns, list):
        raise InvalidAnswerError("no list of turns")
    found: dict[int, Mapping[str, Any]] = {}
    for one in turns:
        number = one.get("turn") if isinstance(one, dict) else None
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
            raise InvalidAnswerError("a turn that was not asked about")
        found.setdefault(number, one)
    return found


def accept_restatement(
    given: Mapping[str, Any], turn: Turn, around: Sequence[str], names: Collection[str]
) -> LlmRestatement | None:
    """The accepted answer for a turn, from one part of an answer; None if its restatement is
    refused.

    around: the texts that the model was shown beside the turn; names: of their speakers.
    """
    text = _parse_string(given.get("restatement"), 3 * len(turn.text) + 400)
    if not text or rejection_reason(turn, text, around, names):
        return None
    shown = "\n".join([turn.text, text, *around, *names]).casefold()
    return LlmRestatement(
        text=text,
        keywords=_parse_words(given.get("keywords"), shown),
        persons=_parse_words(given.get("persons"), shown),
        entities=_parse_entities(given.get("entities"), shown),
        location=_if_shown(_parse_string(given.get("location"), 200), shown),
        topic=_parse_string(given.get("topic"), MAX_WORD_CHARACTERS),
    )


def rejection_reason(turn: Turn, text: str, around: Sequence[str], names: Collection[str]) -> str:
    """Why a restatement is refused; empty if it is accepted."""
    if len(turn.text) > MAX_CHARACTERS_PER_TURN or len(text) > 3 * MAX_CHARACTERS_PER_TURN + 400:
        return "too-long"
    return _find_loss(turn, text, names) or find_invention(turn, text, around, names)


def _find_loss(turn: Turn, text: str, names: Collection[str]) -> str:
    """What the restatement lost of the original; empty if nothing."""
    said_on = local_date(turn.at, turn.zone) if turn.at else None
    dated = resolve_relative_dates(turn.text, said_on) if said_on else turn.text
    lower = text.casefold()
    # Numbers of relative times become part of the date; all other numbers and dates must stay.
    if set(_NUMBER.findall(dated)) - set(_NUMBER.findall(text)):
        return "number"
    kept = [*_NAME.findall(dated), *(p.first for p in find_persons(dated, names))]
    if any(name.casefold() not in lower for name in kept if name.casefold() not in ("i'm", "i've")):
        return "name"
    if bool(NEGATION.search(turn.text)) != bool(NEGATION.search(text)):
        return "negation"
    return ""


def find_invention(turn: Turn, text: str, around: Sequence[str], names: Collection[str]) -> str:
    """A number or person in a text that nobody mentioned; empty if there is none.

    around: the other shown texts; names: of the speakers.
    """
    said_on = local_date(turn.at, turn.zone) if turn.at else None
    dated = resolve_relative_dates(turn.text, said_on) if said_on else turn.text
    told = "\n".join([turn.text, dated, turn.speaker, *turn.addressed, *around, *names])
    if set(_NUMBER.findall(_without_dates(text, said_on))) - set(_NUMBER.findall(told)):
        return "invented-number"
    known = told.casefold()
    if any(p.first not in known for p in find_persons(text, names)):
        return "invented-name"
    return ""


def _without_dates(text: str, said_on: date | None) -> str:
    """The text without dates that a relative time on that day could mean."""

    def plausible(found: "re.Match[str]") -> str:
        try:
            day = date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return found[0]
        return "" if said_on and abs(day - said_on) < _MAX_DATE_SHIFT else found[0]

    return _ISO.sub(plausible, text)


def _parse_string(value: Any, longest: int) -> str:
    plain = value.strip() if isinstance(value, str) else ""
    return plain if len(plain) <= longest and "\x00" not in plain else ""


def _if_shown(word: str, shown: str) -> str:
    return word if word.casefold() in shown else ""


def _parse_words(value: Any, shown: str) -> tuple[str, ...]:
    """The strings of a list that occur in the shown text, each once."""
    if not isinstance(value, list):
        return ()
    plain = [
        _if_shown(_parse_string(one, MAX_WORD_CHARACTERS), shown)
        for one in value[: 5 * MAX_KEYWORDS]
    ]
    return tuple(dict.fromkeys(word for word in plain if word))[:MAX_KEYWORDS]


def _parse_entities(value: Any, shown: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list):
        return ()
    found = []
    for one in value[: 5 * MAX_ENTITIES]:
        name = _parse_string(one.get("name"), 200) if isinstance(one, dict) else ""
        type_ = _parse_string(one.get("type"), 20).lower() if isinstance(one, dict) else ""
        if name and type_ in ENTITY_TYPES and name.casefold() in shown:
            found.append((name, type_))
    return tuple(dict.fromkeys(found))[:MAX_ENTITIES]
