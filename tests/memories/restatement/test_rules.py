"""A sentence that can be read on its own: what is certain is resolved, everything else stays."""

from datetime import UTC, date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.language.relative_dates import resolve_relative_dates
from memories.restatement.rules import (
    RuleRestatement,
    Turn,
    has_second_person,
    needs_context,
    restate,
)
from memories.restatement.window_profile import DEFAULT, WindowProfile, iter_windows

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def said(text: str, *before: tuple[str, str], by: str = "Mina", to: tuple[str, ...] = ()) -> str:
    turn = Turn(text=text, speaker=by, at=MONDAY, addressed=to)
    found = restate(turn, [Turn(text=words, speaker=who) for who, words in before])
    return found.text or text


@pytest.mark.conformance("A26")
@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        (
            "he meets Bob tomorrow",
            ("Mina", "Daniel is in Berlin this week."),
            "Daniel meets Bob on 2026-03-03",
        ),
        (
            "I really like tea, but I don't drink it.",
            (),
            "Mina really likes tea, but Mina doesn't drink it.",
        ),
        (
            "Should I go? I'm late, I've lost my keys.",
            (),
            "Should Mina go? Mina is late, Mina has lost Mina's keys.",
        ),
        (
            "her book is here, I saw her",
            ("Bob", "Alice called."),
            "Alice's book is here, Mina saw Alice",
        ),
        ("he came and I bring it", ("Mina", "Alex is here."), "Alex came and Mina brings it"),
        ("He's sick", ("Mina", "my boss Tariq Aziz called"), "Tariq Aziz is sick"),
        ("They're here", ("Bob", "Alice and Bob went off."), "Alice and Bob are here"),
    ],
)
def test_who_is_meant(text: str, before: tuple[str, str], expected: str) -> None:
    assert said(text, *([before] if before else [])) == expected


@pytest.mark.conformance("A26")
@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("he left", [("Mina", "Daniel and Peter are in Berlin.")]),
        ("he left", [("Mina", "Daniel is here."), ("Bob", "Ask Sven about it.")]),
        ("he left", [("Kees", "It is broken."), ("Bob", "Ask Sven about it.")]),
        ("he left", [("Mina", "Alice is here.")]),
        ("Bob said he is late", [("Mina", "Daniel is here.")]),
        ("he left", [("Bob", "My neighbour called."), ("Mina", "Daniel is here.")]),
        ("a friend lost his key", [("Mina", "Daniel is here.")]),
        ("he/she left", [("Mina", "Daniel is here.")]),
        ("use grep -i on i386", []),
        ("they are down", [("Mina", "The servers need Daniel.")]),
        ('so "I am late" it is', []),
        ("World War I was long", []),
        ("for i in range(3): print(i)", []),
        ("run `i = my_list`", []),
    ],
)
def test_nothing_is_guessed(text: str, before: list[tuple[str, str]]) -> None:
    assert said(text, *before) == text


def test_you_is_the_one_who_is_addressed() -> None:
    asked = "Can you bring my folder? If you are late, I call you."
    told = "Can Bob bring Mina's folder? If Bob is late, Mina calls Bob."
    assert said(asked, to=("Bob",)) == told
    assert said("do you know?", to=("Bob", "Vera")) == "do you know?"
    assert said("do you know?") == "do you know?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tomorrow we ship.", "On 2026-03-03 we ship."),
        ("send it by tomorrow", "send it by 2026-03-03"),
        ("yesterday morning", "on the morning of 2026-03-01"),
        ("the launch is next Friday", "the launch is on 2026-03-06"),
        ("it broke last Monday", "it broke on 2026-02-23"),
        ("we go in two weeks", "we go on 2026-03-16"),
        ("it was 3 days ago", "it was on 2026-02-27"),
        ("last month it failed", "in 2026-02 it failed"),
        ("see you next week", "see you in the week of 2026-03-09"),
        ("the day after tomorrow", "on 2026-03-04"),
        ("three months ago", "in 2025-12"),
        ("tomorrow's demo", "2026-03-03's demo"),
        ("last week's demo", "last week's demo"),
        # Not certain, or no time at all.
        ("on Friday", "on Friday"),
        ("I built it in two weeks", "I built it in two weeks"),
        ("in the last two weeks", "in the last two weeks"),
        ("tomorrow.example", "tomorrow.example"),
    ],
)
def test_when_is_meant(text: str, expected: str) -> None:
    assert resolve_relative_dates(text, date(2026, 3, 2)) == expected


def test_the_day_is_that_of_the_speaker() -> None:
    late = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    turn = Turn(text="see you tomorrow", at=late, zone=ZoneInfo("Asia/Tokyo"))
    assert restate(turn).text == "see you on 2026-03-04"
    assert restate(Turn(text="see you tomorrow", at=late)).text == "see you on 2026-03-03"
    assert restate(Turn(text="see you tomorrow")).text == "", "nobody knows when it was said"


def test_what_it_names() -> None:
    found = restate(Turn(text="Alice moves to Berlin on 12 May for the Spinnaker launch."))
    assert (found.text, found.persons, found.location) == ("", ("Alice",), "Berlin")
    assert {"Spinnaker", "Berlin", "Alice"} <= set(found.keywords)
    plain = restate(Turn(text="The buckle supplier needs more time."))
    assert (plain.text, plain.persons, plain.entities) == ("", (), ())
    assert (plain.keywords, plain.topic) == (("supplier", "buckle"), "supplier")
    assert restate(Turn(text="ok")) == RuleRestatement()
    marked = restate(Turn(text="Project Kestrel ships, Alice says. #batteries", speaker="Mina"))
    assert ("Kestrel", "project") in marked.entities
    assert (marked.topic, marked.persons) == ("batteries", ("Alice",))
    assert restate(Turn(text="Alice and Daniel, 2024")).topic == ""


@given(
    st.text(max_size=300),
    st.lists(st.text(max_size=80), max_size=3),
    st.sampled_from(["", "Mina", "a.b", "Ann Lee"]),
)
def test_any_text_is_taken(text: str, before: list[str], by: str) -> None:
    turn = Turn(text=text, speaker=by, at=MONDAY, addressed=("Bob",))
    found = restate(turn, [Turn(text=words, speaker="Kim") for words in before])
    assert found.text != text or not text
    assert len(found.keywords) <= 5


@pytest.mark.conformance("A28")
def test_defaults_of_the_ingestion_profile() -> None:
    assert WindowProfile(
        window=40, overlap=2, semantic_top_k=25, keyword_top_k=5, structured_top_k=5
    ) == DEFAULT  # fmt: skip
    with pytest.raises(ValueError, match="overlap"):
        WindowProfile(window=2, overlap=2)


@pytest.mark.conformance("A28")
@pytest.mark.parametrize("count", [0, 1, 2, 39, 40, 41, 78, 79, 200])
def test_windows_hold_every_turn_and_overlap_by_two(count: int) -> None:
    turns = list(range(count))
    windows = list(iter_windows(turns))
    assert {t for w in windows for t in w} == set(turns)
    assert all(len(w) == 40 for w in windows[:-1])
    assert all(a[-2:] == b[:2] for a, b in pairwise(windows))
    assert len(windows) == (0 if not count else max(1, -(-(count - 2) // 38)))


def test_what_needs_the_turns_before() -> None:
    for text in ("he left", "ask HER", "they went", "his"):
        assert needs_context(text), text
        assert not has_second_person(text)
    for text in ("you left", "YOUR key", "yours"):
        assert has_second_person(text), text
        assert not needs_context(text)
    assert not needs_context("the theory of shells")
    assert needs_context("he " + "x" * 3_997)
    assert not needs_context("he " + "x" * 3_998)
    assert has_second_person("you " + "x" * 3_996)
    assert not has_second_person("you " + "x" * 3_997)


def test_a_text_that_is_too_long_is_not_restated() -> None:
    turn = "my " + "x" * 3_997
    assert said(turn) == "Mina's " + "x" * 3_997
    assert said(turn + "x") == turn + "x"
    long = restate(Turn(text="Alice fixed the turbine. " + "x " * 2_000 + "Daniel"))
    assert (long.text, long.persons, long.topic) == ("", ("Alice",), "turbine")


def test_what_a_turn_is_about() -> None:
    turn = Turn(text="the turbine in Berlin needs oil", speaker="Mina")
    before = [Turn(text="a turbine", speaker="Kees")] * 2
    assert restate(turn, before).topic == "turbine"
    assert restate(turn, before, topic="pumps").topic == "pumps"
    assert restate(turn, before[:1]).topic == "Berlin"
    assert restate(turn, before).location == "Berlin"
    assert len(restate(turn, before, keywords=2).keywords) == 2
    assert restate(Turn(text="Alice saw turbine alpha bravo charlie delta"), ()).persons == (
        "Alice",
    )
    assert len(restate(Turn(text="Alice saw turbine alpha bravo charlie delta"), ()).keywords) == 5


def test_windows_need_no_overlap() -> None:
    assert WindowProfile(window=2, overlap=0).overlap == 0
    with pytest.raises(ValueError, match="overlap"):
        WindowProfile(window=2, overlap=-1)
