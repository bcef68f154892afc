"""A quick look for signs finds what the slow search finds."""

import re
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from memories.safety.personal_data import (
    addresses,
    api_keys,
    contacts,
    name_cues,
    organisation_names,
)
from memories.safety.personal_data.informal import said_passwords
from memories.safety.prefilter import PrefilteredPattern, fold_words
from memories.safety.prompt_injection import (
    exfiltration,
    find_injections,
    hidden_characters,
    roles,
    tool_calls,
)

MODULES = (
    *(addresses, api_keys, contacts, name_cues, organisation_names, said_passwords),
    *(exfiltration, hidden_characters, roles, tool_calls),
)
NAMED = {
    f"{module.__name__.rpartition('.')[2]}.{name}": rule
    for module in MODULES
    for name, rule in vars(module).items()
    if isinstance(rule, PrefilteredPattern)
}
RULES = NAMED | {f"unbroken.{kind}": rule for kind, rule in find_injections._UNSPACED_PATTERNS}
# A sign of each class, in this order: what one class has may be what another one excludes.
SIGNS = " A7axé@.-\"'_/=:&?<([{\n"


def written(pattern: re.Pattern[str]) -> set[str]:
    """Texts that a pattern matches: each of its branches, characters and repeats is in one."""
    texts = _sequence(parser.parse(pattern.pattern, pattern.flags), pattern.flags)
    # A rule may end before a letter.
    return {more for text in texts for more in (text, f"{text}x") if pattern.search(more)}


def _sequence(nodes: Any, flags: int) -> list[str]:
    parts = [_node(*node, flags) for node in nodes]
    first = [part[0] for part in parts]
    return ["".join(first)] + [
        "".join([*first[:at], other, *first[at + 1 :]])
        for at, part in enumerate(parts)
        for other in part[1:]
    ]


def _node(kind: Any, given: Any, flags: int) -> list[str]:
    match kind:
        case code.LITERAL:
            found = [chr(given)]
        case code.BRANCH:
            found = [text for branch in given[1] for text in _sequence(branch, flags)]
        case code.SUBPATTERN:
            found = _sequence(given[3], flags)
        case code.IN:
            found = _in(given)
        case code.ANY:
            found = ["x"]
        case code.NOT_LITERAL:
            found = [next(sign for sign in SIGNS if sign != chr(given))]
        case code.MAX_REPEAT | code.MIN_REPEAT | code.POSSESSIVE_REPEAT:
            least, _, what = given
            counts = (max(least, 1), least)
            found = [text * count for count in counts for text in _sequence(what, flags)]
        case code.AT | code.ASSERT | code.ASSERT_NOT:
            found = [""]
        case _:
            raise AssertionError(f"What does {kind} match?")
    return found


def _in(members: list[Any]) -> list[str]:
    if members[0][0] is code.NEGATE or any(one[0] is code.CATEGORY for one in members):
        one_of = _class(members)
        return [next(sign for sign in SIGNS if one_of.fullmatch(sign))]
    return [chr(what if kind is code.LITERAL else what[0]) for kind, what in members]


def _class(members: list[Any]) -> re.Pattern[str]:
    """The class as a pattern again."""
    names = {
        code.CATEGORY_DIGIT: r"\d",
        code.CATEGORY_NOT_DIGIT: r"\D",
        code.CATEGORY_SPACE: r"\s",
        code.CATEGORY_NOT_SPACE: r"\S",
        code.CATEGORY_WORD: r"\w",
        code.CATEGORY_NOT_WORD: r"\W",
    }
    found = ""
    for kind, what in members:
        if kind is code.NEGATE:
            found += "^"
        elif kind is code.CATEGORY:
            found += names[what]
        elif kind is code.RANGE:
            found += f"{re.escape(chr(what[0]))}-{re.escape(chr(what[1]))}"
        else:
            found += re.escape(chr(what))
    return re.compile(f"[{found}]")


def test_every_slow_rule_is_looked_at_here() -> None:
    assert len(RULES) == 27
    texts = sum(len(written(rule.pattern)) for rule in RULES.values())
    assert texts > 900


@pytest.mark.parametrize("name", RULES)
def test_each_match_of_a_rule_has_a_sign_or_a_word_of_it(name: str) -> None:
    rule = RULES[name]
    texts = written(rule.pattern)
    assert texts
    unnoticed = {text for text in texts if not rule.is_likely(text, fold_words(text))}
    assert unnoticed == set()


@pytest.mark.parametrize("name", RULES)
def test_no_word_of_a_rule_is_without_use(name: str) -> None:
    rule = RULES[name]
    texts = [fold_words(text) for text in written(rule.pattern)]
    assert {word for word in rule.words.split() if not any(word in text for text in texts)} == set()


def test_without_a_sign_a_pattern_is_not_tried() -> None:
    rule = PrefilteredPattern(re.compile("a+b?"), ("b",))
    assert not list(rule.found("aaa"))
    assert [match[0] for match in rule.found("aab")] == ["aab"]


def test_letter_case_counts_as_the_pattern_says() -> None:
    small, any_case = (
        PrefilteredPattern(re.compile("key"), ("key",)),
        PrefilteredPattern(re.compile("key", re.I), ("key",)),
    )
    assert not small.is_likely("KEY")
    assert any_case.is_likely("KEY")
    assert PrefilteredPattern(re.compile("Söhne"), words="Söhne").is_likely(
        "", fold_words("Weber & SÖHNE")
    )
    assert not PrefilteredPattern(re.compile("sons"), words="sons").is_likely(
        "", fold_words("persons")
    )


def test_a_pattern_needs_signs() -> None:
    with pytest.raises(ValueError, match="found nowhere"):
        PrefilteredPattern(re.compile("a"))
