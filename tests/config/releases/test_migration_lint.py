"""From the last release on, no migration holds up who reads or writes.

Indexes are made CONCURRENTLY, constraints NOT VALID and then validated, no table is written anew,
and the release before goes on working beside it.
"""

import json
from collections.abc import Iterator

import pytest
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import connections, migrations, models
from django.db.migrations import Migration, RunPython
from django.db.migrations.executor import MigrationExecutor

from config.releases.upgrade_plan import Step, list_steps
from orgs.database.online_index import AddIndexOnline
from orgs.database.sql_files import PROJECT_ROOT

LAST: dict[str, str] = json.loads(
    (PROJECT_ROOT / "tests/operations/last_release.json").read_text(encoding="utf-8")
)["migrations"]
# Operations that drop what the last release neither reads nor writes any more, such as
# "Remove field colour from memory".
DROPS_UNUSED: frozenset[str] = frozenset()


def migrations_since_last_release() -> list[Migration]:
    """Those of our apps, in their order."""
    executor = MigrationExecutor(connections["owner"])
    graph = executor.loader.graph
    before = {node for last in LAST.items() for node in graph.forwards_plan(last)}
    plan = executor.migration_plan(graph.leaf_nodes(), clean_start=True)
    return [
        migration
        for migration, _ in plan
        if migration.app_label in LAST and (migration.app_label, migration.name) not in before
    ]


def list_faults(found: list[Migration], steps: list[Step]) -> Iterator[str]:
    for step in steps:
        for effect in step.effects:
            if effect.fault and step.operation not in DROPS_UNUSED:
                yield f"{step.migration}, {step.operation}: {effect.table}: {effect.fault}"
    for migration in found:
        name = f"{migration.app_label} {migration.name}"
        online = [isinstance(one, AddIndexConcurrently) for one in migration.operations]
        if any(
            not isinstance(o, AddIndexOnline)
            for o, is_it in zip(migration.operations, online, strict=True)
            if is_it
        ):
            yield f"{name}: AddIndexOnline can run twice, AddIndexConcurrently cannot"
        if not migration.atomic and not all(online):
            yield f"{name}: what is not atomic holds indexes alone: it may be killed and run again"
        if any(isinstance(operation, RunPython) for operation in migration.operations):
            yield f"{name}: rows are written by a job, in parts"


@pytest.mark.conformance("O11")
def test_no_migration_holds_up_who_reads_or_writes(committed: None) -> None:
    found = migrations_since_last_release()
    assert len(found) > 3
    assert list(list_faults(found, list(list_steps(connections["owner"], found)))) == []


def drawn(*operations: object, atomic: bool = True) -> Migration:
    """A migration behind all others."""
    leaf = max(
        name
        for name in MigrationExecutor(connections["owner"]).loader.disk_migrations
        if name[0] == "memories"
    )
    kind = type("Migration", (Migration,), {
        "operations": list(operations), "atomic": atomic, "dependencies": [leaf],
    })  # fmt: skip
    return kind("9999_drawn", "memories")


INDEX = models.Index(fields=["created_at"], name="drawn_index")


@pytest.mark.parametrize(
    ("operations", "atomic", "words"),
    [
        ([migrations.AddIndex("memory", INDEX)], True, "CONCURRENTLY"),
        ([AddIndexConcurrently("memory", INDEX)], False, "AddIndexOnline can run twice"),
        ([AddIndexOnline("memory", INDEX), migrations.RunSQL("SELECT 1")], False, "indexes alone"),
        ([RunPython(RunPython.noop)], True, "by a job"),
        ([migrations.RemoveField("memory", "content")], True, "one release later"),
        ([migrations.AddField("memory", "a", models.IntegerField(default=1))], True, "db_default"),
        ([migrations.RunSQL("UPDATE memories_memory SET content = ''")], True, "by a job"),
    ],
)
def test_a_careless_migration_is_noticed(
    committed: None,
    monkeypatch: pytest.MonkeyPatch,
    operations: list[object],
    atomic: bool,
    words: str,
) -> None:
    migration = drawn(*operations, atomic=atomic)
    monkeypatch.setattr(MigrationExecutor, "migration_plan", only_behind_all(migration))
    faults = list(list_faults([migration], list(list_steps(connections["owner"], [migration]))))
    assert any(words in one for one in faults), faults


def only_behind_all(migration: Migration) -> object:
    plan = MigrationExecutor.migration_plan

    def with_it(self: MigrationExecutor, *given: object, **named: object) -> list[object]:
        return [*plan(self, *given, **named), (migration, False)]

    return with_it


def test_a_careful_one_is_not(committed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    migration = drawn(AddIndexOnline("memory", INDEX), atomic=False)
    monkeypatch.setattr(MigrationExecutor, "migration_plan", only_behind_all(migration))
    steps = list(list_steps(connections["owner"], [migration]))
    assert list(list_faults([migration], steps)) == []
    assert [e.work for step in steps for e in step.effects] == ["index"]
