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

from memories.language.budget import A_TURN
from memories.language.coreference import Turn
from memories.language.persons import persons_in
from memories.language.relative_dates import absolute, day_of
from memories.llm.answer_json import Nonsense

ENTITY_TYPES = frozenset(
    {"person", "company", "project", "date", "topic", "location", "action_item", "concept"}
)
MOST_WORDS, LONGEST_WORD, MOST_ENTITIES = 10, 100, 20
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<![\"“(])\b[A-ZÀ-ÖØ-Þ][\w-]{2,}", re.MULTILINE)
DENIES = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t)\b", re.I
)
_NEAR = timedelta(days=3_700)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reworded:
    """The accepted answer for one turn. entities: pairs of name and type."""

    text: str = ""
    keywords: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    location: str = ""
    topic: str = ""


def read_answer(answer: Any, count: int) -> dict[int, Mapping[str, Any]]:
    """The parts of an answer by the number of their turn (0 to count - 1).

    Raises Nonsense for anything but a list of objects with such numbers.
    """
    turns = answer.get("turns") if isinstance(answer, dict) else None
    if not isinstance(turns, list):
        raise Nonsense("no list of turns")
    found: dict[int, Mapping[str, Any]] = {}
    for one in turns:
        number = one.get("turn") if isinstance(one, dict) else None
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
            raise Nonsense("a turn that was not asked about")
        found.setdefault(number, one)
    return found


def reworded(
    given: Mapping[str, Any], turn: Turn, around: Sequence[str], names: Collection[str]
) -> Reworded | None:
    """The accepted answer for a turn, from one part of an answer; None if its restatement is
    refused.

    around: the texts that the model was shown beside the turn; names: of their speakers.
    """
    text = _string(given.get("restatement"), 3 * len(turn.text) + 400)
    if not text or fault(turn, text, around, names):
        return None
    shown = "\n".join([turn.text, text, *around, *names]).casefold()
    return Reworded(
        text=text,
        keywords=_words(given.get("keywords"), shown),
        persons=_words(given.get("persons"), shown),
        entities=_entities(given.get("entities"), shown),
        location=_known(_string(given.get("location"), 200), shown),
        topic=_string(given.get("topic"), LONGEST_WORD),
    )


def fault(turn: Turn, text: str, around: Sequence[str], names: Collection[str]) -> str:
    """Why a restatement is refused; empty if it is accepted."""
    if len(turn.text) > A_TURN or len(text) > 3 * A_TURN + 400:
        return "too-long"
    return _loss(turn, text, names) or invention(turn, text, around, names)


def _loss(turn: Turn, text: str, names: Collection[str]) -> str:
    """What the restatement lost of the original; empty if nothing."""
    said_on = day_of(turn.at, turn.zone) if turn.at else None
    dated = absolute(turn.text, said_on) if said_on else turn.text
    lower = text.casefold()
    # Numbers of relative times become part of the date; all other numbers and dates must stay.
    if set(_NUMBER.findall(dated)) - set(_NUMBER.findall(text)):
        return "number"
    kept = [*_NAME.findall(dated), *(p.first for p in persons_in(dated, names))]
    if any(name.casefold() not in lower for name in kept if name.casefold() not in ("i'm", "i've")):
        return "name"
    if bool(DENIES.search(turn.text)) != bool(DENIES.search(text)):
        return "negation"
    return ""


def invention(turn: Turn, text: str, around: Sequence[str], names: Collection[str]) -> str:
    """A number or person in a text that nobody mentioned; empty if there is none.

    around: the other shown texts; names: of the speakers.
    """
    said_on = day_of(turn.at, turn.zone) if turn.at else None
    dated = absolute(turn.text, said_on) if said_on else turn.text
    told = "\n".join([turn.text, dated, turn.speaker, *turn.addressed, *around, *names])
    if set(_NUMBER.findall(_without_dates(text, said_on))) - set(_NUMBER.findall(told)):
        return "invented-number"
    known = told.casefold()
    if any(p.first not in known for p in persons_in(text, names)):
        return "invented-name"
    return ""


def _without_dates(text: str, said_on: date | None) -> str:
    """The text without dates that a relative time on that day could mean."""

    def plausible(found: "re.Match[str]") -> str:
        try:
            day = date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return found[0]
        return "" if said_on and abs(day - said_on) < _NEAR else found[0]

    return _ISO.sub(plausible, text)


def _string(value: Any, longest: int) -> str:
    plain = value.strip() if isinstance(value, str) else ""
    return plain if len(plain) <= longest and "\x00" not in plain else ""


def _known(word: str, shown: str) -> str:
    return word if word.casefold() in shown else ""


def _words(value: Any, shown: str) -> tuple[str, ...]:
    """The strings of a list that occur in the shown text, each once."""
    if not isinstance(value, list):
        return ()
    plain = [_known(_string(one, LONGEST_WORD), shown) for one in value[: 5 * MOST_WORDS]]
    return tuple(dict.fromkeys(word for word in plain if word))[:MOST_WORDS]


def _entities(value: Any, shown: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list):
        return ()
    found = []
    for one in value[: 5 * MOST_ENTITIES]:
        name = _string(one.get("name"), 200) if isinstance(one, dict) else ""
        type_ = _string(one.get("type"), 20).lower() if isinstance(one, dict) else ""
        if name and type_ in ENTITY_TYPES and name.casefold() in shown:
            found.append((name, type_))
    return tuple(dict.fromkeys(found))[:MOST_ENTITIES]
