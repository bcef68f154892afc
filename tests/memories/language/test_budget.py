"""What is counted, and what goes beyond it."""

import unicodedata

from memories.language.budget import A_PAGE, A_TEXT, Budget
from memories.language.entities import named, spoken_of
from memories.language.similarity import contradict
from memories.library.word_diff import differences
from orgs.names.normal_form import MARKS, normal


def test_the_first_is_always_taken_and_the_others_as_far_as_it_goes() -> None:
    budget = Budget(100)
    assert budget.take(500)
    assert not budget.take(1)
    small = Budget(100)
    assert [small.take(n) for n in (40, 50, 20, 10, 1)] == [True, True, False, True, False]
    assert not Budget(100).take(101, first=False)


def test_marks_are_put_into_an_order_as_before_and_in_good_time() -> None:
    for text in ("résumé", "re\u0301sume\u0301", "Å\u0323", "\u1112\u1161\u11ab", "ﬁﬂ"):
        assert normal(text) == unicodedata.normalize("NFC", text)
        assert normal(text, "NFKC") == unicodedata.normalize("NFKC", text)
    most = "e" + "\u0301\u0323" * (MARKS // 2)
    assert normal(most) == unicodedata.normalize("NFC", most)
    assert len(normal("e" + "\u0301\u0323" * 100_000)) > 200_000


def test_people_are_named_by_their_whole_name() -> None:
    text = "Ann-Marie met bob o'neil, @kim and Zoë."
    people = ["Ann", "Ann-Marie", "Bob O'Neil", "Bob O'Ne", "Kim", "Zoe", "ZOË", "@kim", ""]
    assert spoken_of(text, people) == ["Ann", "Ann-Marie", "Bob O'Neil", "Kim", "ZOË", "@kim"]
    assert not spoken_of("a" * A_TEXT + " Kim", ["Kim"])


def test_a_date_gives_way_to_a_fuller_one() -> None:
    assert [n.name for n in named("on 3 May, that is 3 May 2024") if n.type == "date"] == [
        "3 May 2024"
    ]


def test_texts_that_are_too_far_apart_are_shown_one_after_the_other() -> None:
    old = " ".join(f"same{n} old{n}" for n in range(2_000))
    new = " ".join(f"same{n} new{n}" for n in range(2_000))
    assert [part["op"] for part in differences(old, new)] == ["del", "ins"]
    assert [part["op"] for part in differences("a b c", "a x c")] == ["same", "del", "ins", "same"]
    shared = Budget(5)
    assert len(differences("a b c", "a x c", shared)) == 2
    long = differences("a " * A_PAGE, "b " * A_PAGE)
    assert all(len(part["text"]) <= A_PAGE + 2 for part in long)


def test_very_long_texts_are_kept_apart() -> None:
    assert contradict("a " * A_TEXT, "a " * A_TEXT)
    assert not contradict("the plan holds", "the plan  holds")
