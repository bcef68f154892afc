"""Which sentences answer, by worked examples."""

from typing import Any
from uuid import UUID

import pytest

from memories.answers.select_sentences import (
    MAX_CHARACTERS_READ,
    MAX_SENTENCE_CHARACTERS,
    MAX_SENTENCES_READ,
    AnswerCandidate,
    find_supporting_span,
    iter_answer_spans,
    list_disagreeing,
    select_sentences,
)
from memories.language.propositions import iter_sentence_spans
from memories.retrieval.search_types import Hit, Replacement

pytestmark = pytest.mark.conformance("X18")
LONG_TALK = "Hello all! We met in the big hall. The launch is on Friday, 6 March. Bring cake."


def candidate(number: int, text: str, score: float = 0.8, **fields: Any) -> AnswerCandidate:
    known = {name: fields.pop(name) for name in ("replaced", "undecided") if name in fields}
    answers, replaced = fields.pop("answers", 0.9), known.get("replaced")
    hit = Hit(UUID(int=number), relevance=score, score=score, answers=answers, **known)
    successor = replaced.by if replaced else fields.pop("successor", None)
    return AnswerCandidate(hit=hit, text=text, score=score, successor=successor, **fields)


def chosen(question: str, *candidates: AnswerCandidate) -> list[str]:
    texts = {one.hit.id: one.text for one in candidates}
    return [
        texts[span.memory][span.start : span.end] for span in select_sentences(question, candidates)
    ]


def test_the_sentence_with_the_words_of_the_question_answers() -> None:
    assert chosen("When is the launch?", candidate(1, LONG_TALK)) == [
        "The launch is on Friday, 6 March."
    ]
    assert chosen("What shall we bring?", candidate(1, LONG_TALK)) == ["Bring cake."]


def test_a_question_about_a_time_or_a_number_is_answered_by_one() -> None:
    text = "Mina paints the fence. Mina paints the fence next Friday. Mina paints 14 fences."
    assert chosen("When does Mina paint the fence?", candidate(1, text)) == [
        "Mina paints the fence next Friday."
    ]
    assert chosen("How many fences does Mina paint?", candidate(1, text)) == [
        "Mina paints 14 fences."
    ]


def test_a_question_answers_only_where_nothing_else_does() -> None:
    asks, says = "When is the launch of the app?", "It comes on Friday, I hope."
    assert chosen("When is the launch?", candidate(1, f"{asks} {says}")) == [says]
    assert chosen("When is the launch?", candidate(1, asks)) == [asks]


def test_two_sentences_are_of_different_memories_and_the_second_is_not_much_worse() -> None:
    first = candidate(1, "The launch is on Friday. The launch needs cake.", 0.9)
    assert chosen("When is the launch?", first) == ["The launch is on Friday."]
    near = candidate(2, "The launch was moved to Monday.", 0.8)
    assert chosen("When is the launch?", first, near) == [
        "The launch is on Friday.", "The launch was moved to Monday.",
    ]  # fmt: skip
    third = candidate(3, "The launch is on Tuesday, they say.", 0.8)
    assert len(chosen("When is the launch?", first, near, third)) == 2
    far = candidate(2, "The launch was moved to Monday.", 0.7)
    assert len(chosen("When is the launch?", first, far)) == 1


def test_the_same_sentence_is_shown_once() -> None:
    kept = [candidate(1, "The launch is on Friday."), candidate(2, "the launch is on  Friday.")]
    assert chosen("When is the launch?", *kept) == ["The launch is on Friday."]
    other = candidate(2, "The launch is on Monday.")
    assert len(chosen("When is the launch?", kept[0], other)) == 2


def test_what_is_not_about_the_question_answers_nothing() -> None:
    assert chosen("When is the launch?", candidate(1, LONG_TALK, answers=0.07)) == []
    assert chosen("When is the launch?") == []
    assert chosen("When is the launch?", candidate(1, "")) == []


def test_what_does_not_hold_answers_only_without_its_successor() -> None:
    newer = candidate(2, "Tomasz lives in Paris now.", 0.8)
    outdated = Replacement(UUID(int=2), 5.0, settled=True)
    older = candidate(1, "Tomasz lives in Berlin.", 0.9, replaced=outdated)
    assert chosen("Where does Tomasz live?", older, newer) == ["Tomasz lives in Paris now."]
    assert chosen("Where does Tomasz live?", older) == ["Tomasz lives in Berlin."]
    disputed = candidate(
        1, "Tomasz lives in Berlin.", 0.9, replaced=Replacement(UUID(int=2), 5.0, settled=False)
    )
    assert len(chosen("Where does Tomasz live?", disputed, newer)) == 2, "nobody has decided"


def test_what_disagrees_is_what_replaces_or_is_replaced() -> None:
    older = candidate(1, "a", replaced=Replacement(UUID(int=2), 5.0, settled=True))
    newer, other = candidate(2, "b"), candidate(3, "c")
    superseded = candidate(4, "d", successor=UUID(int=2))
    everything = [older, newer, other, superseded]
    assert list_disagreeing(everything, {UUID(int=2)}) == [UUID(int=1), UUID(int=4)]
    assert list_disagreeing(everything, {UUID(int=1)}) == [UUID(int=2)]
    assert list_disagreeing(everything, {UUID(int=3)}) == []
    assert list_disagreeing(everything, {UUID(int=1), UUID(int=2), UUID(int=4)}) == []


@pytest.mark.parametrize("way", [(2, None), (None, 1), (2, 1)], ids=["here", "there", "both"])
def test_of_two_that_nobody_has_decided_the_better_answers_and_the_other_disagrees(
    way: tuple[int | None, int | None],
) -> None:
    named = [one and UUID(int=one) for one in way]
    first = candidate(1, "The permit costs 30 euros.", 0.9, undecided=named[0])
    second = candidate(2, "The permit costs 45 euros.", 0.89, undecided=named[1])
    third = candidate(3, "The permit costs a walk to the town hall.", 0.88)
    assert chosen("What does the permit cost?", first, second, third) == [first.text, third.text]
    assert list_disagreeing([first, second, third], {first.hit.id, third.hit.id}) == [second.hit.id]
    assert list_disagreeing([first, second, third], {third.hit.id}) == []


def test_the_name_of_who_speaks_is_no_word_of_the_answer() -> None:
    text = "Mina here, hello to everybody in the office. I swim in the lake."
    assert chosen("Where does Mina swim?", candidate(1, text, speaker="Mina")) == [
        "I swim in the lake."
    ]


def test_what_says_more_than_the_question_answers() -> None:
    text = "The launch of the app! The launch of the app takes place in the canteen."
    assert chosen("What is the launch of the app?", candidate(1, text)) == [
        "The launch of the app takes place in the canteen."
    ]


def test_a_rare_word_weighs_more_than_one_that_all_have() -> None:
    texts = ["The app has a login. The printer has ink.", "The app is blue.", "The app is old."]
    asked = [candidate(n, text, 0.8 - n / 10) for n, text in enumerate(texts, 1)]
    assert chosen("Does the printer app work?", *asked)[0] == "The printer has ink."


def test_a_long_sentence_is_divided_and_no_character_is_lost_or_read_twice() -> None:
    for text in ("word " * 900, "x" * 2_300, "字" * 1_200, f"{'a' * 499} b {'c ' * 600}"):
        spans = list(iter_answer_spans(text))
        assert all(0 < end - start <= MAX_SENTENCE_CHARACTERS for start, end in spans)
        assert "".join(text[a:b] for a, b in spans).replace(" ", "") == text.replace(" ", "")
        assert spans == sorted(spans)
        assert not any(text[start].isspace() for start, _ in spans)
    assert len(list(iter_answer_spans("y" * 30_000))) == 40, "the beginning is read"


def test_so_much_text_is_read_and_no_more() -> None:
    filler = "The launch was nice. " * 950
    many = [candidate(n, filler, 0.5) for n in range(1, 2 + MAX_CHARACTERS_READ // len(filler))]
    last = candidate(99, "The launch is on Friday, 6 March.", 0.5)
    assert len(filler) * len(many) > MAX_CHARACTERS_READ
    assert UUID(int=99) not in {
        s.memory for s in select_sentences("When is the launch?", [*many, last])
    }
    assert select_sentences("When is the launch?", [last, *many])[0].memory == UUID(int=99)
    lines = candidate(1, "a\n" * (MAX_SENTENCES_READ - 1) + "The launch is on Friday.")
    assert chosen("When is the launch?", lines) == ["The launch is on Friday."]
    further = candidate(1, "a\n" * MAX_SENTENCES_READ + "The launch is on Friday.")
    assert chosen("When is the launch?", further) == ["a"]


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("他住在柏林。他在银行工作。", "他在哪里工作?", "他在银行工作。"),
        ("Sie wohnt in Kiel. Ihr Büro ist in Köln.", "Wo ist das Büro?", "Ihr Büro ist in Köln."),
        ('She said "We ship." Then the ship left.', "What ship left?", "Then the ship left."),
        ("🎉", "When?", "🎉"),
    ],
)
def test_other_scripts_and_marks(text: str, question: str, answer: str) -> None:
    assert chosen(question, candidate(1, text)) == [answer]


def test_a_sentence_ends_with_its_closing_mark() -> None:
    text = 'He said "Go." Then: “We ship.” 他说「好。」然后走了。'
    assert [text[a:b] for a, b in iter_sentence_spans(text)] == [
        'He said "Go."', "Then: “We ship.” 他说「好。」", "然后走了。",
    ]  # fmt: skip


def test_the_place_that_supports_a_sentence() -> None:
    span = find_supporting_span(LONG_TALK, UUID(int=1), "On Friday there is the launch.")
    assert LONG_TALK[span.start : span.end] == "The launch is on Friday, 6 March."
    assert find_supporting_span("", UUID(int=1), "x").end == 0
