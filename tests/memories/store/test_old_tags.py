"""The migration that brings tags of before to their form, over rows as they were."""

from importlib import import_module
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.db import connections

from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.world import Tenant, World

migration = import_module("memories.migrations.0016_tags")


def old(here: Tenant, text: str, tags: list[str], **fields: Any) -> UUID:
    """A memory with tags as they could be before."""
    aria = here.robot("aria")
    id_ = here.remember(aria, text, **fields).id
    with resolve_principal(aria).scope():
        Memory.objects.filter(id=id_).update(tags=tags)
    return id_


def kept(here: Tenant, id_: UUID) -> tuple[list[str], dict[str, Any], int]:
    with resolve_principal(here.robot("aria")).scope():
        row = Memory.objects.get(id=id_)
        return row.tags, row.metadata, row.version


def state() -> list[tuple[Any, ...]]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT relforcerowsecurity, relrowsecurity, (SELECT tgenabled FROM pg_trigger "
            "WHERE tgname = 'memories_memory_number') FROM pg_class "
            "WHERE oid = 'memories_memory'::regclass"
        )
        return cursor.fetchall()


def run() -> None:
    with connections["owner"].schema_editor(atomic=True) as editor:
        # Of a later migration: a change of a memory writes it along.
        editor.execute("ALTER TABLE memories_change NO FORCE ROW LEVEL SECURITY")
        migration.bring(apps, editor)
        editor.execute("ALTER TABLE memories_change FORCE ROW LEVEL SECURITY")


@pytest.mark.conformance("H26")
def test_old_tags_get_the_form_and_none_is_lost(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(migration, "PORTION", 2)
    # Rows of other tests are committed too.
    run()
    here, there = lasting_world.here, lasting_world.there
    plain = old(here, "Plain.", ["Rent Contracts", "x:Y_z"])
    odd = old(here, "Odd.", ["会议", "a:b:c:d:e", "OK"], metadata={"floor": 2})
    nothing = old(here, "Nothing.", ["!!!"], group="design")
    fine = old(here, "Fine.", ["a", "a:b"])
    bare = old(here, "Bare.", [])
    other = old(there, "Other.", ["Elsewhere"])
    before = {id_: kept(here, id_) for id_ in (plain, odd, nothing, fine, bare)}
    as_it_was = state()
    assert as_it_was == [(True, True, "O")]
    capsys.readouterr()
    run()
    assert "4 memories have tags in the new form; 3 tags have none" in capsys.readouterr().out
    versions = {id_: version for id_, (_, _, version) in before.items()}
    assert kept(here, plain) == (["rent-contracts", "x", "x:y-z"], {}, versions[plain])
    assert kept(here, odd) == (
        ["ok"], {"floor": 2, "old_tags": ["会议", "a:b:c:d:e"]}, versions[odd],
    )  # fmt: skip
    assert kept(here, nothing) == ([], {"old_tags": ["!!!"]}, versions[nothing])
    assert kept(here, fine) == before[fine]
    assert kept(here, bare) == before[bare]
    assert kept(there, other)[0] == ["elsewhere"]
    assert state() == as_it_was
    run()
    assert capsys.readouterr().out == "", "a second run finds nothing to do"


def test_a_run_that_fails_leaves_the_protection_as_it_was(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    id_ = old(here, "Plain.", ["Rent Contracts"])
    before, as_it_was = kept(here, id_), state()

    def fails(tags: list[str]) -> None:
        raise RuntimeError

    monkeypatch.setattr(migration, "coerce_tags", fails)
    with pytest.raises(RuntimeError):
        run()
    assert state() == as_it_was
    assert kept(here, id_) == before
