"""What is asked of the database, and what the words of a text are worth."""

from dataclasses import replace
from math import log
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from memories.indexing.models import Text
from memories.retrieval.candidates import search
from memories.retrieval.candidates.search import Source, as_query, candidates, exact, given
from memories.retrieval.recall import Query, prepare
from memories.retrieval.types import Filters, Pool
from orgs.principals import resolve
from tests.memories.retrieval.pure.pools import id_of, question
from tests.world import World

VECTOR = np.zeros(384, dtype=np.float32)


def asked(**fields: Any) -> dict[str, Any]:
    return exact(question(**fields))[1]


def lexemes(number: int) -> tuple[str, ...]:
    return tuple(f"w{n}" for n in range(number))


@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({"limit": 10}, 100),
        ({"limit": 101}, 101),
        ({"limit": 10, "fusion": "weighted_rrf"}, 50),
        ({"limit": 51, "fusion": "weighted_rrf"}, 51),
    ],
)
def test_an_arm_brings_a_hundred_or_the_limit(fields: dict[str, Any], most: int) -> None:
    assert asked(**fields)["pool"] == most


@pytest.mark.parametrize(
    ("strategy", "fusion", "with_tags"),
    [
        ("hybrid", "rrf", True),
        ("hybrid", "minmax", False),
        ("vector", "rrf", False),
        ("keyword", "minmax", False),
    ],
)
def test_tags_count_for_plain_reciprocal_ranks_alone(
    strategy: str, fusion: str, with_tags: bool
) -> None:
    values = asked(strategy=strategy, fusion=fusion, text="billing")
    assert values["with_tags"] is with_tags
    assert values["names"] == (["billing"] if with_tags else [])


def test_each_arm_is_asked_for_what_the_strategy_names() -> None:
    both = asked(vector=VECTOR, lexemes=("appl",))
    words = asked(vector=VECTOR, lexemes=("appl",), strategy="keyword")
    meaning = asked(vector=VECTOR, lexemes=("appl",), strategy="vector")
    assert [one["by_meaning"] for one in (both, words, meaning)] == [True, False, True]
    assert [one["any"] for one in (both, words, meaning)] == ["'appl'", "'appl'", None]
    assert both["vector"].startswith("[0")
    assert asked()["vector"] is None


@pytest.mark.parametrize(
    ("words", "places"),
    [(0, 0), (1, 4), (4, 4), (5, 8), (8, 8), (9, 12), (12, 12), (13, 16), (16, 16), (17, 24),
     (24, 24), (25, 32), (32, 32), (33, 48), (48, 48)],
)  # fmt: skip
def test_a_statement_is_one_of_eight(words: int, places: int) -> None:
    statement, values = exact(question(lexemes=lexemes(words)))
    assert sum(name[0] == "q" for name in values) == places
    assert [values[f"q{n}"] for n in range(words)] == [f"'w{n}'" for n in range(words)]
    assert all(values[f"q{n}"] is None for n in range(words, places))
    assert ("0::float8 AS score" in statement) == (not words)


def test_a_lexeme_is_quoted() -> None:
    assert as_query("o'brien\\") == "'o''brien\\\\'"


@pytest.mark.parametrize(
    ("fields", "read"),
    [({}, False), ({"with_similarity": True}, True), ({"min_similarity": 0.0}, True)],
)
def test_the_similarity_is_read_where_it_is_wanted(fields: dict[str, Any], read: bool) -> None:
    assert ("e.own <#>" in exact(question(**fields))[0]) is read


def test_what_the_words_could_score_is_the_sum_over_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The statement has four places; the weights of those that are left over do not count."""
    monkeypatch.setattr(search, "is_large", lambda one: False)
    monkeypatch.setattr(search, "fetched", lambda *given: [(None, None, [2.0, 0.5, 9.0, 9.0])])
    assert candidates(question(lexemes=lexemes(2))).most == 2.5


@pytest.mark.parametrize(
    ("large", "fields", "by_indexes"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"filters": Filters(kinds=("group",))}, False),
    ],
)
def test_a_narrowed_question_is_scored_exactly_however_large_the_scope(
    monkeypatch: pytest.MonkeyPatch, large: bool, fields: dict[str, Any], by_indexes: bool
) -> None:
    monkeypatch.setattr(search, "is_large", lambda one: large)
    monkeypatch.setattr(search, "_by_indexes", lambda *given: "indexes")
    monkeypatch.setattr(search, "_by_scoring_all", lambda *given: "all")
    assert candidates(question(**fields)) == ("indexes" if by_indexes else "all")
    assert candidates(question(**fields), Source()) == "all", "a source has no such indexes"


class Cursor:
    """Answers a search by nearness with one row; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *raised: object) -> None: ...

    def cursor(self) -> "Cursor":
        return self

    def execute(self, statement: str, values: Any = None) -> None:
        self.asked.append(statement)

    def fetchall(self) -> list[tuple[UUID, float]]:
        return [(id_of(3), 0.7)]


@pytest.mark.parametrize(
    ("strategy", "vector", "near", "by_words"),
    [
        ("hybrid", VECTOR, [0.7], True),
        ("vector", VECTOR, [0.7], False),
        ("keyword", VECTOR, [], True),
        ("hybrid", None, [], True),
    ],
)
def test_the_indexes_are_asked_by_the_arms_of_the_strategy(
    monkeypatch: pytest.MonkeyPatch, strategy: str, vector: Any, near: list[float], by_words: bool
) -> None:
    cursor, seen = Cursor(), []
    answers: list[float | None] = [None, 2.5]

    def fetched(statement: str, values: dict[str, Any]) -> Any:
        seen.append(values)
        return [(None, None, [answers.pop(0)])]

    monkeypatch.setattr(search, "connection", cursor)
    monkeypatch.setattr(search, "fetched", fetched)
    monkeypatch.setattr(search, "is_large", lambda one: True)
    monkeypatch.setattr(search, "readable", lambda one: 30_000)
    one = question(strategy=strategy, vector=vector)
    assert [candidates(one).most, candidates(one).most] == [0.0, 2.5]
    assert len(cursor.asked) == (6 if near else 0)
    assert (seen[0]["products"], seen[0]["by_words"], seen[0]["rows"]) == (near, by_words, 30_000)
    assert seen[0]["ids"] == ([id_of(3)] if near else [])


def idf(rows: int, hits: int) -> float:
    return log(1 + (rows - hits + 0.5) / (hits + 0.5))


def made(world: World) -> dict[str, UUID]:
    """Seven texts; the windows of four of them are written by hand."""
    here, aria = world.here, world.here.robot("aria")
    tags = {"plain": ("billing",)}
    ids = {
        name: here.remember(aria, f"Text {name}", tags=tags.get(name, ())).id
        for name in ("own", "long", "short", "second", "third", "fourth", "plain")
    }
    windows = {
        "own": ("'apple':1A", 40), "long": ("'apple':1A 'pear':1A", 80), "short": ("'pear':1A", 1),
        "second": ("'apple':1B", 80), "third": ("'apple':1C", 80), "fourth": ("'apple':1D", 80),
        "plain": ("'plum':1A", 1),
    }  # fmt: skip
    with resolve(aria).scope(), connection.cursor() as cursor:
        for name, (words, length) in windows.items():
            cursor.execute(
                "UPDATE memories_text SET lexemes = %s::tsvector, length = %s WHERE memory_id = %s",
                [words, length, ids[name]],
            )
            assert Text.objects.get(memory_id=ids[name]).length == length
    return ids


def scored(world: World, words: tuple[str, ...], **fields: Any) -> Pool:
    asker = resolve(world.here.robot("aria"))
    with asker.scope():
        one = prepare(asker, Query(text="billing", strategy="hybrid", **fields), timezone.now())
        return candidates(replace(one, lexemes=words, vector=None))


def ids_of(found: Pool) -> list[UUID]:
    return [UUID(bytes=bytes(id_).ljust(16, b"\0")) for id_ in found.ids]


def test_a_word_is_worth_what_its_label_its_rarity_and_the_text_make_it(world: World) -> None:
    ids = made(world)
    found = scored(world, ("apple", "pear"))
    words = dict(zip(ids_of(found), found.words, strict=True))
    # Of seven rows five have the apple and two the pear. A text of 80 is guarded by 1.5; what is
    # lent is not.
    apple, pear = idf(7, 5), idf(7, 2)
    assert {name: words.get(id_) for name, id_ in ids.items()} == {
        "own": pytest.approx(apple, rel=1e-5),
        "long": pytest.approx((apple + pear) / 1.5, rel=1e-5),
        "short": pytest.approx(pear, rel=1e-5),
        "second": pytest.approx(0.7 * apple, rel=1e-5),
        "third": pytest.approx(0.5 * apple, rel=1e-5),
        "fourth": pytest.approx(0.3 * apple, rel=1e-5),
        "plain": None,
    }
    assert found.most == pytest.approx(apple + pear)
    assert found.by_words.all()
    assert not found.by_meaning.any()
    assert not found.by_tags.any()


def test_a_word_that_every_text_has_is_worth_least(world: World) -> None:
    ids = made(world)
    with resolve(world.here.robot("aria")).scope():
        Text.objects.exclude(memory_id__in=[ids["short"], ids["long"]]).delete()
    assert scored(world, ("pear",)).most == pytest.approx(log(1 + 0.5 / 2.5))


def test_a_tag_alone_brings_a_text(world: World) -> None:
    ids = made(world)
    found = scored(world, ("pear",), fusion="rrf")
    rows = {
        id_: (bool(worded), tags)
        for id_, worded, tags in zip(ids_of(found), found.by_words, found.by_tags, strict=True)
    }
    assert rows == {ids["long"]: (True, 0), ids["short"]: (True, 0), ids["plain"]: (False, 1)}
    assert not found.by_meaning.any()


def chosen(found: Pool) -> set[tuple[bool, bool, float]]:
    """By meaning, by words, by how many tags."""
    columns = (found.by_meaning, found.by_words, found.by_tags)
    return set(zip(*(column.tolist() for column in columns), strict=True))


def test_what_lies_near_is_not_said_to_share_a_word(lasting_world: World) -> None:
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    here.remember(aria, "Apples are red.")
    here.embed()
    asker = resolve(aria)
    with asker.scope():
        one = prepare(asker, Query(text="billing", strategy="hybrid"), timezone.now())
        assert chosen(candidates(one)) == {(True, False, 0.0)}


def test_what_is_given_was_chosen_by_neither_arm(world: World) -> None:
    ids = made(world)
    asker = resolve(world.here.robot("aria"))
    with asker.scope():
        one = prepare(asker, Query(text="apple", strategy="hybrid"), timezone.now())
        found = given(one, [ids["own"], ids["plain"]])
    assert len(found) == 2
    assert chosen(found) == {(False, False, 0.0)}
    assert np.isnan(found.words).all()
    assert found.most == 0.0


def test_in_a_large_scope_words_are_no_tags(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made(world)
    monkeypatch.setattr(search, "is_large", lambda one: True)
    asker = resolve(world.here.robot("aria"))
    with asker.scope():
        query = Query(text="pear billing", strategy="hybrid", fusion="rrf")
        one = replace(prepare(asker, query, timezone.now()), vector=None)
        found = candidates(one)
    assert chosen(found) == {(False, True, 0.0), (False, False, 1.0)}
