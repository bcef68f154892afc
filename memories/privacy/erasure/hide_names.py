"""Hide the names of an erased member in rows that stay, and list these for curators.

A colleague's text stays, but the member's name in it is hidden. The columns are in `columns.py`.
Hidden names cannot be restored.
"""

import os
from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

import orjson
from django.db import IntegrityError, connections, transaction
from psycopg import sql

from memories.curation.decision_records.topic_rules import topic_hash
from memories.indexing import search_index
from memories.jobs.worker_hints import notify_embedding_worker
from memories.privacy.erasure.column_rules import COLUMN_RULES, MaskingRule, name_columns
from memories.privacy.erasure.erasure_run import BATCH_SIZE, WORKER, ErasureRun, fetch_decoded
from memories.privacy.erasure.hide_names_sealed import hide_in_sealed
from memories.privacy.erasure.name_terms import NameTerms
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.store.encryption.texts import UndecryptableText
from memories.store.models.choices import Kind, Status
from memories.store.models.memory import Memory
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.models.organisations import Organisation

MEMORY_TABLE = "memories_memory"
# Tables whose rows may have a tombstone, and are then deleted anyway.
_TOMBSTONE_COLUMN = {
    MEMORY_TABLE: "id",
    "memories_version": "memory_id",
    "memories_restatement": "memory_id",
    "memories_entity": "memory_id",
    "memories_heldtext": "memory_id",
    "memories_proposal": "memory_id",
    "memories_decision": "memory_id",
    "memories_participant": "memory_id",
    "memories_claim": "memory_id",
    "memories_dissent": "memory_id",
    "memories_job": "id",
    "robots_message": "id",
    "robots_conversation": "id",
}
# The id column of a table; parts without an own id use their memory's.
_ID_COLUMN = {"memories_decision": "memory_id"}
_NO_TOMBSTONE_SQL = sql.SQL(
    "AND NOT EXISTS (SELECT 1 FROM memories_tombstone s "
    "WHERE s.organisation_id = t.organisation_id AND s.target = t.{})"
)


def hide_names(running: ErasureRun, terms: NameTerms) -> dict[str, int]:
    """Hide the terms in every row that stays. Returns the number of changed rows by table."""
    counts: dict[str, int] = {}
    if not terms:
        return counts
    # The table of robots' names for people comes last, because these names are searched in the
    # others.
    for table in sorted(COLUMN_RULES, key=lambda name: name == "robots_identitylink"):
        if name_columns(table) and (changed := _hide_in_table(running, table, terms)):
            counts[table] = changed
    for table, changed in hide_in_sealed(running, terms, _hide_and_reindex).items():
        counts[table] = counts.get(table, 0) + changed
    return counts


def count_mentions(running: ErasureRun, terms: NameTerms) -> int:
    """How many memories that stay contain one of the terms."""
    if not terms:
        return 0
    counted, last = 0, UUID(int=0)
    while found := _fetch_matching(running, MEMORY_TABLE, name_columns(MEMORY_TABLE), terms, last):
        counted += len(_ids_naming(found, name_columns(MEMORY_TABLE), terms))
        last = found[-1][0]
    return counted


def _hide_in_table(running: ErasureRun, table: str, terms: NameTerms) -> int:
    columns, changed, last = name_columns(table), 0, UUID(int=0)
    while found := _fetch_matching(running, table, columns, terms, last):
        last = found[-1][0]
        if table == MEMORY_TABLE:
            ids = _ids_naming(found, columns, terms)
            if ids:
                _hide_and_reindex(running, ids, terms)
            changed += len(ids)
        else:
            changed += _update_rows(running, table, columns, found, terms)
    return changed


def _ids_naming(
    found: Sequence[tuple[Any, ...]], columns: dict[str, MaskingRule], terms: NameTerms
) -> list[UUID]:
    """The ids of the rows that really contain a term: in JSON the database finds too many."""
    return [
        id_
        for id_, *values in found
        if any(
            hide_in_value(value, _terms_for_rule(rule, terms)) != value
            for rule, value in zip(columns.values(), values, strict=True)
        )
    ]


def _fetch_matching(
    running: ErasureRun, table: str, columns: dict[str, MaskingRule], terms: NameTerms, after: UUID
) -> list[tuple[Any, ...]]:
    """The next rows after an id in which a column may contain a term."""
    tests: list[sql.Composed] = []
    values: dict[str, Any] = {"organisation": running.organisation_id, "after": after}
    json_columns = _json_columns(table)
    for column, rule in columns.items():
        patterns = _terms_for_rule(rule, terms).patterns
        if column in json_columns:
            patterns = [(terms.beginnings, False)]
        for pattern, exact in patterns:
            values[name := f"p{len(tests)}"] = pattern
            tests.append(
                sql.SQL("{}::text {} {}").format(
                    sql.Identifier(column),
                    sql.SQL("~" if exact else "~*"),
                    sql.Placeholder(name),
                )
            )
    statement = sql.SQL(
        "SELECT {id} AS id, {} FROM {} t WHERE organisation_id = %(organisation)s "
        "AND {id} > %(after)s AND ({}) {} ORDER BY {id} LIMIT {}"
    ).format(
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.Identifier(table),
        sql.SQL(" OR ").join(tests),
        _NO_TOMBSTONE_SQL.format(sql.Identifier(_TOMBSTONE_COLUMN[table]))
        if table in _TOMBSTONE_COLUMN
        else sql.SQL(""),
        sql.Literal(BATCH_SIZE),
        id=sql.Identifier(_ID_COLUMN.get(table, "id")),
    )
    with (
        organisation_scope(running.organisation_id, using=WORKER),
        connections[WORKER].cursor() as cursor,
    ):
        cursor.execute(statement, values)
        return fetch_decoded(cursor)


def _update_rows(
    running: ErasureRun,
    table: str,
    columns: dict[str, MaskingRule],
    found: Sequence[tuple[Any, ...]],
    terms: NameTerms,
) -> int:
    lengths, changed = _max_lengths(table), 0
    with (
        organisation_scope(running.organisation_id, using=WORKER),
        connections[WORKER].cursor() as cursor,
    ):
        for id_, *values in found:
            new = {
                name: _new_value(rule, value, terms, id_, lengths.get(name))
                for (name, rule), value in zip(columns.items(), values, strict=True)
            }
            before = dict(zip(columns, values, strict=True))
            wanted = {name: value for name, value in new.items() if value != before[name]}
            if not wanted:
                continue
            if table == "memories_decision" and "words" in wanted:
                wanted["topic_hash"] = topic_hash(wanted["words"])
            _update_row(cursor, running, table, id_, wanted)
            changed += 1
    return changed


def _update_row(
    cursor: Any, running: ErasureRun, table: str, id_: UUID, wanted: dict[str, Any]
) -> None:
    """Update one row. If it would violate a unique constraint, its id is added."""
    statement = sql.SQL("UPDATE {} SET {} WHERE organisation_id = {} AND {} = {}").format(
        sql.Identifier(table),
        sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(n), sql.Placeholder()) for n in wanted
        ),
        sql.Placeholder(),
        sql.Identifier(_ID_COLUMN.get(table, "id")),
        sql.Placeholder(),
    )
    whose = [running.organisation_id, id_]
    try:
        with transaction.atomic(using=WORKER):
            cursor.execute(statement, [*_to_columns(table, wanted), *whose])
    except IntegrityError:
        lengths = _max_lengths(table)
        apart = {
            name: _append_id(value, id_, lengths.get(name)) if isinstance(value, str) else value
            for name, value in wanted.items()
        }
        cursor.execute(statement, [*_to_columns(table, apart), *whose])


@cache
def _json_columns(table: str) -> frozenset[str]:
    with connections[WORKER].cursor() as cursor:
        cursor.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 "
            "AND atttypid = 'jsonb'::regtype",
            [table],
        )
        return frozenset(name for (name,) in cursor.fetchall())


@cache
def _max_lengths(table: str) -> dict[str, int]:
    """The greatest length of each column of a table in characters; of a list column, of each
    text."""
    with connections[WORKER].cursor() as cursor:
        cursor.execute(
            "SELECT attname, atttypmod - 4 FROM pg_attribute WHERE attrelid = to_regclass(%s) "
            "AND attnum > 0 AND atttypmod > 4",
            [table],
        )
        return dict(cursor.fetchall())


def _truncate(value: Any, most: int | None) -> Any:
    """The value cut to the length of its column, because the replacement may be longer than a
    name."""
    if most is None:
        return value
    if isinstance(value, list):
        return [one[:most] if isinstance(one, str) else one for one in value]
    return value[:most] if isinstance(value, str) else value


def _terms_for_rule(rule: MaskingRule, terms: NameTerms) -> NameTerms:
    return terms.folded if rule in (MaskingRule.FOLDED, MaskingRule.KEY) else terms


def _new_value(rule: MaskingRule, value: Any, terms: NameTerms, id_: UUID, most: int | None) -> Any:
    """The new value of a column. most: its greatest length in characters."""
    new = hide_in_value(value, _terms_for_rule(rule, terms))
    if new == value:
        return value
    if rule == MaskingRule.FOLDED and isinstance(value, list):
        # A search word would find nothing without the name, so it is dropped.
        return [one for one, after in zip(value, new, strict=True) if one == after]
    if rule == MaskingRule.EMPTIED:
        return ""
    if rule == MaskingRule.KEY:
        # With the whole id, so that it differs from others that had the same name.
        return _append_id(new, id_, most)
    return _truncate(new, most)


def _append_id(value: str, id_: UUID, most: int | None) -> str:
    return f"{value[: (most or 300) - 37]} {id_}"


def hide_in_value(value: Any, terms: NameTerms) -> Any:
    """A JSON value with the names hidden, at every depth, also in keys of objects."""
    match value:
        case str():
            return terms.hidden(value)
        case list():
            return [hide_in_value(one, terms) for one in value]
        case dict():
            return _hide_in_object(value, terms)
    return value


def _hide_in_object(value: dict[str, Any], terms: NameTerms) -> dict[str, Any]:
    """An object with names hidden in its keys too; those that became equal are numbered."""
    found: dict[str, Any] = {}
    for key, one in value.items():
        new, number = terms.hidden(key), 2
        while new in found:
            new, number = f"{terms.hidden(key)} {number}", number + 1
        found[new] = hide_in_value(one, terms)
    return found


def _to_columns(table: str, values: dict[str, Any]) -> list[Any]:
    """The values as the database takes them: JSON as text; a list elsewhere is an array."""
    json_columns = _json_columns(table)
    return [
        orjson.dumps(value).decode() if name in json_columns else value
        for name, value in values.items()
    ]


# The audiences of memories. Neighbouring turns have the same audience.
_AUDIENCES = """
SELECT DISTINCT m.audience_id FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.id = ANY (%(ids)s)
"""


def _hide_and_reindex(running: ErasureRun, ids: Sequence[UUID], terms: NameTerms) -> None:
    """Hide names in memories: text, index, vectors and graph are made anew, and each gets a queue
    item.

    The speaker is emptied last, by the worker alone, so a run that broke off before finds the
    memory again.
    """
    audiences = tuple(sorted(id_ for (id_,) in running.rows(_AUDIENCES, {"ids": list(ids)})))
    columns, lengths = name_columns(MEMORY_TABLE), _max_lengths(MEMORY_TABLE)
    told = [name for name, rule in columns.items() if rule == MaskingRule.EMPTIED]
    with scope(Scope(organisation=running.organisation_id, audiences=audiences)):
        rows = list(
            Memory.objects.filter(organisation_id=running.organisation_id, id__in=ids)
            .select_for_update(of=("self",))
            .order_by("id")
        )
        active = [row for row in rows if row.status == Status.ACTIVE]
        search_index.unindex_rows(active, running.now)
        for row in rows:
            for name, rule in columns.items():
                if not isinstance(value := getattr(row, name), UndecryptableText):
                    setattr(row, name, _new_value(rule, value, terms, row.id, lengths.get(name)))
            # A random hash: it equals no other, and is no digest of words.
            row.content_hash = os.urandom(32)
            row.keeps_hash = True  # type: ignore[attr-defined]
            # Saved one by one, because `save` encrypts the text of sensitive memories.
            row.save(update_fields=["content_hash", *(n for n in columns if n not in told)])
        organisation = Organisation.objects.get(id=running.organisation_id)
        search_index.index_memories(active, organisation=organisation, now=running.now)
        _enqueue_mentions(running, [row for row in rows if row.status != Status.FORGOTTEN])
        notify_embedding_worker(running.organisation_id)
    running.change(
        "DELETE FROM memories_modelanswer WHERE organisation_id = %(organisation)s "
        "AND audience_id IN (SELECT audience_id FROM memories_memory "
        "WHERE organisation_id = %(organisation)s AND id = ANY (%(ids)s))",
        {"ids": list(ids)},
    )
    if told:
        running.change(
            "UPDATE memories_memory SET speaker = '' WHERE organisation_id = %(organisation)s "
            "AND id = ANY (%(ids)s)",
            {"ids": [row.id for row in rows if row.speaker == ""]},
        )


def _enqueue_mentions(running: ErasureRun, rows: Sequence[Memory]) -> None:
    """Add a queue item for each memory without one; not for robots' notes, which no person may
    read."""
    seen = Proposal.objects.filter(
        organisation_id=running.organisation_id,
        memory_id__in=[row.id for row in rows],
        cause=ProposalCause.MENTION,
        state=ProposalState.OPEN,
    ).values_list("memory_id", flat=True)
    known = set(seen)
    Proposal.objects.bulk_create(
        Proposal(
            organisation_id=row.organisation_id,
            memory_id=row.id,
            audience_id=row.audience_id,
            kind=row.kind,
            cause=ProposalCause.MENTION,
            created_at=running.now,
            details={"erasure": str(running.erasure.id)},
        )
        for row in rows
        if row.id not in known and row.kind != Kind.INTERNAL
    )
