"""When two texts count as one result: equal words, or similar without a contradiction. Pure.

This only merges results within one answer; nothing is deleted. Contradictions are kept apart,
because contradicting sentences have similar vectors.
"""

import re

from memories.language.terms import extract_terms, is_quantity
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT, MAX_CHARACTERS_PER_TURN

_NOT_A_WORD = re.compile(r"[^\w%€$£+-]+")
# A capital within a sentence, except days and months, which are no names.
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
# Opposites: if one text has only the one word and the other text only its counterpart, they differ.
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

# The share and the number of shared words of the shorter text from which two texts have one
# subject.
MIN_SHARED_RATIO, MIN_SHARED_TERMS = 0.8, 2


def normalise_text(text: str) -> str:
    """The text without case, punctuation and spacing; a text with nothing else is unchanged."""
    return _NOT_A_WORD.sub(" ", text.casefold()).strip() or text.strip()


def may_contradict(one: str, other: str) -> bool:
    """Whether two similar texts differ in numbers, negation or opposites.

    It errs towards True, because results that are not merged are merely read twice. Also True for
    very long texts.
    """
    if max(len(one), len(other)) > MAX_CHARACTERS_PER_TEXT:
        return True
    first, second = _fold(one), _fold(other)
    if sorted(_NUMBER.findall(first)) != sorted(_NUMBER.findall(second)):
        return True
    return _negation_differs(first, second) or _has_opposites(first, second)


def is_contradiction(one: str, other: str) -> bool:
    """Whether two texts of similar meaning disagree about one subject.

    Stricter than `contradict`, because somebody will be asked. True for a number against another
    number, a yes against a no, or a word against its opposite. Texts that differ in number and
    opposite ("opens at 9", "closes at 5") are two facts, and so are texts about different names.
    Most words of the shorter text must be in the longer one. False for texts longer than A_TURN.
    """
    if max(len(one), len(other)) > MAX_CHARACTERS_PER_TURN or not may_contradict(one, other):
        return False
    first, second = _fold(one), _fold(other)
    numbers, others = set(_NUMBER.findall(first)), set(_NUMBER.findall(second))
    counted = bool(numbers - others and others - numbers)
    opposed = _has_opposites(*_distinct_words(first, second))
    if (counted and opposed) or not (counted or opposed or _negation_differs(first, second)):
        return False
    if have_different_names(one, other):
        return False
    here, there = _content_terms(one, opposed), _content_terms(other, opposed)
    return len(here & there) >= max(MIN_SHARED_TERMS, MIN_SHARED_RATIO * min(len(here), len(there)))


def have_different_names(one: str, other: str) -> bool:
    """Whether each text has a name, within a sentence, that the other does not have."""
    named, also = _names(one), _names(other)
    return bool(named - also and also - named)


def _names(text: str) -> set[str]:
    return set(_NAME.findall(text)) - _CALENDAR


def _distinct_words(first: str, second: str) -> tuple[str, str]:
    """The words of each text that the other does not have."""
    here, there = _NOT_A_WORD.split(first), _NOT_A_WORD.split(second)
    return " ".join(set(here) - set(there)), " ".join(set(there) - set(here))


def _fold(text: str) -> str:
    return text.casefold().replace("’", "'")


def _content_terms(text: str, opposed: bool) -> set[str]:
    """The content words of a text. opposed: leave out words that have an opposite."""
    keys = {term.key for term in extract_terms(text) if not is_quantity(term.name)}
    return {
        key for key in keys if not (_NEGATION.fullmatch(key) or (opposed and _has_opposite(key)))
    }


def _has_opposite(word: str) -> bool:
    return any(side.fullmatch(word) for pair in _OPPOSITES for side in pair)


def _negation_differs(first: str, second: str) -> bool:
    return len(_NEGATION.findall(first)) != len(_NEGATION.findall(second))


def _has_opposites(first: str, second: str) -> bool:
    return any(
        _only_in_first(one_side, first, second) and _only_in_first(other_side, second, first)
        for pair in _OPPOSITES
        for one_side, other_side in (pair, pair[::-1])
    )


def _only_in_first(side: re.Pattern[str], here: str, there: str) -> bool:
    return bool(side.search(here)) and not side.search(there)
