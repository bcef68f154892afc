"""No text keeps a process busy: the work of every rule grows with the text and no faster.

The rules and the patterns are found by looking at the modules (tests/texts/text_rules.py), the
texts are made of ten kinds and of the patterns themselves (kinds.py, almost.py), so that what is
new is held to it without being listed.
"""

import itertools
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.sampling import sample_slice
from tests.texts.growth import MIN_SECONDS, MOST_GROWTH, measure_growth, processor_seconds
from tests.texts.near_matches import iter_near_matches, iter_pumps
from tests.texts.text_generators import TEXT_GENERATORS, TextGenerator, begin_then_repeat, repeat
from tests.texts.text_rules import list_patterns, list_rules

RULES = dict(list_rules())
PATTERNS = list_patterns()
QUICK, SHORT, WHOLE = 12_000, 8_000, 100_000
# Seconds for any text of 100,000 characters; `make bench ARGS="--only texts"` tells the figure.
MOMENT = 1.0


@pytest.mark.conformance("T24")
def test_the_rules_are_found() -> None:
    assert len(RULES) > 60
    assert {
        "memories.language.entities.extract_entities",
        "memories.language.coreference.PronounResolver.resolved",
        "robots.conversations.mentions.parse_mentions",
        "memories.ingestion.file_import.import_lines.parse_line",
    } <= set(RULES)
    assert len(PATTERNS) > 60
    assert len(TEXT_GENERATORS) >= 10


@pytest.mark.parametrize(
    ("power", "noise", "noticed"), [(1, 0.3, False), (1.5, 0, False), (2, 0, True), (2, 0.3, True)]
)
def test_a_rule_that_grows_too_fast_is_noticed(
    monkeypatch: pytest.MonkeyPatch, power: float, noise: float, noticed: bool
) -> None:
    """The measure itself, by a clock that goes on with the text: a quiet one, and a noisy one."""
    now, other_work = 0.0, itertools.cycle([0.1, 1.0, 0.4, 0.0, 0.7])

    def call(text: str) -> None:
        nonlocal now
        now += 0.2 * (len(text) / 4_000) ** power * (1 + noise * next(other_work))

    monkeypatch.setattr(time, "process_time", lambda: now)
    found = measure_growth(call, repeat("a "), 4_000)
    assert (found > MOST_GROWTH) is noticed, found


def test_what_takes_too_little_to_be_seen_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def call(text: str) -> None:
        nonlocal now
        now += (len(text) / 4_000) ** 2 * MIN_SECONDS * 0.99

    monkeypatch.setattr(time, "process_time", lambda: now)
    assert measure_growth(call, repeat("a "), 4_000) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "written",
    [
        r"\b((?:[A-Z][\w'&.-]*[\w]|I)(?:'ll| will| must) [^\n.!?;]{3,140})",
        r"(?:\w+ )*ago\b",
        r"\(.*\)!",
        r"#\s+\s*x",
    ],
)
def test_a_pattern_that_grows_too_fast_is_noticed_by_texts_made_of_it(written: str) -> None:
    pattern = re.compile(written)
    made, call = _almost(pattern), _found(pattern)
    assert any(measure_growth(call, make, SHORT) > MOST_GROWTH for make in made)


@pytest.mark.conformance("T24")
def test_every_rule_grows_with_a_sixteenth_of_the_texts(request: pytest.FixtureRequest) -> None:
    made = [make for kind in TEXT_GENERATORS.values() for make in kind]
    assert too_fast(made[sample_slice(request, 16)]) == {}


@pytest.mark.slow
@pytest.mark.conformance("T24")
@pytest.mark.parametrize("kind", TEXT_GENERATORS)
def test_every_rule_grows_with_its_text(kind: str) -> None:
    assert too_fast(TEXT_GENERATORS[kind]) == {}


def too_fast(made: Sequence[TextGenerator]) -> dict[str, float]:
    """The rules that grow faster than they may with one of the texts, and how fast."""
    return {
        name: round(found, 1)
        for name, call in RULES.items()
        for make in made
        if (found := measure_growth(call, make, QUICK)) >= MOST_GROWTH
    }


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.conformance("T24")
@pytest.mark.parametrize("name", PATTERNS)
def test_every_pattern_grows_with_its_text(name: str) -> None:
    call = _found(PATTERNS[name])
    slow = [
        make(60)
        for make in _almost(PATTERNS[name])
        if measure_growth(call, make, SHORT) > MOST_GROWTH
    ]
    assert slow == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.conformance("T24")
@pytest.mark.timed
@pytest.mark.parametrize("name", RULES)
def test_no_text_takes_a_moment(name: str) -> None:
    """Every rule over all kinds of text, and over what almost matches a pattern of its module."""
    own = [p for where, p in PATTERNS.items() if where.rpartition(".")[0] in name]
    made = [make for kind in TEXT_GENERATORS.values() for make in kind]
    made += [make for pattern in own for make in _almost(pattern)]
    for make in made:
        assert measure_growth(RULES[name], make, WHOLE // 4) < MOST_GROWTH, make(60)
        text = make(WHOLE)
        assert min(processor_seconds(RULES[name], text) for _ in range(2)) < MOMENT, make(60)


def _found(pattern: re.Pattern[str]) -> Callable[[str], Any]:
    def call(text: str) -> None:
        for _ in pattern.finditer(text):
            pass
        pattern.match(text)
        pattern.fullmatch(text)

    return call


def _almost(pattern: re.Pattern[str]) -> list[TextGenerator]:
    """What almost matches again and again, and a match with one part that goes on for ever."""
    return [repeat(text) for text in iter_near_matches(pattern)] + [
        begin_then_repeat(begin, part) for begin, part in iter_pumps(pattern)
    ]
