"""What is asked of the database, and what the words of a text are worth."""

from dataclasses import replace
from math import log
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from memories.indexing.models import Text
from memories.retrieval.candidates import search
from memories.retrieval.candidates.scan_rows import SearchTable
from memories.retrieval.candidates.search import (
    arm_size,
    find_candidates,
    load_candidates,
    to_tsquery,
    top_indexes,
)
from memories.retrieval.recall import build_request
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import Candidates, SearchFilters
from orgs.database.prepared_statements import fetch_all
from orgs.principals import resolve_principal
from tests.memories.retrieval.pure.feature_tables import id_of, question
from tests.world import World


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
    assert arm_size(question(**fields)) == most


def test_the_best_are_chosen_and_of_equal_ones_the_younger() -> None:
    ids = np.array([id_of(n).bytes for n in range(6)], dtype="S16")
    scores = np.array([0.5, np.nan, 0.9, 0.5, 0.1, 0.5])
    assert top_indexes(scores, ids, 2).tolist() == [2, 5]
    assert top_indexes(scores, ids, 3).tolist() == [2, 5, 3]
    assert top_indexes(scores, ids, 9).tolist() == [2, 5, 3, 0, 4]
    assert top_indexes(scores[:0], ids[:0], 3).tolist() == []


def test_a_lexeme_is_quoted() -> None:
    assert to_tsquery("o'brien\\") == "'o''brien\\\\'"


@pytest.mark.parametrize(
    ("large", "fields", "by_indexes"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"filters": SearchFilters(kinds=("group",))}, False),
    ],
)
def test_a_narrowed_question_is_scored_exactly_however_large_the_scope(
    monkeypatch: pytest.MonkeyPatch, large: bool, fields: dict[str, Any], by_indexes: bool
) -> None:
    asked: list[str] = []

    def by(name: str) -> Any:
        def answer(*_: object) -> Any:
            asked.append(name)
            return SimpleNamespace(rows=())

        return answer

    monkeypatch.setattr(search, "is_large_scope", lambda one: large)
    monkeypatch.setattr(search, "_score_from_indexes", by("indexes"))
    monkeypatch.setattr(search, "scan_rows", lambda _, sources, __: sources)
    monkeypatch.setattr(search, "_score_all", by("all"))
    monkeypatch.setattr(search, "_select_candidates", lambda *_: None)
    find_candidates(question(**fields))
    assert asked == ["indexes" if by_indexes else "all"]
    asked.clear()
    find_candidates(question(**fields), [SearchTable(conditions=("true",))])
    assert asked == ["all"], "a source has no such indexes"


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
    with resolve_principal(aria).scope(), connection.cursor() as cursor:
        for name, (words, length) in windows.items():
            cursor.execute(
                "UPDATE memories_text SET own = ts_filter(%s::tsvector, '{a}'), "
                "lexemes = %s::tsvector, length = %s WHERE memory_id = %s",
                [words, words, length, ids[name]],
            )
            assert Text.objects.get(memory_id=ids[name]).length == length
    return ids


def scored(world: World, words: tuple[str, ...], **fields: Any) -> Candidates:
    asker = resolve_principal(world.here.robot("aria"))
    with asker.scope():
        one = build_request(
            asker, Query(text="billing", strategy="hybrid", **fields), timezone.now()
        )
        places = fetch_all(
            "SELECT ARRAY(SELECT memories_word_place(w) FROM unnest(%s::text[]) AS w)",
            [list(words)],
        )[0][0]
        return find_candidates(
            replace(one, lexemes=words, places=tuple(places), word_numbers=(), vector=None)
        )[0]


def ids_of(found: Candidates) -> list[UUID]:
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
    with resolve_principal(world.here.robot("aria")).scope():
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


def chosen(found: Candidates) -> set[tuple[bool, bool, float]]:
    """By meaning, by words, by how many tags."""
    columns = (found.by_meaning, found.by_words, found.by_tags)
    return set(zip(*(column.tolist() for column in columns), strict=True))


def test_what_lies_near_is_not_said_to_share_a_word(lasting_world: World) -> None:
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    here.remember(aria, "Apples are red.")
    here.embed()
    asker = resolve_principal(aria)
    with asker.scope():
        one = build_request(asker, Query(text="billing", strategy="hybrid"), timezone.now())
        assert chosen(*find_candidates(one)) == {(True, False, 0.0)}


def test_what_is_given_was_chosen_by_neither_arm(world: World) -> None:
    ids = made(world)
    asker = resolve_principal(world.here.robot("aria"))
    with asker.scope():
        one = build_request(asker, Query(text="apple", strategy="hybrid"), timezone.now())
        found = load_candidates(one, [ids["own"], ids["plain"]])
    assert len(found) == 2
    assert chosen(found) == {(False, False, 0.0)}
    assert np.isnan(found.words).all()
    assert found.most == 0.0


def test_in_a_large_scope_words_are_no_tags(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    made(world)
    monkeypatch.setattr(search, "is_large_scope", lambda one: True)
    asker = resolve_principal(world.here.robot("aria"))
    with asker.scope():
        query = Query(text="pear billing", strategy="hybrid", fusion="rrf")
        one = replace(build_request(asker, query, timezone.now()), vector=None)
        [found] = find_candidates(one)
    assert chosen(found) == {(False, True, 0.0), (False, False, 1.0)}
