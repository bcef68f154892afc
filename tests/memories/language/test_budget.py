"""What is counted, and what goes beyond it."""

import unicodedata

from memories.browsing.word_diff import diff_words
from memories.language.comparison.text_comparison import may_contradict
from memories.language.entities import extract_entities, names_in_text
from memories.language.text_limits import (
    MAX_CHARACTERS_PER_TEXT,
    MAX_CHARACTERS_TO_EXCERPT,
    WorkBudget,
)
from orgs.names.unicode_normalisation import MAX_MARKS, normalise_unicode


def test_the_first_is_always_taken_and_the_others_as_far_as_it_goes() -> None:
    budget = WorkBudget(100)
    assert budget.take(500)
    assert not budget.take(1)
    small = WorkBudget(100)
    assert [small.take(n) for n in (40, 50, 20, 10, 1)] == [True, True, False, True, False]
    assert not WorkBudget(100).take(101, first=False)


def test_marks_are_put_into_an_order_as_before_and_in_good_time() -> None:
    for text in ("résumé", "re\u0301sume\u0301", "Å\u0323", "\u1112\u1161\u11ab", "ﬁﬂ"):
        assert normalise_unicode(text) == unicodedata.normalize("NFC", text)
        assert normalise_unicode(text, "NFKC") == unicodedata.normalize("NFKC", text)
    most = "e" + "\u0301\u0323" * (MAX_MARKS // 2)
    assert normalise_unicode(most) == unicodedata.normalize("NFC", most)
    assert len(normalise_unicode("e" + "\u0301\u0323" * 100_000)) > 200_000


def test_people_are_named_by_their_whole_name() -> None:
    text = "Ann-Marie met bob o'neil, @kim and Zoë."
    people = ["Ann", "Ann-Marie", "Bob O'Neil", "Bob O'Ne", "Kim", "Zoe", "ZOË", "@kim", ""]
    assert names_in_text(text, people) == ["Ann", "Ann-Marie", "Bob O'Neil", "Kim", "ZOË", "@kim"]
    assert not names_in_text("a" * MAX_CHARACTERS_PER_TEXT + " Kim", ["Kim"])


def test_a_date_gives_way_to_a_fuller_one() -> None:
    assert [
        n.name for n in extract_entities("on 3 May, that is 3 May 2024") if n.type == "date"
    ] == ["3 May 2024"]


def test_texts_that_are_too_far_apart_are_shown_one_after_the_other() -> None:
    old = " ".join(f"same{n} old{n}" for n in range(2_000))
    new = " ".join(f"same{n} new{n}" for n in range(2_000))
    assert [part["op"] for part in diff_words(old, new)] == ["del", "ins"]
    assert [part["op"] for part in diff_words("a b c", "a x c")] == ["same", "del", "ins", "same"]
    shared = WorkBudget(5)
    assert len(diff_words("a b c", "a x c", shared)) == 2
    long = diff_words("a " * MAX_CHARACTERS_TO_EXCERPT, "b " * MAX_CHARACTERS_TO_EXCERPT)
    assert all(len(part["text"]) <= MAX_CHARACTERS_TO_EXCERPT + 2 for part in long)


def test_very_long_texts_are_kept_apart() -> None:
    assert may_contradict("a " * MAX_CHARACTERS_PER_TEXT, "a " * MAX_CHARACTERS_PER_TEXT)
    assert not may_contradict("the plan holds", "the plan  holds")
