"""Builds of an organisation's indexes: what is in the way, what broke off, what memory they get."""

from typing import Any

import pytest
from django.db import OperationalError, connections

from memories.indexing import exact_scan, organisation_indexes
from memories.indexing.organisation_indexes import OWNER, maintain_indexes, maintenance_megabytes
from tests.databases import rolled_back_connection
from tests.world import Tenant, World

STATE = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)"


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    here = lasting_world.here
    here.remember(here.robot("bolt"), "The office closes at six.")
    here.embed()
    monkeypatch.setattr(
        organisation_indexes, "_count_vectors", lambda id_: 9 if id_ == here.id else 0
    )
    monkeypatch.setattr(exact_scan, "EXACT_SCAN_LIMIT", 5)
    return here


def names(here: Tenant) -> list[str]:
    return [index.name for index in organisation_indexes.list_indexes(here.id)]


def touched(here: Tenant) -> list[str]:
    """What a run touched of this organisation's; other tests leave indexes that it drops."""
    return [name for name in maintain_indexes() if here.id.hex in name]


def valid(name: str) -> bool | None:
    with rolled_back_connection("owner") as owner:
        row = owner.execute(STATE, [name]).fetchone()
    return None if row is None else row[0]


def test_a_build_that_broke_off_is_made_anew(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    meaning, words = names(here)
    real, tried = organisation_indexes._ensure_index, []

    def ensure(index: Any) -> bool:
        tried.append(index.name)
        done = real(index)
        if index.name == meaning and tried.count(meaning) < 3:
            with rolled_back_connection("admin") as admin:
                admin.execute(
                    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass(%s)",
                    [meaning],
                )
                admin.commit()
            raise OperationalError("deadlock detected")
        return done

    monkeypatch.setattr(organisation_indexes, "_ensure_index", ensure)
    assert touched(here) == [meaning, words]
    assert tried == [meaning] * 3 + [words]
    assert (valid(meaning), valid(words)) == (True, True)


def test_one_that_cannot_be_built_holds_up_no_other(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning, words = names(here)
    real = organisation_indexes._ensure_index

    def ensure(index: Any) -> bool:
        if index.name == meaning:
            raise OperationalError("lock timeout")
        return real(index)

    monkeypatch.setattr(organisation_indexes, "_ensure_index", ensure)
    assert touched(here) == [words]
    assert (valid(meaning), valid(words)) == (None, True)


@pytest.mark.slow
def test_a_build_has_memory_and_does_not_wait_without_end(here: Tenant) -> None:
    assert touched(here) == names(here)
    with connections[OWNER].cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('maintenance_work_mem'), current_setting('lock_timeout')"
        )
        memory, wait = cursor.fetchone()
    assert memory in (f"{maintenance_megabytes()}MB", f"{maintenance_megabytes() // 1024}GB")
    assert wait == "10min"
    assert 64 <= maintenance_megabytes() <= 2_048
