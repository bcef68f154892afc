"""What the turns around a memory lend it, worked out by hand: words with labels, and meaning."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connection

from memories.indexing import context_windows
from memories.indexing.context_windows import ContextWindows
from memories.indexing.models import Text
from orgs.database.driver.binary_values import encode_halfvec
from orgs.principals import resolve_principal
from tests.memories.retrieval.pure.feature_tables import NOW, id_of
from tests.world import World

ORGANISATION, AUDIENCE = id_of(1_000), id_of(1_001)
LAST = 12
Vectors = dict[UUID, np.ndarray]
Shown = dict[int, dict[int, float]]  # by the number of a turn: its vector


def unit(number: int) -> np.ndarray:
    """A turn's own direction."""
    found = np.zeros(16, dtype=np.float32)
    found[number] = 1.0
    return found


class Cursor:
    """Keeps what it is asked; answers with the rows that are given."""

    alias = "worker"

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), []  # type: ignore[var-annotated]

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *raised: object) -> None: ...

    def cursor(self) -> "Cursor":
        return self

    def execute(self, statement: str, values: Any) -> None:
        self.asked.append((" ".join(statement.split()), dict(values)))

    def fetchall(self) -> Any:
        return self.answers.pop(0)


def turn(number: int, **fields: Any) -> tuple[Any, ...]:
    """A row of a conversation as it is read: short, embedded, without an end."""
    fields = {
        "conversation": "c",
        "expires_at": None,
        "length": 10,
        "stored": unit(number),
    } | fields
    stored = None if fields["stored"] is None else bytes(encode_halfvec(fields["stored"]))
    return (
        id_of(number), fields["conversation"], AUDIENCE, fields["expires_at"], fields["length"],
        stored,
    )  # fmt: skip


def around(batch: Iterable[int], rows: list[tuple[Any, ...]] | None = None) -> ContextWindows:
    """Thirteen turns unless others are given, some of which are the batch."""
    rows = [turn(n) for n in range(LAST + 1)] if rows is None else rows
    cursor: Any = Cursor([(row[0],) for row in rows], rows)
    return ContextWindows(ORGANISATION, {id_of(n): unit(n) for n in batch}, 1, cursor)


def shown(vectors: Vectors) -> dict[int, list[float]]:
    return {id_.int: vector.tolist() for id_, vector in vectors.items()}


def meant(own: int, lent: dict[int, float]) -> Any:
    """own + normalise(own + what is lent)."""
    context = unit(own) + sum((weight * unit(n) for n, weight in lent.items()), np.zeros(16))
    return pytest.approx((unit(own) + context / np.linalg.norm(context)).tolist(), abs=1e-6)


def pairs(found: ContextWindows) -> dict[tuple[int, int], float]:
    """(row, turn): worth, of all that the windows are made of."""
    rows, turns, worth = found._pairs()
    made = {(r.int, t.int): w for r, t, w in zip(rows, turns, worth, strict=True)}
    assert len(made) == len(rows)
    return made


def test_twice_the_reach_is_read_and_held() -> None:
    cursor: Any = Cursor([(id_of(4),), (id_of(5),)], [])
    ContextWindows(ORGANISATION, {id_of(4): unit(4)}, 1, cursor)
    first, near, back, held, turns = (values for _, values in cursor.asked)
    assert (first["sorting"], back["sorting"]) == ("off", "on")
    assert near == {"organisation": ORGANISATION, "model": 1, "ids": [id_of(4)], "around": 10}
    assert held["near"] == turns["near"] == [id_of(4), id_of(5)]


def test_meaning_is_lent_over_three_turns() -> None:
    found = shown(around([6]).searched())
    assert set(found) == set(range(3, 10))
    lent = {3: 0.1, 4: 0.15, 5: 0.3, 7: 0.3, 8: 0.15, 9: 0.1}
    assert found[6] == meant(6, lent)
    assert found[3] == meant(3, {0: 0.1, 1: 0.15, 2: 0.3, 4: 0.3, 5: 0.15, 6: 0.1})


@pytest.mark.parametrize(("fresh", "near"), [(0, range(4)), (1, range(5)), (LAST, range(9, 13))])
def test_a_conversation_has_two_ends(fresh: int, near: range) -> None:
    found = shown(around([fresh]).searched())
    assert set(found) == set(near)
    if fresh == 0:
        assert found[0] == meant(0, {1: 0.3, 2: 0.15, 3: 0.1})


def test_a_turn_longer_than_forty_lexemes_lends_less() -> None:
    lengths = {0: 0, 1: 40, 3: 50, 4: 80}
    rows = [turn(n, length=lengths.get(n, 10)) for n in range(5)]
    found = shown(around([2], rows).searched())
    assert found[2] == meant(2, {0: 0.15, 1: 0.3, 3: 0.3 * 0.8, 4: 0.15 * 0.5})


def test_what_has_no_vector_yet_neither_lends_nor_moves() -> None:
    rows = [turn(0, stored=None), turn(1), turn(2)]
    found = shown(around([1], rows).searched())
    assert set(found) == {1, 2}
    assert found[1] == meant(1, {2: 0.3})


def test_other_conversations_lend_nothing_and_what_stands_alone_keeps_its_own() -> None:
    rows = [turn(0), turn(1, conversation="d")]
    found = shown(around([0, 5], rows).searched())
    assert found == {0: (2 * unit(0)).tolist(), 5: (2 * unit(5)).tolist()}


def test_what_is_lent_away_to_nothing_leaves_the_text_itself() -> None:
    against = np.float32(-1 / 0.6) * unit(1)
    rows = [turn(0), turn(1), turn(2)]
    made = around([1], rows)
    made.own |= {id_of(0): against, id_of(2): against}
    assert shown(made.searched())[1] == (2 * unit(1)).tolist()


def test_what_ends_lends_to_nothing_that_outlasts_it() -> None:
    soon, later = NOW + timedelta(days=1), NOW + timedelta(days=2)
    rows = [turn(0, expires_at=soon), turn(1), turn(2, expires_at=soon), turn(3, expires_at=later)]
    made = around([0], rows)
    assert {t for r, t in pairs(made) if r == 1} == {1}
    assert {t for r, t in pairs(made) if r == 2} == {0, 1, 2, 3}
    assert {t for r, t in pairs(made) if r == 3} == {1, 3}
    assert shown(made.searched())[0] == meant(0, {1: 0.3, 2: 0.15, 3: 0.1})


@pytest.mark.parametrize(
    ("fresh", "near"), [(6, range(1, 12)), (0, range(6)), (LAST, range(7, 13))]
)
def test_words_are_lent_over_five_turns(fresh: int, near: range) -> None:
    worth = {0: 1.0, 1: 0.7, 2: 0.5, 3: 0.3, 4: 0.3, 5: 0.3}
    assert pairs(around([fresh])) == {
        (row, other): worth[abs(row - other)]
        for row in near
        for other in range(LAST + 1)
        if abs(row - other) <= 5
    }


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Cursor:
    """Keeps what is stored by a prepared statement too."""
    cursor = Cursor()

    def fetched(statement: str, values: Any, using: str) -> None:
        assert using == cursor.alias
        cursor.execute(statement, values)

    monkeypatch.setattr(context_windows, "fetch_all", fetched)
    return cursor


def test_the_vectors_of_the_batch_and_of_its_neighbours_are_stored(asked: Any) -> None:
    made = around([1], [turn(0), turn(1)])
    made.connection = cursor = asked
    changed = made.store({id_of(0): unit(0), id_of(1): unit(1)})
    assert changed == {id_of(0), id_of(1)}
    (_, windows), (_, move) = cursor.asked
    assert (move["ids"], move["fresh"]) == ([id_of(0), id_of(1)], [id_of(1)])
    assert windows["worth"] == [1.0, 0.7, 1.0, 0.7]


def test_without_a_conversation_only_the_own_vector_is_stored(asked: Any) -> None:
    made = around([1], [])
    made.connection = cursor = asked
    assert made.store(made.searched()) == {id_of(1)}
    [(_, move)] = cursor.asked
    assert (move["ids"], move["fresh"]) == ([id_of(1)], [id_of(1)])


# (turn, its length, worth): the label of its word in the window.
LABELS = {
    ("short", 10, 1.0): "A",
    ("shortest", 1, 0.95): "B",
    ("six", 10, 0.6): "B",
    ("four", 40, 0.4): "C",
    ("two", 40, 0.2): "D",
    ("none", 40, 0.19): None,
    # Damped: x 40 / 80, x 40 / 50.
    ("long", 80, 1.0): "C",
    ("fifty", 50, 0.751): "B",
    ("more", 50, 0.74): "C",
    ("o'b\\c", 80, 0.5): "D",
}


def test_a_word_is_labelled_by_what_it_is_worth(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    row = here.remember(aria, "The window").id
    # Its own words count whole, however long it is; .95 stands for nothing that occurs.
    own = [("own", row, 80, 1.0)]
    own += [("own", row2 := here.remember(aria, "Another").id, 80, 0.95)]
    lent = [(word, here.remember(aria, f"Turn {word}").id, length, worth)
            for word, length, worth in LABELS]  # fmt: skip
    again = here.remember(aria, "Said once more").id
    lent.append(("two", again, 40, 0.6))
    with resolve_principal(aria).scope():
        with connection.cursor() as cursor:
            for word, id_, length, _ in (*own, *lent):
                cursor.execute(
                    "UPDATE memories_text SET own = array_to_tsvector(ARRAY[%s]), length = %s "
                    "WHERE memory_id = %s", [word, length, id_]
                )  # fmt: skip
        made = around([])
        made.organisation_id, made.connection = here.id, connection
        given = [(row, id_, worth) for _, id_, _, worth in lent]
        given += [(id_, id_, worth) for _, id_, _, worth in own]
        made._pairs = lambda: tuple(map(list, zip(*given, strict=True)))  # type: ignore
        made.store({})
        kept = dict(Text.objects.values_list("memory_id", "lexemes"))
    expected = {word: label for (word, _, _), label in LABELS.items() if label}
    expected |= {"own": "A", "two": "B"}
    assert labels(kept[row]) == expected, "of several worths the best"
    assert labels(kept[row2]) == {"own": "B"}


def labels(lexemes: str) -> dict[str, str]:
    """The label of each word, all of which stand at the first place."""
    found = {}
    for one in lexemes.split(" "):
        word, _, place = one.rpartition(":")
        assert place[0] == "1"
        found[word[1:-1].replace("''", "'").replace("\\\\", "\\")] = place[1:] or "D"
    return found
