"""People whom a text names: by titles, lists of names, and context. Pure.

A first name of the lists with the word after it is surely a name. Two capitalised words that no
list has are not sure. A single word is a name if it is nothing else, or if the context shows it.
Names of the organisation's own members are found in known_terms.
"""

import re
from collections.abc import Iterator

from memories.safety.personal_data.name_cues import (
    ALL_TITLES,
    INTRODUCTION,
    OFFICE_TITLES,
    SHORT_TITLES,
    is_announced_before,
    is_confirmed_after,
)
from memories.safety.personal_data.word_classes import (
    NAME,
    NOT_ONLY_NAME,
    CapitalisedWord,
    WordClass,
    iter_runs,
    word_class,
)
from memories.safety.required_checks import Finding, PersonalDataType

_LAST_NAME_MASK = WordClass.LAST | WordClass.ORDINARY | WordClass.PLACE
# Before a first name these words make a place of it.
_PLACE_PREFIXES = frozenset(
    {"san", "santa", "santo", "são", "saint", "st", "fort", "port", "lake", "mount"}
)
_AROUND = 60
_GERMAN = re.compile(
    r"\b(?:der|die|das|dem|und|ist|sind|wird|nicht|nur|eine?[mnrs]?|diese?[mnrs]?|alle|im|vom|zum|zur"
    r"|mit|für|auf|gilt|gelten|wenn|bitte|kein\w{0,2}|auch|oder)\b",
    re.IGNORECASE,
)
# The most words of one name.
_MAX_NAME_WORDS = 5
# (number of words of a name from a place on, whether surely); None: try another rule.
_NameMatch = tuple[int, bool] | None
_NO_MATCH = (0, False)


def find_people(text: str, words: list[CapitalisedWord]) -> Iterator[Finding]:
    """The names of people in a text. words: its capitalised words."""
    before: CapitalisedWord | None = None
    for run in iter_runs(text, words):
        at = 0
        while at < len(run):
            taken, sure = _match_name(text, run, at)
            if taken:
                start = run[at].start
                if at == 0 and before and text[before.end : start] == ", " and run[0].is_first:
                    start = before.start  # Weber, Anna
                yield Finding(start, run[at + taken - 1].end, PersonalDataType.PERSON, sure)
            at += max(1, taken)
        before = run[-1] if run[-1].kind & _LAST_NAME_MASK == WordClass.LAST else None
    yield from _find_introduced(text)


def _find_introduced(text: str) -> Iterator[Finding]:
    """Names after phrases such as "my name is", in any letter case."""
    for match in INTRODUCTION.found(text):
        kind = word_class(match[1])
        if kind & NOT_ONLY_NAME and not kind & WordClass.FIRST:
            continue
        other = word_class(match[2]) if match[2] else WordClass.ORDINARY
        second = not other & NOT_ONLY_NAME or other & WordClass.LAST
        yield Finding(match.start(1), match.end(2 if second else 1), PersonalDataType.PERSON)


def _match_name(text: str, run: list[CapitalisedWord], at: int) -> tuple[int, bool]:
    """(number of words of a name in a run from here on, whether surely)."""
    one = run[at]
    listed = one.kind & NAME or one.word.casefold() in ALL_TITLES
    if one.kind & (WordClass.ORDINARY | WordClass.PLACE) and not listed:
        return _NO_MATCH
    rest = run[at + 1 : at + 1 + _MAX_NAME_WORDS]
    if (titled := _match_titled(one, rest)) is not None:
        return titled
    if _is_all_capitals(one):
        return _match_all_capitals(one, rest)
    if at and run[at - 1].word.casefold() in _PLACE_PREFIXES:
        return _NO_MATCH
    found = (
        _match_first_name(one, rest)
        or _match_initial(text, one, rest)
        or _match_last_name(text, run, at, rest)
    )
    return found or (_match_single(text, run, at), _is_surely_announced(text, run, at))


def _is_all_capitals(one: CapitalisedWord) -> bool:
    return len(one.word) > 1 and one.word.isupper()


def _match_titled(one: CapitalisedWord, rest: list[CapitalisedWord]) -> _NameMatch:
    """A title, and what follows it."""
    title = one.word.casefold()
    if title not in ALL_TITLES or not rest:
        return None
    first, names = rest[0], rest[0].kind & NAME
    if _is_all_capitals(first) and not first.is_last:
        return None
    if title in OFFICE_TITLES or title in SHORT_TITLES:
        known = names and not first.kind & WordClass.PLACE
        return (2 + _count_following(rest[1:]), bool(names)) if known or first.is_unknown else None
    if first.kind & (WordClass.ORDINARY | WordClass.SHARED) and not names:
        return None
    return 2 + _count_following(rest[1:]), True


def _match_all_capitals(one: CapitalisedWord, rest: list[CapitalisedWord]) -> tuple[int, bool]:
    """ANNA WEBER: both words must be listed, because many other words are written in capitals."""
    if not rest:
        return _NO_MATCH
    pair = (one, rest[0]) if one.is_first else (rest[0], one)
    both = pair[0].is_first and pair[1].kind & _LAST_NAME_MASK == WordClass.LAST
    return (2, True) if both else _NO_MATCH


def _match_first_name(one: CapitalisedWord, rest: list[CapitalisedWord]) -> _NameMatch:
    """A first name; one that is also a word needs a last name."""
    if one.is_first:
        return 1 + _count_following(rest), True
    follows = _count_to_last_name(rest) if one.kind & WordClass.FIRST else 0
    if not follows:
        return None
    last = rest[follows - 1]
    if last.is_last:
        return 1 + follows, True
    if last.kind & WordClass.LAST or (last.is_unknown and not one.begins):
        return 1 + follows, False
    return None


def _match_initial(text: str, one: CapitalisedWord, rest: list[CapitalisedWord]) -> _NameMatch:
    """J. Weber; "I" and "A" need the full stop."""
    follows = _count_to_last_name(rest) if one.is_initial else 0
    if not follows:
        return None
    stop, listed = text.startswith(".", one.end), rest[follows - 1].is_last
    if stop or (listed and one.word not in "IA"):
        return 1 + follows, listed
    return None


def _match_last_name(
    text: str, run: list[CapitalisedWord], at: int, rest: list[CapitalisedWord]
) -> _NameMatch:
    """Weber Anna, and unlisted words: before a last name, or two by themselves, but not in German,
    which writes all nouns with a capital."""
    one = run[at]
    if one.is_last and rest and rest[0].is_first:
        return 2, True
    follows = _count_to_last_name(rest) if one.is_unknown else 0
    if follows and rest[follows - 1].is_last:
        return 1 + follows, True
    if follows and _is_whole_run(run, at, follows) and not _in_german(text, run, at):
        return 1 + follows, False
    return None


def _in_german(text: str, run: list[CapitalisedWord], at: int) -> bool:
    """Whether two words around a place are German ones that no other language has."""
    around = text[max(0, run[at].start - _AROUND) : run[-1].end + _AROUND]
    return len({word.casefold() for word in _GERMAN.findall(around)}) > 1


def _match_single(text: str, run: list[CapitalisedWord], at: int) -> int:
    """1 if a single word is a name by itself, else 0."""
    one = run[at]
    if not one.kind & NAME and not one.is_unknown:
        return 0
    if at == 0 and is_announced_before(text, one.start) is not None:
        return 1
    if one.kind & (WordClass.ORDINARY | WordClass.PLACE):
        return 0
    if at == len(run) - 1 and is_confirmed_after(text, one.end):
        return 1
    return int(_is_whole_run(run, at, 0) and _is_only_a_name(one))


def _is_only_a_name(one: CapitalisedWord) -> bool:
    """Whether a single word is only a name, or written as one."""
    if one.is_last and (not one.opens or "-" in one.word):
        return True
    return bool(one.kind & WordClass.FIRST) and not one.opens and len(one.word) > 3


def _is_surely_announced(text: str, run: list[CapitalisedWord], at: int) -> bool:
    return at == 0 and is_announced_before(text, run[0].start) is True


def _is_whole_run(run: list[CapitalisedWord], at: int, follows: int) -> bool:
    """Whether the run has only these words, apart from one that begins a sentence."""
    leads = at == 0 or (at == 1 and run[0].begins and not run[0].kind & NAME)
    return leads and len(run) == at + 1 + follows


def _count_following(rest: list[CapitalisedWord]) -> int:
    """The number of words after a first name that belong to the name."""
    taken = 0
    for number, one in enumerate(rest[: _MAX_NAME_WORDS - 1]):
        if one.is_initial:
            continue
        if (_is_all_capitals(one) and not one.is_last) or not (one.kind & NAME or one.is_unknown):
            break
        taken = number + 1
    return taken


def _count_to_last_name(rest: list[CapitalisedWord]) -> int:
    """The number of words up to the last name, with initials and one more name before it."""
    for number, one in enumerate(rest[:3]):
        if one.is_initial or (one.is_first and number + 1 < len(rest[:3])):
            continue
        named = one.kind & WordClass.LAST or one.is_unknown or one.is_first
        return number + 1 if named and not _is_all_capitals(one) else 0
    return 0
