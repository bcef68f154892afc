"""When two texts are one result: the same words, or nearly the same and nothing against it. Pure.

What collapses here collapses in one answer only; nothing is deleted, and what only looks alike is
kept apart: sentences that contradict each other lie close together in meaning.
"""

import re

from memories.language.budget import A_TEXT, A_TURN
from memories.language.terms import is_quantity, terms

_NOT_A_WORD = re.compile(r"[^\w%€$£+-]+")
# A capital within a sentence; that of a day or a month names nobody.
_CALENDAR = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May "  # noqa: SIM905
    "June July August September October November December".split()
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÀ-ÖØ-Þ][\w-]{2,}", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|none|nobody|nothing|never|neither|nor|without|cannot|isn't|aren't|wasn't"
    r"|weren't|don't|doesn't|didn't|won't|can't|couldn't|shouldn't|wouldn't|hasn't|haven't|hadn't"
    r"|isnt|dont|doesnt|didnt|wont|cant|unless|refus\w*|reject\w*|den(?:y|ied|ies))\b"
)
# Where one text has only the one and the other only its counterpart, they do not say the same.
_OPPOSITES = tuple(
    tuple(re.compile(rf"\b(?:{side})\b") for side in pair.split(" / "))
    for pair in (
        r"above|over|more|higher|increas\w*|up / below|under|less|lower|decreas\w*|down",
        r"before|earlier|first / after|later|last",
        r"accept\w*|approv\w*|allow\w* / reject\w*|refus\w*|forbid\w*|denied|denies",
        r"enabl\w*|open\w*|start\w*|on / disabl\w*|clos\w*|stop\w*|off",
        r"all|every|always / some|none|never",
        r"likes?|loves?|prefers? / dislikes?|hates?|avoids?",
        r"true|right|correct|yes / false|wrong|incorrect|no",
        r"near|nearby|close to / far|distant",
        r"day|daytime / night",
        r"man|men|boys?|he|his|him / woman|women|girls?|she|her|hers",
    )
)

# Of the words of the shorter of two texts, and how many, so that both are about one matter.
SHARED, LEAST = 0.8, 2


def normalised(text: str) -> str:
    """Without case, punctuation and spacing; a text of nothing else stays as it is."""
    return _NOT_A_WORD.sub(" ", text.casefold()).strip() or text.strip()


def contradict(one: str, other: str) -> bool:
    """Whether two similar texts differ where it matters: numbers, negation, opposites.

    Rather once too often: what is not collapsed is merely read twice. So are very long texts.
    """
    if max(len(one), len(other)) > A_TEXT:
        return True
    first, second = _plain(one), _plain(other)
    if sorted(_NUMBER.findall(first)) != sorted(_NUMBER.findall(second)):
        return True
    return _denies_one(first, second) or _opposed(first, second)


def disagree(one: str, other: str) -> bool:
    """Whether two texts of close meaning say different things of one matter.

    Narrower than `contradict`, because it costs somebody's time. A number stands against another
    number, a yes against a no, or a word against its opposite; what differs in number and opposite
    ("opens at 9", "closes at 5") are two facts, and so is what is said of two with other names.
    Most words of the shorter text are in the longer one. Of a text longer than a turn nothing is
    concluded.
    """
    if max(len(one), len(other)) > A_TURN or not contradict(one, other):
        return False
    first, second = _plain(one), _plain(other)
    numbers, others = set(_NUMBER.findall(first)), set(_NUMBER.findall(second))
    counted = bool(numbers - others and others - numbers)
    opposed = _opposed(*_apart(first, second))
    if (counted and opposed) or not (counted or opposed or _denies_one(first, second)):
        return False
    if name_others(one, other):
        return False
    here, there = _matter(one, opposed), _matter(other, opposed)
    return len(here & there) >= max(LEAST, SHARED * min(len(here), len(there)))


def name_others(one: str, other: str) -> bool:
    """Whether each text names, within a sentence, somebody or something that the other does not."""
    named, also = _names(one), _names(other)
    return bool(named - also and also - named)


def _names(text: str) -> set[str]:
    return set(_NAME.findall(text)) - _CALENDAR


def _apart(first: str, second: str) -> tuple[str, str]:
    """The words of each that the other has not: "on" says nothing where both open on Mondays."""
    here, there = _NOT_A_WORD.split(first), _NOT_A_WORD.split(second)
    return " ".join(set(here) - set(there)), " ".join(set(there) - set(here))


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")


def _matter(text: str, opposed: bool) -> set[str]:
    """What a text is about. opposed: without the words that have an opposite."""
    keys = {term.key for term in terms(text) if not is_quantity(term.name)}
    return {
        key for key in keys if not (_NEGATION.fullmatch(key) or (opposed and _has_opposite(key)))
    }


def _has_opposite(word: str) -> bool:
    return any(side.fullmatch(word) for pair in _OPPOSITES for side in pair)


def _denies_one(first: str, second: str) -> bool:
    return len(_NEGATION.findall(first)) != len(_NEGATION.findall(second))


def _opposed(first: str, second: str) -> bool:
    return any(
        _only(one_side, first, second) and _only(other_side, second, first)
        for pair in _OPPOSITES
        for one_side, other_side in (pair, pair[::-1])
    )


def _only(side: re.Pattern[str], here: str, there: str) -> bool:
    return bool(side.search(here)) and not side.search(there)
