"""What the wording of a question or of a memory gives away."""

import pytest

from memories.language.query_cues import (
    ends_with_question_mark,
    has_time_word,
    is_about_self,
    is_when_question,
    possible_speaker_names,
    query_forms,
)


def test_a_question_ends_with_its_mark() -> None:
    assert ends_with_question_mark("Really?")
    assert ends_with_question_mark("Really ? \n")
    assert not ends_with_question_mark("Really? Yes.")
    assert ends_with_question_mark("x" * 100 + "?" + " " * 19)
    assert not ends_with_question_mark("x" * 100 + "?" + " " * 20), "only the end is looked at"


@pytest.mark.parametrize(
    "text",
    [
        "yesterday", "We met Last week", "this MORNING", "in 1987", "the 3rd", "weekends",
        "at 5 pm", "two days", "10 o'clock", "my birthday", "in may", "just now", "3 months ago",
    ],
)  # fmt: skip
def test_words_of_time(text: str) -> None:
    assert has_time_word(text)


@pytest.mark.parametrize("text", ["1787 bricks", "todays", "this thing", "a dayflower", "the rd"])
def test_words_of_no_time(text: str) -> None:
    assert not has_time_word(text)


def test_a_time_is_looked_for_where_the_text_begins() -> None:
    assert has_time_word("x" * 19_990 + " yesterday"[:10])
    assert not has_time_word("x " * 10_000 + "yesterday")
    assert not has_time_word("x" * 19_991 + " yesterday"), "one letter too late"


def test_who_asks_when() -> None:
    for text in ("When was it?", " what time is it", "Which month", "how long", "In which year"):
        assert is_when_question(text), text
    for text in ("Tell me when", "What is it?", "Whenever", "How longing"):
        assert not is_when_question(text), text


def test_who_asks_about_themselves() -> None:
    assert is_about_self("what is MY job")
    assert is_about_self("did I say")
    assert not is_about_self("what is mystic about him")


def test_runs_of_words_may_be_names() -> None:
    assert possible_speaker_names("Is Ann dog -Rex- here.") == sorted(
        ["is", "ann", "dog", "rex", "here", "is ann", "ann dog", "dog rex", "rex here",
         "is ann dog", "ann dog rex", "dog rex here"]
    )  # fmt: skip
    assert {"ann", "rex"} <= set(possible_speaker_names("Ann's and Rex's"))
    many = " ".join(f"w{n}" for n in range(100))
    assert "w59" in possible_speaker_names(many)
    assert "w60" not in possible_speaker_names(many)
    assert possible_speaker_names("a b c", most=2) == ["a", "a b", "b"]
    assert possible_speaker_names("- .") == []


def test_a_question_is_asked_in_several_forms() -> None:
    assert query_forms("What is Ann's job?", ()) == ("What is Ann's job?",)
    assert query_forms("What is Ann's job?", ["ann"]) == ("What is job?", "Ann: What is my job?")
    assert query_forms("Did ann call Bob?", ["ann", "bob"]) == (
        "Did call ?",
        "ann: Did I call Bob?",
    )
    assert query_forms("Ann", ["ann"]) == ("Ann", "Ann: I"), "never empty"
    assert query_forms("Does Annabel know?", ["ann"])[0] == "Does Annabel know?"
    assert query_forms("Where?", ["zoe"]) == ("Where?", "zoe: Where?")
