"""Which audiences are a zone, and how often is searched until the limit is full."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memories.retrieval.search_types import Hit, SearchRequest
from memories.retrieval.strategies import privacy_scoped
from tests.memories.retrieval.pure.feature_tables import id_of, question

KINDS = (
    "group", "organisation", "member", "robot", "explicit", "review", "persona", "role", "team",
)  # fmt: skip
Served = Callable[..., tuple[list[Hit], list[SearchRequest]]]


def test_each_kind_of_audience_has_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(id_of(n), kind) for n, kind in enumerate(KINDS)]
    monkeypatch.setattr(privacy_scoped, "fetch_all", lambda sql, values: rows)
    found = privacy_scoped.load_zones(question())
    kinds = [[KINDS[id_.int] for id_ in zone] for zone in found]
    assert kinds == [
        ["group", "organisation"], ["explicit", "review", "persona", "role", "team"],
        ["member", "robot"],
    ]  # fmt: skip
    assert [one.values["zone"] for one in privacy_scoped.iter_search_tables(question())] == list(
        found
    )


def test_a_zone_of_which_nothing_is_read_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(id_of(1), "group"), (id_of(2), "member")]
    monkeypatch.setattr(privacy_scoped, "fetch_all", lambda sql, values: rows)
    zones = [one.values["zone"] for one in privacy_scoped.iter_search_tables(question())]
    assert zones == [[id_of(1)], [id_of(2)]]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    """Serve hits of which the first `equal` say the same; with what the searches were asked."""
    asked: list[SearchRequest] = []

    def ask(*, rows: int, equal: int = 1, zones: bool = True, **fields: Any) -> Any:
        def rank(wanted: SearchRequest, sources: Sequence[Any]) -> list[Hit]:
            asked.append(wanted)
            found = [Hit(id_of(n), relevance=0.5) for n in range(rows)]
            return found if wanted.whole else found[: wanted.limit]

        def once(hits: list[Hit], known: Any) -> list[Hit]:
            assert known == [hit.id for hit in hits]
            return [hits[0], *hits[equal:]]

        kept = [(id_of(1), "group")] if zones else []
        monkeypatch.setattr(privacy_scoped, "fetch_all", lambda sql, values: kept)
        monkeypatch.setattr(privacy_scoped, "rank_hits", rank)
        monkeypatch.setattr(privacy_scoped, "load_facts", lambda q, hits: [hit.id for hit in hits])
        monkeypatch.setattr(privacy_scoped, "merge_all", once)
        answer = privacy_scoped.search_privacy_zones(question(strategy="privacy_scoped", **fields))
        assert answer.strategy == "privacy_scoped"
        return answer.hits, asked

    return ask


def test_three_times_the_limit_leaves_room_for_equal_texts(served: Served) -> None:
    hits, asked = served(rows=20, equal=5, limit=2)
    # Six are looked at; five of them are one.
    assert [(one.limit, one.strategy, one.whole) for one in asked] == [(6, "hybrid", False)]
    assert [hit.id.int for hit in hits] == [0, 5]


def test_where_that_is_not_enough_everything_is_looked_at(served: Served) -> None:
    hits, asked = served(rows=20, equal=6, limit=2)
    assert [one.whole for one in asked] == [False, True]
    assert [hit.id.int for hit in hits] == [0, 6]


def test_where_there_is_no_more_nothing_is_looked_at_twice(served: Served) -> None:
    hits, asked = served(rows=5, equal=5, limit=2)
    assert [one.whole for one in asked] == [False]
    assert [hit.id.int for hit in hits] == [0]


def test_for_an_explanation_all_are_served(served: Served) -> None:
    hits, asked = served(rows=5, limit=2, whole=True)
    assert len(hits) == 5
    assert len(asked) == 1


def test_who_reads_nothing_is_served_nothing(served: Served) -> None:
    assert served(rows=5, zones=False) == ([], [])
