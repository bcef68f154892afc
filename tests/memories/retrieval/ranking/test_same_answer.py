"""What is one result, and which of several is served."""

from typing import Any

import numpy as np
import pytest

from memories.language import text_limits
from memories.retrieval.ranking import merge_duplicates
from memories.retrieval.ranking.merge_duplicates import (
    Fact,
    load_facts,
    merge_across_audiences,
    merge_all,
)
from memories.retrieval.search_types import Hit
from orgs.database.binary_values import encode_halfvec
from tests.memories.retrieval.pure.feature_tables import id_of, question


def fact(text: str, own: Any = None, **fields: Any) -> Fact:
    vector = None if own is None else np.array(own, dtype=np.float32)
    fields = {"confidence": 0.5, "accesses": 1, "audience_kind": "group"} | fields
    return Fact(text, own=vector, **fields)


def hits(*numbers: int) -> list[Hit]:
    return [Hit(id_of(n), relevance=1 / n, score=1 / n, strength=n) for n in numbers]


def served(known: dict[int, Fact], near: float | None = None) -> list[list[int]]:
    """The numbers of each result, the one that is served first."""
    facts_of = {id_of(n): one for n, one in known.items()}
    found = merge_all(hits(*range(1, 8)), facts_of, near=near)
    return [[hit.id.int, *(one.int for one in hit.merged)] for hit in found]


def test_equal_texts_are_one_and_what_is_gone_is_passed_over() -> None:
    known = {2: fact("Apples are red!"), 3: fact("Pears"), 5: fact("apples are  red")}
    assert served(known) == [[2, 5], [3]]


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


def test_texts_as_near_as_the_threshold_are_one() -> None:
    # Each is compared with the first of a group: .6 to it, .96 to the second is not enough.
    known = {
        1: fact("Apples", [1.0, 0.0]), 2: fact("Fruit", [0.8, 0.6]), 3: fact("Red", [0.6, 0.8]),
    }  # fmt: skip
    assert served(known, near=float(np.float32(0.8))) == [[1, 2], [3]]
    assert served(known, near=0.81) == [[1], [2, 3]]
    assert served(known) == [[1], [2], [3]]


def test_what_contradicts_itself_stays_apart() -> None:
    known = {1: fact("We ship", [1.0]), 2: fact("We do not ship", [1.0])}
    assert served(known, near=0.9) == [[1], [2]]


@pytest.mark.parametrize("without", [1, 2])
def test_what_has_no_vector_is_only_itself(without: int) -> None:
    known = {1: fact("Apples", [1.0]), 2: fact("Fruit", [1.0])}
    known[without] = fact(known[without].text)
    assert served(known, near=0.0) == [[1], [2]]


def test_both_texts_count_against_what_may_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    monkeypatch.setattr(
        text_limits.WorkBudget, "take", lambda self, n: taken.append(n) or len(taken) == 1
    )
    known = {1: fact("Apples", [1.0]), 2: fact("Fruit", [1.0]), 3: fact("Red", [1.0])}
    assert served(known, near=0.9) == [[1, 2], [3]]
    assert taken == [11, 9]


def test_vectors_are_read_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    rest = (id_of(9), "Zoe", id_of(8), None)
    rows = [
        (id_of(1), "Apples", 0.5, 3, "group", bytes(encode_halfvec(np.array([1.0, 0.5]))), *rest),
        (id_of(2), "Pears", 0.4, 2, "member", None, *rest),
    ]
    monkeypatch.setattr(
        merge_duplicates, "fetch_all", lambda sql, values: asked.append(values) or rows
    )
    found = load_facts(question(), hits(1, 2), near=True)
    assert found[id_of(1)].own == pytest.approx([1.0, 0.5])
    assert found[id_of(2)] == fact(
        "Pears", confidence=0.4, accesses=2, audience_kind="member", audience_id=id_of(9),
        speaker="Zoe", member_id=id_of(8),
    )  # fmt: skip
    load_facts(question(), hits(1))
    assert [one["near"] for one in asked] == [True, False]


def across(*known: Fact, near: float = 0.9) -> list[list[int]]:
    """The numbers of each result, the one that is served first."""
    facts_of = {id_of(n): one for n, one in enumerate(known, start=1)}
    found = merge_across_audiences(hits(*range(1, len(known) + 1)), facts_of, near=near)
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


def test_nearly_the_same_names_nobody_else_and_contradicts_nothing() -> None:
    texts = ["The key of Berlin is lost", "A key of Berlin is lost", "The key of Munich is lost",
             "The key of Berlin is not lost"]  # fmt: skip
    kinds = ("organisation", "group", "member", "team")
    known = [of(kind, text, own=[1.0, 0.0]) for kind, text in zip(kinds, texts, strict=True)]
    assert across(*known) == [[2, 1], [3], [4]]
    assert across(*known, near=1.1) == [[1], [2], [3], [4]]


def test_what_is_not_compared_keeps_its_place() -> None:
    known = {id_of(1): of("organisation"), id_of(3): of("member")}
    found = merge_across_audiences(hits(1, 2, 3, 4), known, near=0.9)
    assert [(hit.id.int, len(hit.merged)) for hit in found] == [(3, 1), (2, 0), (4, 0)]
