"""What holds of a member everywhere: what a memory shows, and how sure several make it."""

from uuid import uuid4

import pytest

from memories.lifecycle.consolidation.pattern_rules import (
    Evidence,
    Pattern,
    PatternType,
    compute_confidence,
    find_patterns,
    is_supported,
    render_pattern,
)


def shown(
    content: str = "whatever was said",
    *,
    type_: str = "conversation",
    category: str = "",
    topic: str = "",
    tags: tuple[str, ...] = (),
) -> set[tuple[str, str]]:
    found = find_patterns(content=content, type_=type_, category=category, topic=topic, tags=tags)
    return {(one.kind.value, one.value) for one in found}


def test_languages_that_somebody_speaks() -> None:
    assert shown("Mina speaks GERMAN and french.") == {
        ("language", "German"), ("language", "French"),
    }  # fmt: skip
    assert shown("The German report is late") == set()
    assert shown("Please answer always in Dutch") == {("language", "Dutch")}


@pytest.mark.parametrize(
    ("said", "zones"),
    [
        ("I live in Europe/Berlin", {"Europe/Berlin"}),
        ("She is based in America/Argentina/Salta", {"America/Argentina/Salta"}),
        ("The file Europe/Berlin", set()),
        ("Time zone UTC+2 for me", {"UTC+02:00"}),
        ("working in GMT -5:30 now", {"UTC-05:30"}),
        ("He works in UTC+14", {"UTC+14:00"}),
        ("He works in UTC+15", set()),
    ],
)
def test_time_zones_where_somebody_lives(said: str, zones: set[str]) -> None:
    assert shown(said) == {("time_zone", zone) for zone in zones}


def test_expertise_and_preferences_need_a_label_that_is_said() -> None:
    said = "Ask me about Kafka tuning, billing or tea."
    assert shown(said, type_="expertise", topic="Kafka  Tuning!") == {("expertise", "kafka tuning")}
    assert shown(said, type_="expertise") == set()
    assert shown(said, type_="expertise", tags=("billing", "other")) == {("expertise", "billing")}
    assert shown(said, type_="preference", topic="tea") == {("preference", "tea")}
    assert shown(said, category="preference", topic="tea") == {("preference", "tea")}
    assert shown(said, type_="fact", topic="tea") == set()
    assert shown("Ask me about coffee.", type_="preference", topic="tea") == set()
    # What is known more closely is no preference as well.
    assert shown("I speak German over tea", type_="preference", topic="tea") == {
        ("language", "German")
    }


def test_a_label_is_short_and_not_the_text_itself() -> None:
    def label(topic: str, content: str = "") -> bool:
        said = content or f"I know all about {topic}."
        return bool(shown(said, type_="expertise", topic=topic))

    assert label("one two three four")
    assert not label("one two three four five")
    assert label("x" * 60)
    assert not label("x" * 61)
    assert not label("The Secret.", content="the secret")


def evidence(*, group: object = None, confidence: float = 1.0) -> Evidence:
    return Evidence(uuid4(), group or uuid4(), uuid4(), "group", confidence)


def test_two_groups_make_it_the_members() -> None:
    one = uuid4()
    assert not is_supported([evidence(group=one), evidence(group=one)])
    assert is_supported([evidence(group=one), evidence()])


def test_each_piece_leaves_less_doubt() -> None:
    assert compute_confidence([]) == 0.0
    assert compute_confidence([evidence()]) == 0.5
    assert compute_confidence([evidence(), evidence()]) == 0.75
    # 1 - (1 - .4) x (1 - .1).
    both = [evidence(confidence=0.8), evidence(confidence=0.2)]
    assert compute_confidence(both) == pytest.approx(0.46)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (PatternType.EXPERTISE, "Mina knows about x."),
        (PatternType.LANGUAGE, "Mina speaks x."),
        (PatternType.TIME_ZONE, "Mina is in the time zone x."),
        (PatternType.PREFERENCE, "Mina has a preference that holds everywhere: x."),
    ],
)
def test_what_is_said_of_it(kind: PatternType, words: str) -> None:
    assert render_pattern("Mina", Pattern(kind, "x")) == words
