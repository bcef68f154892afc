"""People whom a text names: by titles, lists of names, and context. Pure.

A first name of the lists with the word after it is surely a name. Two capitalised words that no
list has are not sure. A single word is a name if it is nothing else, or if the context shows it.
Names of the organisation's own members are found in known_terms.
"""

import re
from collections.abc import Iterator

from memories.safety.findings import Finding, Personal
from memories.safety.personal_data.name_cues import (
    INTRODUCTION,
    OFFICES,
    SHORT_TITLES,
    TITLED,
    said_before,
    said_behind,
)
from memories.safety.personal_data.words import NAME, NOT_ONLY_NAME, Capital, Kind, kind_of, runs

_NAMED_LAST = Kind.LAST | Kind.ORDINARY | Kind.PLACE
# Before a first name these words make a place of it.
_SAINTS = frozenset(
    {"san", "santa", "santo", "são", "saint", "st", "fort", "port", "lake", "mount"}
)
_AROUND = 60
_GERMAN = re.compile(
    r"\b(?:der|die|das|dem|und|ist|sind|wird|nicht|nur|eine?[mnrs]?|diese?[mnrs]?|alle|im|vom|zum|zur"
    r"|mit|für|auf|gilt|gelten|wenn|bitte|kein\w{0,2}|auch|oder)\b",
    re.IGNORECASE,
)
# The most words of one name.
_MOST = 5
# (number of words of a name from a place on, whether surely); None: try another rule.
_Name = tuple[int, bool] | None
_NONE = (0, False)


def people(text: str, words: list[Capital]) -> Iterator[Finding]:
    """The names of people in a text. words: its capitalised words."""
    before: Capital | None = None
    for run in runs(text, words):
        at = 0
        while at < len(run):
            taken, sure = _name(text, run, at)
            if taken:
                start = run[at].start
                if at == 0 and before and text[before.end : start] == ", " and run[0].is_first:
                    start = before.start  # Weber, Anna
                yield Finding(start, run[at + taken - 1].end, Personal.PERSON, sure)
            at += max(1, taken)
        before = run[-1] if run[-1].kind & _NAMED_LAST == Kind.LAST else None
    yield from _introduced(text)


def _introduced(text: str) -> Iterator[Finding]:
    """Names after phrases such as "my name is", in any letter case."""
    for match in INTRODUCTION.found(text):
        kind = kind_of(match[1])
        if kind & NOT_ONLY_NAME and not kind & Kind.FIRST:
            continue
        other = kind_of(match[2]) if match[2] else Kind.ORDINARY
        second = not other & NOT_ONLY_NAME or other & Kind.LAST
        yield Finding(match.start(1), match.end(2 if second else 1), Personal.PERSON)


def _name(text: str, run: list[Capital], at: int) -> tuple[int, bool]:
    """(number of words of a name in a run from here on, whether surely)."""
    one = run[at]
    listed = one.kind & NAME or one.word.casefold() in TITLED
    if one.kind & (Kind.ORDINARY | Kind.PLACE) and not listed:
        return _NONE
    rest = run[at + 1 : at + 1 + _MOST]
    if (titled := _titled(one, rest)) is not None:
        return titled
    if _shouted(one):
        return _both_listed(one, rest)
    if at and run[at - 1].word.casefold() in _SAINTS:
        return _NONE
    found = _first(one, rest) or _initial(text, one, rest) or _last(text, run, at, rest)
    return found or (_alone(text, run, at), _said_for_sure(text, run, at))


def _shouted(one: Capital) -> bool:
    return len(one.word) > 1 and one.word.isupper()


def _titled(one: Capital, rest: list[Capital]) -> _Name:
    """A title, and what follows it."""
    title = one.word.casefold()
    if title not in TITLED or not rest:
        return None
    first, names = rest[0], rest[0].kind & NAME
    if _shouted(first) and not first.is_last:
        return None
    if title in OFFICES or title in SHORT_TITLES:
        known = names and not first.kind & Kind.PLACE
        return (2 + _more(rest[1:]), bool(names)) if known or first.is_unknown else None
    if first.kind & (Kind.ORDINARY | Kind.SHARED) and not names:
        return None
    return 2 + _more(rest[1:]), True


def _both_listed(one: Capital, rest: list[Capital]) -> tuple[int, bool]:
    """ANNA WEBER: both words must be listed, because many other words are written in capitals."""
    if not rest:
        return _NONE
    pair = (one, rest[0]) if one.is_first else (rest[0], one)
    both = pair[0].is_first and pair[1].kind & _NAMED_LAST == Kind.LAST
    return (2, True) if both else _NONE


def _first(one: Capital, rest: list[Capital]) -> _Name:
    """A first name; one that is also a word needs a last name."""
    if one.is_first:
        return 1 + _more(rest), True
    follows = _family(rest) if one.kind & Kind.FIRST else 0
    if not follows:
        return None
    last = rest[follows - 1]
    if last.is_last:
        return 1 + follows, True
    if last.kind & Kind.LAST or (last.is_unknown and not one.begins):
        return 1 + follows, False
    return None


def _initial(text: str, one: Capital, rest: list[Capital]) -> _Name:
    """J. Weber; "I" and "A" need the full stop."""
    follows = _family(rest) if one.is_initial else 0
    if not follows:
        return None
    stop, listed = text.startswith(".", one.end), rest[follows - 1].is_last
    if stop or (listed and one.word not in "IA"):
        return 1 + follows, listed
    return None


def _last(text: str, run: list[Capital], at: int, rest: list[Capital]) -> _Name:
    """Weber Anna, and unlisted words: before a last name, or two by themselves, but not in German,
    which writes all nouns with a capital."""
    one = run[at]
    if one.is_last and rest and rest[0].is_first:
        return 2, True
    follows = _family(rest) if one.is_unknown else 0
    if follows and rest[follows - 1].is_last:
        return 1 + follows, True
    if follows and _by_itself(run, at, follows) and not _in_german(text, run, at):
        return 1 + follows, False
    return None


def _in_german(text: str, run: list[Capital], at: int) -> bool:
    """Whether two words around a place are German ones that no other language has."""
    around = text[max(0, run[at].start - _AROUND) : run[-1].end + _AROUND]
    return len({word.casefold() for word in _GERMAN.findall(around)}) > 1


def _alone(text: str, run: list[Capital], at: int) -> int:
    """1 if a single word is a name by itself, else 0."""
    one = run[at]
    if not one.kind & NAME and not one.is_unknown:
        return 0
    if at == 0 and said_before(text, one.start) is not None:
        return 1
    if one.kind & (Kind.ORDINARY | Kind.PLACE):
        return 0
    if at == len(run) - 1 and said_behind(text, one.end):
        return 1
    return int(_by_itself(run, at, 0) and _tells(one))


def _tells(one: Capital) -> bool:
    """Whether a single word is only a name, or written as one."""
    if one.is_last and (not one.opens or "-" in one.word):
        return True
    return bool(one.kind & Kind.FIRST) and not one.opens and len(one.word) > 3


def _said_for_sure(text: str, run: list[Capital], at: int) -> bool:
    return at == 0 and said_before(text, run[0].start) is True


def _by_itself(run: list[Capital], at: int, follows: int) -> bool:
    """Whether the run has only these words, apart from one that begins a sentence."""
    leads = at == 0 or (at == 1 and run[0].begins and not run[0].kind & NAME)
    return leads and len(run) == at + 1 + follows


def _more(rest: list[Capital]) -> int:
    """The number of words after a first name that belong to the name."""
    taken = 0
    for number, one in enumerate(rest[: _MOST - 1]):
        if one.is_initial:
            continue
        if (_shouted(one) and not one.is_last) or not (one.kind & NAME or one.is_unknown):
            break
        taken = number + 1
    return taken


def _family(rest: list[Capital]) -> int:
    """The number of words up to the last name, with initials and one more name before it."""
    for number, one in enumerate(rest[:3]):
        if one.is_initial or (one.is_first and number + 1 < len(rest[:3])):
            continue
        named = one.kind & Kind.LAST or one.is_unknown or one.is_first
        return number + 1 if named and not _shouted(one) else 0
    return 0
