"""What is one result, and which of several is served."""

from typing import Any

import pytest

from memories.retrieval.ranking import merge_duplicates
from memories.retrieval.ranking.merge_duplicates import (
    MAX_COMPARED_RESULTS,
    Fact,
    load_facts,
    merge_across_audiences,
    merge_all,
)
from memories.retrieval.ranking.rank_pass import duplicate_candidates
from memories.retrieval.search_types import Hit
from tests.memories.retrieval.pure.feature_tables import id_of, question
from tests.world import NOW


def fact(text: str, **fields: Any) -> Fact:
    fields = {"confidence": 0.5, "accesses": 1, "audience_kind": "group"} | fields
    return Fact(text, **fields)


def hits(*numbers: int) -> list[Hit]:
    return [Hit(id_of(n), relevance=1 / n, score=1 / n, strength=n) for n in numbers]


def served_numbers(known: dict[int, Fact]) -> list[list[int]]:
    """The numbers of each result, the one that is served first."""
    facts_of = {id_of(n): one for n, one in known.items()}
    found = merge_all(hits(*range(1, 8)), facts_of)
    return [[hit.id.int, *(one.int for one in hit.merged)] for hit in found]


def test_equal_texts_are_one_and_what_is_gone_is_passed_over() -> None:
    known = {2: fact("Apples “are” red"), 3: fact("Pears"), 5: fact('apples  "are" RED')}
    assert served_numbers(known) == [[2, 5], [3]]


def test_the_nearest_audience_is_served_in_the_place_of_the_best() -> None:
    known = {
        id_of(1): fact("Apples", confidence=0.9, accesses=3, audience_kind="organisation"),
        id_of(2): fact("Apples", confidence=0.2, accesses=5, audience_kind="member"),
        id_of(3): fact("Apples", confidence=0.4, accesses=7, audience_kind="group"),
    }
    [one] = merge_all(hits(1, 2, 3), known)
    assert (one.id, one.merged) == (id_of(2), (id_of(1), id_of(3)))
    assert (one.relevance, one.score, one.strength) == (1.0, 1.0, 2)
    assert (one.confidence, one.access_count) == (0.9, 15)


@pytest.mark.conformance("X06")
@pytest.mark.parametrize(
    "differs", ["speaker", "member_id", "occurred_at"], ids=["speaker", "subject", "time"]
)
def test_the_same_words_of_two_people_or_times_are_two_facts(differs: str) -> None:
    values = {
        "speaker": ("Ada", "Bob"), "member_id": (id_of(8), id_of(9)),
        "occurred_at": (NOW, NOW.replace(year=2025)),
    }[differs]  # fmt: skip
    known = {n: fact("I am vegan", **{differs: value}) for n, value in enumerate(values, 1)}
    assert served_numbers(known) == [[1], [2]]
    known[2] = fact("I am vegan")
    assert served_numbers(known) == [[1, 2]], "nothing is known of the second"


def test_of_many_equal_texts_only_so_many_are_compared() -> None:
    """10,000 equal facts with different times take linear time."""
    times = [NOW.replace(microsecond=n) for n in range(MAX_COMPARED_RESULTS + 1)]
    known = {id_of(n): fact("Apples", occurred_at=at) for n, at in enumerate([*times, *times], 1)}
    found = merge_all([Hit(id_, relevance=1.0) for id_ in known], known)
    # The time that was not compared is served twice.
    assert [len(hit.merged) for hit in found] == [1] * MAX_COMPARED_RESULTS + [0, 0]


def test_the_facts_behind_hits_are_read_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(id_of(2), "Pears", 0.4, 2, "member", id_of(9), "Zoe", id_of(8), NOW)]
    monkeypatch.setattr(merge_duplicates, "fetch_all", lambda sql, values: rows)
    assert load_facts(question(), hits(2)) == {
        id_of(2): fact(
            "Pears", confidence=0.4, accesses=2, audience_kind="member", audience_id=id_of(9),
            speaker="Zoe", member_id=id_of(8), occurred_at=NOW,
        )
    }  # fmt: skip


def test_only_facts_whose_words_another_audience_has_are_compared() -> None:
    def hit(number: int, readers: float | None, wording: float | None) -> Hit:
        return Hit(id_of(number), relevance=1.0, readers=readers, wording=wording)

    some = [hit(1, 1, 7), hit(2, 2, 7), hit(3, 1, 7), hit(4, 2, 8), hit(5, 2, 8), hit(6, None, 7)]
    assert duplicate_candidates(question(), some) == some[:3]
    assert duplicate_candidates(question(), [some[0], some[2]]) == [], "one audience"
    unknown = [*some[:2], hit(7, 3, None)]
    assert duplicate_candidates(question(), unknown) == unknown, "all, where words are unknown"


def across(*known: Fact) -> list[list[int]]:
    """The numbers of each result, the one that is served first."""
    facts_of = {id_of(n): one for n, one in enumerate(known, start=1)}
    found = merge_across_audiences(hits(*range(1, len(known) + 1)), facts_of)
    return [[hit.id.int, *(one.int for one in hit.merged)] for hit in found]


KINDS = ("member", "persona", "role", "industry", "team", "group", "organisation")


def of(kind: str, text: str = "Apples", **fields: Any) -> Fact:
    return fact(text, audience_kind=kind, audience_id=id_of(KINDS.index(kind) + 1), **fields)


@pytest.mark.conformance("Z06")
def test_the_nearer_of_any_two_kinds_of_audiences_wins() -> None:
    order = ("member", "persona", "role", "industry", "group", "organisation")
    for near, kind in enumerate(order):
        for far in order[near + 1 :]:
            assert across(of(kind), of(far)) == [[1, 2]]
            assert across(of(far), of(kind)) == [[2, 1]]
    assert across(*[of(kind) for kind in reversed(order)]) == [[6, 1, 2, 3, 4, 5]]


def test_of_two_groups_the_better_ranked_wins() -> None:
    group = [fact("Apples", audience_id=id_of(n)) for n in (1, 2)]
    assert across(*group) == [[1, 2]]
    assert across(group[0], group[0]) == [[1], [2]], "one audience"


@pytest.mark.conformance("X06")
def test_what_is_only_alike_is_served_twice() -> None:
    texts = ["The key of Berlin is lost", "A key of Berlin is lost", "The key of Munich is lost",
             "The key of Berlin is not lost", "the key of berlin  is lost"]  # fmt: skip
    kinds = ("organisation", "group", "member", "team", "role")
    assert across(*map(of, kinds, texts)) == [[5, 1], [2], [3], [4]]


def test_what_is_not_compared_keeps_its_place() -> None:
    known = {id_of(1): of("organisation"), id_of(3): of("member")}
    found = merge_across_audiences(hits(1, 2, 3, 4), known)
    assert [(hit.id.int, len(hit.merged)) for hit in found] == [(3, 1), (2, 0), (4, 0)]
