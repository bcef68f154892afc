"""Context windows: the neighbouring turns of a memory contribute words and meaning to its search,
because an answer often shares none with its question.

A neighbour counts only in the same conversation and the same audience. Words of a narrower audience
could reveal, by a hit, what the asker may not read.

Words: a lexeme of a turn k away has the weight WORDS[k] x d, d = min(1, 40 / the neighbour's length
in lexemes), and gets the label B, C or D in the window by the limits in the SQL. Meaning: the
searched vector is e + normalise(e + sum of MEANING[k] x d x e(t +- k)). Long neighbours count less
(d), otherwise they would dominate.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db.backends.base.base import BaseDatabaseWrapper
from numpy.typing import NDArray

from memories.store.context_window import MAX_DISTANCE, VECTOR_WEIGHTS, WORD_WEIGHTS, can_be_context
from orgs.database.driver.binary_values import VECTOR_SQL, decode_halfvec, vector_parameters
from orgs.database.prepared_statements import fetch_all

Vector = NDArray[np.float32]

DAMPING_LENGTH = 40.0

# The index has the turns in order. With the statistics of a table that has just grown, the planner
# would rather sort a whole conversation for each of its turns, which is slower.
_PLANNER_SETTINGS_SQL = """
SELECT set_config('enable_bitmapscan', %(sorting)s, true),
    set_config('enable_sort', %(sorting)s, true)
"""
# Twice the reach: the turns in reach need those in their own reach.
_NEARBY_TURNS_SQL = """
WITH given AS (
    SELECT id, conversation, audience_id, position FROM memories_memory
    WHERE organisation_id = %(organisation)s AND id = ANY(%(ids)s) AND conversation IS NOT NULL
)
SELECT given.id FROM given
UNION
SELECT around.id FROM given CROSS JOIN LATERAL (
    (SELECT m.id FROM memories_memory m
     WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
       AND m.audience_id = given.audience_id AND m.status = 'active'
       AND (m.position, m.id) < (given.position, given.id)
     ORDER BY m.position DESC, m.id DESC LIMIT %(around)s)
    UNION ALL
    (SELECT m.id FROM memories_memory m
     WHERE m.organisation_id = %(organisation)s AND m.conversation = given.conversation
       AND m.audience_id = given.audience_id AND m.status = 'active'
       AND (m.position, m.id) > (given.position, given.id)
     ORDER BY m.position, m.id LIMIT %(around)s)
) AS around
"""
# Taking one of these turns out of search waits for this, and then removes its contribution.
_LOCK_TEXTS_SQL = """
SELECT memory_id FROM memories_text
WHERE organisation_id = %(organisation)s AND memory_id = ANY(%(near)s)
ORDER BY memory_id FOR KEY SHARE
"""
_TURNS_SQL = """
SELECT m.id, m.conversation, m.audience_id, m.expires_at, t.length, halfvec_send(e.own)
FROM memories_memory m
JOIN memories_text t ON t.organisation_id = m.organisation_id AND t.memory_id = m.id
LEFT JOIN memories_embedding e ON e.organisation_id = m.organisation_id
    AND e.memory_id = m.id AND e.model = %(model)s
WHERE m.organisation_id = %(organisation)s AND m.id = ANY(%(near)s) AND m.status = 'active'
ORDER BY m.conversation, m.audience_id, m.position, m.id
"""

_UPDATE_LEXEMES_SQL = r"""
WITH pairs AS (
    SELECT * FROM unnest(%(rows)s::uuid[], %(turns)s::uuid[], %(worth)s::float8[])
        AS given (id, turn, worth)
), words AS (
    SELECT pairs.id, x.lexeme, max(pairs.worth * CASE WHEN pairs.id = pairs.turn THEN 1.0
        ELSE %(damped)s::float8 / greatest(t.length, %(damped)s::float8) END) AS worth
    FROM pairs
    JOIN memories_text t ON t.organisation_id = %(organisation)s AND t.memory_id = pairs.turn
    CROSS JOIN LATERAL unnest(t.own) AS x
    GROUP BY 1, 2
), windows AS (
    SELECT id, string_agg(
        memories_quoted_word(lexeme) || ':1' || CASE
            WHEN worth >= 1 THEN 'A' WHEN worth >= .6 THEN 'B' WHEN worth >= .4 THEN 'C'
            ELSE 'D' END, ' ')::tsvector AS lexemes
    FROM words WHERE worth >= .2 GROUP BY id
)
UPDATE memories_text x SET lexemes = windows.lexemes
FROM windows WHERE x.organisation_id = %(organisation)s AND x.memory_id = windows.id
"""

_UPDATE_VECTORS_SQL = f"""
UPDATE memories_search s SET embedding = {VECTOR_SQL}, model = %(model)s
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS given (id, at)
WHERE s.organisation_id = %(organisation)s AND s.memory_id = given.id
  AND (s.model = %(model)s OR given.id = ANY(%(fresh)s::uuid[]))
"""
# The same for vectors that stand beside the narrow rows (`OrganisationModels.rows`).
_INSERT_FURTHER_SQL = f"""
INSERT INTO memories_vector (organisation_id, memory_id, audience_id, kind, model, part, embedding)
SELECT s.organisation_id, s.memory_id, s.audience_id, s.kind, %(model)s, 0, {VECTOR_SQL}
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS given (id, at)
JOIN memories_search s ON s.organisation_id = %(organisation)s AND s.memory_id = given.id
WHERE given.id = ANY(%(fresh)s::uuid[])
ON CONFLICT (organisation_id, memory_id, model, part) DO UPDATE SET embedding = excluded.embedding
"""
_UPDATE_FURTHER_SQL = f"""
UPDATE memories_vector v SET embedding = {VECTOR_SQL}
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS given (id, at)
WHERE v.organisation_id = %(organisation)s AND v.memory_id = given.id AND v.model = %(model)s
  AND v.part = 0 AND NOT given.id = ANY(%(fresh)s::uuid[])
"""
_DELETE_FURTHER_SQL = """
DELETE FROM memories_vector WHERE organisation_id = %(organisation)s
    AND memory_id = ANY(%(fresh)s::uuid[]) AND model = %(model)s AND part = 0
"""


class ContextWindows:
    """The turns near some memories, in order, with their lengths and vectors.

    One for each batch, made before its own vectors are stored. vectors: those of the batch, by
    memory id.
    """

    def __init__(
        self,
        organisation_id: UUID,
        vectors: Mapping[UUID, Vector],
        model: int,
        connection: BaseDatabaseWrapper,
    ) -> None:
        self.organisation_id, self.model, self.connection = organisation_id, model, connection
        self.own: dict[UUID, Vector] = {}
        self.fresh = set(vectors)
        self.length: dict[UUID, int] = {}
        self.expiry: dict[UUID, datetime | None] = {}
        by_conversation: dict[tuple[str, UUID], list[UUID]] = defaultdict(list)
        for id_, conversation, audience, expires_at, length, stored in self._read(list(vectors)):
            by_conversation[(conversation, audience)].append(id_)
            self.length[id_], self.expiry[id_] = length, expires_at
            if stored is not None:
                self.own[id_] = decode_halfvec(stored).astype(np.float32)
        self.own.update(vectors)
        self.turns = list(by_conversation.values())

    def _read(self, ids: list[UUID]) -> list[tuple[Any, ...]]:
        """The turns near these, locked against removal until the transaction ends."""
        values: dict[str, Any] = {"organisation": self.organisation_id, "model": self.model}
        with self.connection.cursor() as cursor:
            cursor.execute(_PLANNER_SETTINGS_SQL, {"sorting": "off"})
            cursor.execute(_NEARBY_TURNS_SQL, values | {"ids": ids, "around": 2 * MAX_DISTANCE})
            values["near"] = [id_ for (id_,) in cursor.fetchall()]
            cursor.execute(_PLANNER_SETTINGS_SQL, {"sorting": "on"})
            cursor.execute(_LOCK_TEXTS_SQL, values)
            cursor.execute(_TURNS_SQL, values)
            return list(cursor.fetchall())

    def _around(self, turns: Sequence[UUID], index: int, reach: int) -> Iterable[tuple[int, UUID]]:
        """(distance, id) of the turns up to `reach` away that contribute to this one."""
        here = self.expiry[turns[index]]
        for k in range(1, reach + 1):
            for at in (index - k, index + k):
                if 0 <= at < len(turns) and can_be_context(self.expiry[turns[at]], here):
                    yield k, turns[at]

    def _due(self, turns: Sequence[UUID], reach: int) -> list[int]:
        """The places of the turns whose context the batch changes: its own turns and those in
        reach."""
        changed = [i for i, id_ in enumerate(turns) if id_ in self.fresh]
        return sorted(
            {at for i in changed for at in range(max(0, i - reach), min(len(turns), i + reach + 1))}
        )

    def searched(self) -> dict[UUID, Vector]:
        """The searched vectors of the batch, and of the turns around it that have a vector."""
        found = {id_: 2 * self.own[id_] for id_ in self.fresh}
        for turns in self.turns:
            for index in self._due(turns, len(VECTOR_WEIGHTS)):
                id_ = turns[index]
                if id_ in self.own:
                    found[id_] = self._with_context(turns, index)
        return found

    def _with_context(self, turns: Sequence[UUID], index: int) -> Vector:
        own = self.own[turns[index]]
        context = own.copy()
        for k, other in self._around(turns, index, len(VECTOR_WEIGHTS)):
            if other in self.own:
                damping = DAMPING_LENGTH / max(DAMPING_LENGTH, self.length[other])
                context += VECTOR_WEIGHTS[k - 1] * damping * self.own[other]
        norm = float(np.linalg.norm(context))
        return own + context / norm if norm else 2 * own

    def store(
        self,
        searched: Mapping[UUID, Vector],
        *,
        words: bool = True,
        in_rows: bool = True,
        split: bool = False,
    ) -> set[UUID]:
        """Store the searched vectors, also those of older neighbours, and the context windows of
        words.

        words: False if these do not change. in_rows: whether the narrow rows have the vectors of
        this model, else they stand beside them; split: whether some may still stand beside.

        Returns the ids of memories whose words or vector changed, the batch among them.
        """
        rows, turns, worth = self._pairs() if words else ([], [], [])
        values: dict[str, Any] = {"organisation": self.organisation_id, "model": self.model}
        with self.connection.cursor() as cursor:
            if rows:
                worths = {"rows": rows, "turns": turns, "worth": worth, "damped": DAMPING_LENGTH}
                cursor.execute(_UPDATE_LEXEMES_SQL, values | worths)
        if searched:
            values |= {"ids": list(searched), "fresh": list(self.fresh)}
            values |= vector_parameters(list(searched.values()))
            statements = [_UPDATE_VECTORS_SQL] if in_rows else [_INSERT_FURTHER_SQL]
            if split or not in_rows:
                statements.append(_UPDATE_FURTHER_SQL)
            for statement in statements:
                fetch_all(statement, values, self.connection.alias)
            if in_rows and split:
                placed = {name: values[name] for name in ("organisation", "model", "fresh")}
                fetch_all(_DELETE_FURTHER_SQL, placed, self.connection.alias)
        return {*searched, *rows}

    def _pairs(self) -> tuple[list[UUID], list[UUID], list[float]]:
        rows: list[UUID] = []
        others: list[UUID] = []
        worth: list[float] = []
        for turns in self.turns:
            for index in self._due(turns, MAX_DISTANCE):
                for other, weight in [
                    (turns[index], 1.0),
                    *(
                        (o, WORD_WEIGHTS[k - 1])
                        for k, o in self._around(turns, index, MAX_DISTANCE)
                    ),
                ]:
                    rows.append(turns[index])
                    others.append(other)
                    worth.append(weight)
        return rows, others, worth
