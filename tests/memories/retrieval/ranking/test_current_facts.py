"""What holds now stands first, and what it replaces is marked."""

from dataclasses import replace
from typing import Any

import pytest

from memories.retrieval import pipeline
from memories.retrieval.disclosure import select_hits
from memories.retrieval.ranking import current_facts
from memories.retrieval.ranking.current_facts import MAX_COMPARED, current_first
from memories.retrieval.search_types import (
    ComparedText,
    FactState,
    Hit,
    SearchFilters,
    SearchResult,
)
from tests.memories.retrieval.pure.feature_tables import id_of, question
from tests.world import NOW

BERLIN, PARIS, ROME = (f"Tomasz lives in {city}." for city in ("Berlin", "Paris", "Rome"))


def hit(number: int, text: str, at: float, **fields: Any) -> Hit:
    """The number is the id and, from the top, the place."""
    said = {"subject": 0.0, "speaker": 0.0, "proven": 1.0}
    said |= {name: fields.pop(name) for name in [*said] if name in fields}
    told = ComparedText(text, at, **said)
    score = 1 - number / 100
    return Hit(id_of(number), relevance=score, score=score, said=told, **fields)


def order(hits: list[Hit], **asked: Any) -> list[int]:
    return [one.id.int for one in current_first(question(**asked), hits)]


def states(hits: list[Hit]) -> dict[int, FactState | None]:
    return {one.id.int: one.state for one in current_first(question(), hits)}


@pytest.mark.conformance("X03")
def test_the_newest_of_one_matter_takes_the_first_of_its_places() -> None:
    hits = [
        hit(1, BERLIN, 10), hit(2, "The canteen closes at two.", 20), hit(3, ROME, 30),
        hit(4, PARIS, 20),
    ]  # fmt: skip
    found = current_first(question(), hits)
    assert [one.id.int for one in found] == [3, 2, 4, 1]
    assert [one.score for one in found] == [0.99, 0.98, 0.97, 0.96], "those of the places"
    assert [one.relevance for one in found] == [0.99, 0.98, 0.97, 0.96]


@pytest.mark.conformance("X03")
def test_what_says_the_same_matter_in_other_words_is_put_in_order_unmarked() -> None:
    hits = [hit(1, "Anna tends roses in Kew.", 1), hit(2, "Anna tends roses, says Kew.", 2)]
    assert order(hits) == [2, 1]
    assert states(hits) == {1: None, 2: None}


@pytest.mark.conformance("X03")
@pytest.mark.parametrize(
    "newer",
    [
        {"subject": 8.0}, {"at": 5.0}, {"turn": True, "text": "Tomasz lives in Berlin well."},
        {"text": "The canteen closes at two."}, {"proven": 0.0}, {"said": None},
    ],
    ids=["of-another", "at-one-time", "a-turn", "of-another-matter", "only-named", "long"],
)  # fmt: skip
def test_nothing_passes_an_older_one_without_its_standing(newer: dict[str, Any]) -> None:
    hits = [hit(1, BERLIN, 5, subject=7.0), hit(2, newer.pop("text", PARIS), newer.pop("at", 9))]
    for name, value in newer.items():
        if name in ("subject", "proven"):
            hits[1] = replace(hits[1], said=hits[1].said._replace(**{name: value}))
        else:
            hits[1] = replace(hits[1], **{name: value})
    assert order(hits) == [1, 2]


@pytest.mark.conformance("X03")
def test_what_few_read_passes_nothing_that_everyone_reads() -> None:
    assert order([hit(1, BERLIN, 5, shared=True), hit(2, PARIS, 9)]) == [1, 2]
    assert order([hit(1, BERLIN, 5), hit(2, PARIS, 9, shared=True)]) == [2, 1]
    assert order([hit(1, BERLIN, 5, proven=0.0), hit(2, PARIS, 9, proven=2.0)]) == [2, 1]


@pytest.mark.conformance("X03")
def test_what_one_says_of_oneself_changes_by_the_same_speaker_only() -> None:
    mine = [hit(1, "I live in Berlin.", 5, speaker=3.0), hit(2, "I live in Paris.", 9, speaker=3.0)]
    assert order(mine) == [2, 1]
    other = [mine[0], replace(mine[1], said=mine[1].said._replace(speaker=4.0))]
    assert order(other) == [1, 2]
    assert set(states(other).values()) == {None}
    nobody = [replace(one, said=one.said._replace(speaker=0.0)) for one in mine]
    assert set(states(nobody).values()) == {None}, "of two robots that name nobody"
    about = [replace(one, said=one.said._replace(subject=7.0)) for one in nobody]
    assert order(about) == [2, 1]


@pytest.mark.conformance("X03")
@pytest.mark.parametrize(
    "asked",
    [
        {"strategy": "keyword"}, {"strategy": "vector"}, {"profile": "hive"}, {"fusion": "rrf"},
        {"filters": SearchFilters(ranges=((NOW, None),))},
    ],
    ids=["words", "meaning", "profile", "fusion", "time"],
)  # fmt: skip
def test_who_asks_for_an_order_gets_it_with_the_marks(asked: dict[str, Any]) -> None:
    found = current_first(question(**asked), [hit(1, BERLIN, 5), hit(2, PARIS, 9)])
    assert [one.id.int for one in found] == [1, 2]
    assert [one.state for one in found] == [FactState.OUTDATED, FactState.CURRENT]
    fallen_back = question(strategy="keyword", automatic=True)
    assert [one.id.int for one in current_first(fallen_back, found)] == [2, 1]


@pytest.mark.conformance("X04")
def test_the_older_is_outdated_since_the_newest_was_said() -> None:
    found = current_first(question(), [hit(1, BERLIN, 5), hit(2, PARIS, 9), hit(3, ROME, 12)])
    by_id = {one.id.int: one for one in found}
    assert {n: one.state for n, one in by_id.items()} == {
        1: FactState.OUTDATED, 2: FactState.OUTDATED, 3: FactState.CURRENT,
    }  # fmt: skip
    assert by_id[1].replaced == (id_of(3), 12.0, True)
    assert by_id[1].outdated_since.timestamp() == 12
    assert by_id[3].outdated_since is None


@pytest.mark.conformance("X04")
def test_what_has_less_standing_disputes_and_outdates_nothing() -> None:
    hits = [hit(1, BERLIN, 5, proven=2.0), hit(2, PARIS, 9, proven=0.0)]
    assert states(hits) == {1: FactState.DISPUTED, 2: None}
    assert current_first(question(), hits)[0].outdated_since is None
    # What settles it counts more than what is newer.
    hits.append(hit(3, ROME, 7, proven=2.0))
    [older] = [one for one in current_first(question(), hits) if one.id == id_of(1)]
    assert older.replaced == (id_of(3), 7.0, True)


@pytest.mark.conformance("X03")
def test_what_is_dated_after_now_does_not_hold_yet() -> None:
    now = question().now.timestamp()
    assert order([hit(1, BERLIN, 5), hit(2, PARIS, now)]) == [2, 1]
    later = [hit(1, BERLIN, 5), hit(2, PARIS, now + 1)]
    assert order(later) == [1, 2]
    assert set(states(later).values()) == {None}


@pytest.mark.conformance("X04")
def test_a_superseded_one_stays_superseded() -> None:
    hits = [hit(1, BERLIN, 5, superseded=True), hit(2, PARIS, 9)]
    assert states(hits)[1] is FactState.SUPERSEDED


@pytest.mark.conformance("X04")
def test_turns_of_a_conversation_are_marked_if_they_are_of_one_matter() -> None:
    turns = [replace(hit(1, BERLIN, 5), turn=True), replace(hit(2, PARIS, 9), turn=True)]
    assert states(turns) == {1: FactState.OUTDATED, 2: FactState.CURRENT}
    home = "Tomasz lives in Berlin Kreuzberg."
    turns[0] = replace(turns[0], said=turns[0].said._replace(text=home))
    chat = "Tomasz moved the sofa, the lamp, the carpet and his books out of the Berlin flat."
    turns[1] = replace(turns[1], said=turns[1].said._replace(text=chat))
    assert states(turns) == {1: None, 2: None}
    assert states([replace(one, turn=False) for one in turns])[1] is FactState.OUTDATED


@pytest.mark.conformance("X04")
def test_whoever_may_not_be_told_of_the_newer_one_is_not_told_of_a_change() -> None:
    hits = current_first(question(), [hit(1, BERLIN, 5), hit(2, PARIS, 9)])
    kept = select_hits(SearchResult(hits, "hybrid", 0.5), {id_of(1)})
    assert [(one.id.int, one.replaced) for one in kept.hits] == [(1, None)]


@pytest.mark.parametrize(("turn", "least"), [(False, 3), (True, 4)], ids=["facts", "turns"])
def test_texts_are_read_that_share_enough_longer_words(
    monkeypatch: pytest.MonkeyPatch, turn: bool, least: int
) -> None:
    """Three tenths of the shorter one, four of a turn; words of three letters do not count."""
    read: list[str] = []
    monkeypatch.setattr(current_facts, "read_statement", read.append)
    one = " ".join(["and the for", *(f"shared{n}" for n in range(10))])
    for shared in (least - 1, least):
        words = [f"shared{n}" if n < shared else f"another{n}" for n in range(10)]
        hits = [hit(1, one, 1), hit(2, " ".join(["and the for", *words]), 2)]
        current_first(question(), [replace(one_, turn=turn) for one_ in hits])
        assert len(read) == (0 if shared < least else 2)


def test_of_many_hits_the_first_are_compared() -> None:
    far = [hit(n, f"Parcel{n}x waits{n}x.", n) for n in range(2, MAX_COMPARED + 1)]
    hits = [hit(1, BERLIN, 1), *far, hit(MAX_COMPARED + 1, PARIS, 99)]
    assert order(hits) == [one.id.int for one in hits]
    assert order([*hits[:-2], hits[-1]])[0] == MAX_COMPARED + 1


def test_a_result_rests_on_what_moved_and_marked_its_hits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newer one comes to the last place served, the older one behind it: a standby that still
    has the older one must not have the primary serve the order and the mark."""
    limit = 14
    hits = [hit(n, f"The canteen of floor {n} closes.", n) for n in range(1, 18)]
    hits[limit - 1] = hit(limit, BERLIN, 10)
    hits[limit + 1] = hit(limit + 2, PARIS, 20)
    found = SearchResult(hits, "hybrid")
    monkeypatch.setattr(pipeline, "search_with_duplicates", lambda wide, asked: found)
    served = pipeline.run_search(question(limit=limit, prefer_personal=False))
    assert served.hits[-1].id.int == limit + 2
    assert served.hits[-1].state is FactState.CURRENT
    assert limit not in [one.id.int for one in served.hits]
    assert id_of(limit) in served.relevant_ids()
