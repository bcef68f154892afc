"""When two texts are the same, when they may differ in meaning, and when they contradict. Pure.

The same are texts that differ only in blanks, letter case and typographic marks. This rule decides
what an answer shows once and what is merged without asking anybody, so every sign that may bear
meaning counts, in every script. The other two rules decide what people are asked.
"""
# ruff: noqa: RUF001, RUF002

import re
from collections import Counter
from collections.abc import Collection

from memories.language.comparison.word_differences import find_word_differences
from memories.language.terms import extract_terms, is_quantity
from memories.language.text_limits import MAX_CHARACTERS_PER_TEXT, MAX_CHARACTERS_PER_TURN
from orgs.names.unicode_normalisation import normalise_unicode

# Quotation marks, dashes and the ellipsis in one form each. None is left out: "-5" is not "5".
_TYPOGRAPHIC_MARKS = str.maketrans(
    dict.fromkeys("“”„‟«»", '"')
    | dict.fromkeys("‘’‚‛‹›", "'")
    | dict.fromkeys("‐‑‒–—―−", "-")
    | {"…": "..."}
)
# In a text with one of these letters, "I" is the capital of the dotless one.
_TURKISH_LETTER = re.compile("[ığşİĞŞ]")
_TURKISH_CAPITALS = str.maketrans({"I": "ı", "İ": "i"})
_NOT_A_WORD = re.compile(r"[^\w%€$£+-]+")
# A capital within a sentence, except days and months, which are no names.
_CALENDAR = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May "  # noqa: SIM905
    "June July August September October November December".split()
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-ZÀ-ÖØ-Þ][\w-]{2,}", re.MULTILINE)
_NUMBER = re.compile(r"(?:(?<![\w)])[-−])?\d+(?:[.,:]\d+)*")
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

# Words of one kind, of which each text has one that the other has not: two facts, and neither is
# false if the other is true.
_EXCLUSIVE_WORDS = tuple(
    re.compile(rf"\b(?:{words})(?=s?\b)")
    for words in (
        "left|right|links?|rechts?|gauche|droite|izquierda|derecha",
        "north|south|east|west|northern|southern|eastern|western",
        "from|to|into|von|nach|à|de|desde|hasta",
        "first|second|third|fourth|last|next|erste[rns]?|zweite[rns]?|dritte[rns]?",
        "monday|tuesday|wednesday|thursday|friday|saturday|sunday",
        "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag",
        "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
        "lunes|martes|miércoles|jueves|viernes|sábado|domingo",
        "january|february|march|april|june|july|august|september|october|november|december",
        "morning|noon|afternoon|evening|am|pm",
        "only|also",
        "since|until",
    )
)
_FOREIGN_NEGATION = re.compile(
    r"\b(?:nicht|kein\w*|nie|niemals|niemand|nichts|ohne|ne|n'|pas|jamais|aucune?|sans|rien|non|mai"
    r"|senza|sin|nunca|nada|tampoco|não|nem|sem|niet|geen|nooit|zonder|inte|ikke|ikkje|aldrig|utan"
    r"|nije|nema|není|nikdy|bez|не|нет|нельзя|без|ні|değil|yok|hiç|لا|ليس|لم|لن|غير|לא|אין|nahi"
    r"|नहीं|ei|eivät|nem|nincs|\w{1,30}(?:m[iıuü]yor|mayaca|meyece)\w{1,8})\b"
    r"|[不没沒無无未非]|ない|ません|ไม่|안 |않|없"
)
# Signs other than the marks of a sentence: "==", "<", "✅", "@", "#".
_SIGN = re.compile(r"[!=<>]=+|[^\w\s.,;:!?'\"()\[\]“”„‟«»‘’‚‛‹›‐‑‒–—―−…-]")

# The share and the number of shared words of the shorter text from which two texts have one
# subject.
MIN_SHARED_RATIO, MIN_SHARED_TERMS = 0.8, 2


def normalise_text(text: str) -> str:
    """The form in which texts are the same: small letters, single blanks, plain quotation marks and
    dashes, "..." for an ellipsis.

    Small letters as each letter has one: "ß" does not become "ss", and a Turkish "I" becomes "ı".
    """
    plain = normalise_unicode(text).translate(_TYPOGRAPHIC_MARKS)
    if _TURKISH_LETTER.search(plain):
        plain = plain.translate(_TURKISH_CAPITALS)
    return " ".join(plain.lower().split())


def may_contradict(one: str, other: str, language: str | None = None) -> bool:
    """Whether two similar texts differ in numbers, signs, negation, opposites, or words of order,
    side and time.

    It errs towards True, because results that are not merged are merely read twice. Also True for
    very long texts. language: the ISO code of their language where it is known.
    """
    if max(len(one), len(other)) > MAX_CHARACTERS_PER_TEXT:
        return True
    first, second = _fold(one), _fold(other)
    if sorted(_NUMBER.findall(first)) != sorted(_NUMBER.findall(second)):
        return True
    told = find_word_differences(one, other, language)
    if told.negated or told.opposed or told.dated:
        return True
    return (
        _negation_differs(first, second)
        or _has_opposites(first, second)
        or any(
            Counter(pattern.findall(first)) != Counter(pattern.findall(second))
            for pattern in (_SIGN, _FOREIGN_NEGATION)
        )
        or any(_exclude(words, first, second) for words in _EXCLUSIVE_WORDS)
    )


def is_contradiction(one: str, other: str, language: str | None = None) -> bool:
    """Whether two texts of similar meaning disagree about one subject.

    Stricter than `may_contradict`, because somebody will be asked. True for a number against
    another number, a yes against a no, or a word against its opposite. Texts that differ in number
    and opposite ("opens at 9", "closes at 5") are two facts, and so are texts about different
    names. Most words of the shorter text must be in the longer one. False for texts longer than
    MAX_CHARACTERS_PER_TURN.
    language: the ISO code of their language where it is known.
    """
    if max(len(one), len(other)) > MAX_CHARACTERS_PER_TURN:
        return False
    if not may_contradict(one, other, language):
        return False
    first, second = _fold(one), _fold(other)
    numbers, others = set(_NUMBER.findall(first)), set(_NUMBER.findall(second))
    counted = bool(numbers - others and others - numbers)
    told = find_word_differences(one, other, language)
    opposed = told.opposed or _has_opposites(*_distinct_words(first, second))
    negated = told.negated or _negation_differs(first, second)
    if (counted and opposed) or not (counted or opposed or negated):
        return False
    if have_different_names(one, other):
        return False
    if told.spoken:
        # What is elided is a word of its own: "n'ouvre".
        one, other = (each.replace("’", "'").replace("'", "' ") for each in (one, other))
    here, there = (_content_terms(each, opposed) - told.words for each in (one, other))
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


def _exclude(words: re.Pattern[str], first: str, second: str) -> bool:
    here, there = set(words.findall(first)), set(words.findall(second))
    return bool(here - there and there - here)


def _only_in_first(side: re.Pattern[str], here: str, there: str) -> bool:
    return bool(side.search(here)) and not side.search(there)


def jaccard_index(one: Collection[str], other: Collection[str]) -> float | None:
    """The share of what two sets have in common, in 0-1; None if both are empty."""
    either = set(one) | set(other)
    return len(set(one) & set(other)) / len(either) if either else None
