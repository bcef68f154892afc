"""What an upgrade will do to this database: step by step, about how long, and how much room.

Migrations are asked for their SQL and none of it is run. Sizes come from the database as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration, RunSQL
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState

from config.releases.statement_effects import (
    CODE,
    INDEX,
    MOMENT,
    NOBODY,
    REWRITE,
    ROWS,
    SCAN,
    VECTOR_INDEX,
    Effect,
    list_effects,
    split_statements,
)

# Bytes of a table a second, on one slow core: rather too few than too many.
RATES = {
    SCAN: 100_000_000,
    INDEX: 20_000_000,
    VECTOR_INDEX: 1_000_000,
    ROWS: 5_000_000,
    REWRITE: 10_000_000,
}
# The room that the work takes, as a share of the table.
ROOM = {INDEX: 0.3, VECTOR_INDEX: 1.5, ROWS: 1.0, REWRITE: 1.0}
_SIZES_SQL = """
SELECT c.relname, pg_total_relation_size(c.oid), greatest(c.reltuples, 0)::bigint
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'm')
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a migration, in Django's words, and what it does to tables with rows."""

    migration: str
    operation: str
    effects: list[Effect]


@dataclass(frozen=True, slots=True)
class Estimate:
    """About how long an effect takes and how much room, in bytes. seconds: None if nobody can
    tell."""

    rows: int
    seconds: float | None
    room: int


def pending_migrations(connection: BaseDatabaseWrapper) -> list[Migration]:
    """The migrations of this release that are not done here, in their order."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [migration for migration, _ in plan]


def list_steps(connection: BaseDatabaseWrapper, wanted: Sequence[Migration]) -> Iterator[Step]:
    """What the migrations do, which come after all others. Nothing is changed."""
    executor = MigrationExecutor(connection)
    asked = {(migration.app_label, migration.name) for migration in wanted}
    state, new_tables = ProjectState(real_apps=executor.loader.unmigrated_apps), set[str]()
    for migration, _ in executor.migration_plan(
        executor.loader.graph.leaf_nodes(), clean_start=True
    ):
        if (migration.app_label, migration.name) in asked:
            yield from _read(connection, migration, state, new_tables)
        else:
            migration.mutate_state(state, preserve=False)


def _read(
    connection: BaseDatabaseWrapper,
    migration: Migration,
    state: ProjectState,
    new_tables: set[str],
) -> Iterator[Step]:
    name, collected = f"{migration.app_label} {migration.name}", []
    with connection.schema_editor(collect_sql=True, atomic=migration.atomic) as editor:
        for operation in migration.operations:
            # SQL knows no models, which would have to be drawn for each state.
            before = state if isinstance(operation, RunSQL) else state.clone()
            place = len(editor.collected_sql)
            operation.state_forwards(migration.app_label, state)
            if operation.reduces_to_sql:
                operation.database_forwards(migration.app_label, editor, before, state)
                text = "\n".join(editor.collected_sql[place:])
                collected.append((operation.describe(), text))
            else:
                collected.append((operation.describe(), "DO $$$$"))
        place = len(editor.collected_sql)
    collected.append(("Constraints and indexes", "\n".join(editor.collected_sql[place:])))
    for operation, text in collected:
        effects = [e for one in split_statements(text) for e in list_effects(one, new_tables)]
        if effects or operation != "Constraints and indexes":
            yield Step(name, operation, list(dict.fromkeys(effects)))


def read_sizes(connection: BaseDatabaseWrapper) -> dict[str, tuple[int, int]]:
    """(bytes with indexes, rows as the planner knows them) by table."""
    with connection.cursor() as cursor:
        cursor.execute(_SIZES_SQL)
        return {name: (size, rows) for name, size, rows in cursor.fetchall()}


def estimate(effect: Effect, sizes: dict[str, tuple[int, int]]) -> Estimate:
    """About what an effect costs in a database with tables of these sizes."""
    size, rows = sizes.get(effect.table, (0, 0))
    if effect.work == CODE or not effect.table:
        return Estimate(rows, None, 0)
    seconds = 0.0 if effect.work == MOMENT else size / RATES[effect.work]
    return Estimate(rows, seconds, round(size * ROOM.get(effect.work, 0)))


def describe(effect: Effect, costs: Estimate) -> str:
    """An effect as a line for people."""
    if costs.seconds is None:
        return "runs code; how long nobody can tell beforehand"
    if effect.work == MOMENT:
        return f"{effect.table}: a moment, for which {effect.blocks} wait"
    what = {SCAN: "read once", ROWS: "rows written", REWRITE: "written anew"}
    whom = "nobody waits" if effect.blocks == NOBODY else f"{effect.blocks} wait so long"
    return (
        f"{effect.table} ({costs.rows:,} rows): {what.get(effect.work, effect.work)}, "
        f"about {costs.seconds:,.0f} s and {costs.room / 1e6:,.0f} MB; {whom}"
    )
