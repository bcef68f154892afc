"""Names in lower case, and initials: as people write them in a hurry. Pure.

A word in lower case is taken for a name where it is nothing else, and where a last name follows or
the words around it speak of a person. It is never sure.
"""

import re
from collections.abc import Iterator

from memories.safety.personal_data.name_cues import is_announced_before, is_confirmed_after
from memories.safety.personal_data.word_classes import (
    FIRST_NAMES_ONLY,
    NAME,
    NOT_ONLY_NAME,
    WordClass,
    word_class,
)
from memories.safety.required_checks import Finding, PersonalDataType

_WORD = re.compile(r"[^\W\d_]+")
_LEAST = 3
# A. W., A.W., J. P. K.
_INITIALS = re.compile(r"(?<![\w.])[^\W\d_a-zß-öø-ÿ]\.(?: ?[^\W\d_a-zß-öø-ÿ]\.){1,2}(?!\w)")
# j. weber, weber, j.
_LETTER_AND_NAME = re.compile(r"(?<![\w.])([^\W\d_])\. ?([^\W\d_]{3,30})(?![\w.])")
_NAME_AND_LETTER = re.compile(r"(?<![\w.])([^\W\d_]{3,30}), ([^\W\d_])\.(?!\w)")
# What only people do.
_ACTS = re.compile(
    r",? (?:called|rang|signed|wrote|writes|asked|asks|wants|wanted|agreed|refused|owes|earns"
    r"|resigned"
    r"|is (?:sick|ill|pregnant|ours?|a|an|the|leaving|single|married|divorced|in debt)"
    r"|has (?:asked|agreed|signed|been|not|a|an|left|debts)|and (?:his|her|their))\b"
)
# What is written like initials: places, times, companies, Latin.
_ABBREVIATIONS = frozenset(
    """
    us uk eu un uae usa ussr dc ny la sf nyc am pm ad bc ce bce ps po pi ai it hr pr tv pc id ip ok
    sa bv nv sl kg ag se eg ie phd md ba ma bs ms mba llm rsvp qa ui ux vp cv rip st bp sc
    """.split()  # noqa: SIM905
)


def small_names(text: str, words: frozenset[str]) -> Iterator[Finding]:
    """The names in lower case and the initials of a text. words: its words in lower case."""
    if not FIRST_NAMES_ONLY.isdisjoint(words):
        yield from _in_lower_case(text)
    if ". " in text or text.count(".") > 1:
        yield from _initials(text)


def _in_lower_case(text: str) -> Iterator[Finding]:
    found = list(_WORD.finditer(text))
    for place, one in enumerate(found):
        word = one[0]
        if not word.islower() or len(word) < _LEAST or word not in FIRST_NAMES_ONLY:
            continue
        if _in_identifier(text, one.start(), one.end()):
            continue
        then = found[place + 1] if place + 1 < len(found) else None
        follows = then is not None and text[one.end() : then.start()] == " "
        last = word_class(then[0]) if then is not None and follows and then[0].islower() else None
        if then is not None and last is not None and _is_last(last):
            yield Finding(one.start(), then.end(), PersonalDataType.PERSON, sure=False)
        elif word_class(word) & NOT_ONLY_NAME:
            continue
        elif is_announced_before(text, one.start()) is not None or is_confirmed_after(
            text, one.end()
        ):
            unknown = last == WordClass.UNKNOWN and then is not None and len(then[0]) > _LEAST
            end = then.end() if unknown and then is not None else one.end()
            yield Finding(one.start(), end, PersonalDataType.PERSON, sure=False)


def _is_last(kind: int) -> bool:
    return bool(kind & NAME) and not kind & (WordClass.ORDINARY | WordClass.PLACE)


def _in_identifier(text: str, start: int, end: int) -> bool:
    """Whether a word is a part of a path, an address or a name in code."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return any(sign in "/\\_@#=<>-" for sign in around) or (
        text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum()
    )


def _initials(text: str) -> Iterator[Finding]:
    for match in _INITIALS.finditer(text):
        letters = "".join(sign for sign in match[0] if sign.isalpha()).casefold()
        if letters in _ABBREVIATIONS:
            continue
        after = is_confirmed_after(text, match.end()) or _ACTS.match(text, match.end())
        if is_announced_before(text, match.start()) is not None or after:
            yield Finding(match.start(), match.end(), PersonalDataType.PERSON, sure=False)
    for pattern, name in ((_LETTER_AND_NAME, 2), (_NAME_AND_LETTER, 1)):
        for match in pattern.finditer(text):
            kind = word_class(match[name])
            if kind & WordClass.LAST and not kind & (WordClass.ORDINARY | WordClass.PLACE):
                yield Finding(match.start(), match.end(), PersonalDataType.PERSON, sure=False)
