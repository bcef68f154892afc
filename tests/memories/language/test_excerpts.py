"""Text as people look at it, and why a memory came up: by hand."""

import pytest

from memories.browsing.word_diff import diff_words
from memories.language.excerpts import excerpt, highlight_parts, query_stems, stem
from memories.retrieval.explanation.match_phrases import ScoreShares, match_phrases, shared_words


def share(
    meaning: float | None = None,
    words: float | None = None,
    fits: float = 0.0,
    strength: float = 0.0,
) -> ScoreShares:
    return ScoreShares(meaning=meaning, words=words, fits=fits, strength=strength)


@pytest.mark.parametrize(
    ("word", "cut"),
    [
        ("painting", "paint"), ("studies", "stud"), ("boxes", "box"), ("walked", "walk"),
        ("cats", "cat"), ("study", "stud"), ("sing", "sing"), ("red", "red"), ("ring", "ring"),
        ("using", "using"), ("wings", "wing"), ("ties", "tie"),
    ],
)  # fmt: skip
def test_endings_are_cut_where_three_letters_stay(word: str, cut: str) -> None:
    assert stem(word) == cut


def test_the_words_worth_marking() -> None:
    assert query_stems("What IS the price of x boxes?") == {"price", "box"}
    assert query_stems("a" * 1000 + " tail") == {"a" * 1000}, "the first thousand characters"
    assert query_stems("x" * 998 + " tail") == {"x" * 998}
    assert query_stems("go") == {"go"}


def test_hits_are_marked_in_order() -> None:
    assert highlight_parts("The box, boxes!", {"box"}) == [
        {"text": "The ", "hit": False},
        {"text": "box", "hit": True},
        {"text": ", ", "hit": False},
        {"text": "boxes", "hit": True},
        {"text": "!", "hit": False},
    ]
    assert highlight_parts("box", {"box"}) == [{"text": "box", "hit": True}]
    assert highlight_parts("nothing", {"box"}) == [{"text": "nothing", "hit": False}]
    assert highlight_parts("", {"box"}) == []


def test_an_excerpt_begins_shortly_before_the_hit() -> None:
    assert excerpt("short", {"x"}, length=5) == "short"
    text = "one two three four five six seven eight nine ten"
    assert excerpt(text, {"zzz"}, length=13) == "one two …"
    assert excerpt(text, set()) == text
    long = "w " * 200 + "needle " + "v " * 300
    found = excerpt(long, {"needle"})
    # 80 characters before the hit at 400, then to the next word; 360 in all.
    assert found == "… " + "w " * 39 + "needle " + "v " * 136 + "v …"
    end = "w " * 200 + "needle"
    assert excerpt(end, {"needle"}) == "… " + "w " * 39 + "needle"
    near = "w " * 40 + "needle " + "v " * 300
    assert excerpt(near, {"needle"}).startswith("w w"), "80 characters before it is the beginning"


def test_what_changed_word_by_word() -> None:
    assert diff_words("a b c", "a x c d") == [
        {"op": "same", "text": "a"},
        {"op": "del", "text": "b"},
        {"op": "ins", "text": "x"},
        {"op": "same", "text": "c"},
        {"op": "ins", "text": "d"},
    ]
    assert diff_words("a b", "a") == [{"op": "same", "text": "a"}, {"op": "del", "text": "b"}]


def test_long_or_repeating_texts_are_not_compared_by_word() -> None:
    words = [f"w{n}" for n in range(4_001)]
    whole = " ".join(words[:4_000])
    assert [p["op"] for p in diff_words(whole, whole)] == ["same"]
    longer = " ".join(words)
    assert [p["op"] for p in diff_words(whole, longer)] == ["del", "ins"]
    assert [p["op"] for p in diff_words(longer, whole)] == ["del", "ins"]
    # 400 x 250 equal pairs are the most.
    assert [p["op"] for p in diff_words("a " * 400, "a " * 250)] == ["same", "del"]
    assert [p["op"] for p in diff_words("a " * 401, "a " * 250)] == ["del", "ins"]


def test_a_few_shared_words_are_named() -> None:
    assert shared_words("Boxes and a box of CATS, dogs, birds", {"box", "cat", "dog", "bird"}) == [
        "Boxes", "CATS", "dogs",
    ]  # fmt: skip
    assert shared_words("x " * 10_000 + "cats", {"cat"}) == []
    assert shared_words("x " * 9_995 + "cats", {"cat"}) == ["cats"]


@pytest.mark.parametrize(
    ("given", "text", "phrases"),
    [
        (share(), "none", ["is the nearest there is"]),
        (share(words=0.4), "cats", ["says “cats”"]),
        (share(words=0.4), "cats, dogs and birds",
         ["says “cats”, “dogs” and “birds”"]),
        (share(words=0.4), "cats dogs", ["says “cats” and “dogs”"]),
        (share(words=0.4), "none", ["stands beside turns with the words of the question"]),
        (share(words=0.0), "none", ["is the nearest there is"]),
        (share(meaning=0.8), "none", ["is close in meaning"]),
        (share(meaning=0.79), "none", ["is related in meaning"]),
        (share(meaning=0.55), "none", ["is related in meaning"]),
        (share(meaning=0.54), "none", ["is the nearest there is"]),
        (share(fits=0.2), "none", ["fits who or when was asked for"]),
        (share(fits=0.19), "none", ["is the nearest there is"]),
        (share(strength=0.75), "none", ["is important or often used"]),
        (share(strength=0.74), "none", ["is the nearest there is"]),
        (share(meaning=0.9, words=0.1, fits=1.0, strength=1.0), "cats",
         ["says “cats”", "is close in meaning", "fits who or when was asked for",
          "is important or often used"]),
    ],
)  # fmt: skip
def test_why_it_came_up(given: ScoreShares, text: str, phrases: list[str]) -> None:
    assert match_phrases(given, text, {"cat", "dog", "bird"}) == phrases


def test_a_text_that_is_short_enough_stays_as_it_is() -> None:
    assert excerpt(" a ", set(), length=3) == " a "
