"""Several processes of one robot, and one that is gone."""

from concurrent.futures import ThreadPoolExecutor, wait
from uuid import UUID

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from memories.context.working_memory import add_to_working_memory, get_working_memory
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.organisations.organisation_removal import remove_organisation
from orgs.principals import resolve_principal
from tests.databases import rolled_back_connection
from tests.fast_path import FastPathSite
from tests.world import NOW, World


@pytest.mark.conformance("H13")
def test_two_that_add_at_once_stay_within_the_budget(lasting_world: World) -> None:
    here = lasting_world.here
    bolt, robot = here.robot("bolt"), str(here.robots["bolt"].id)
    numbers = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    kept = [here.remember(bolt, f"Note {n} has exactly these ten tokens in it").id for n in numbers]

    def work(memory: UUID) -> int:
        try:
            add_to_working_memory(bolt, robot, memory, now=timezone.now())
            return get_working_memory(bolt, robot, now=timezone.now()).tokens
        finally:
            connection.close()

    with override_settings(WORKING_MEMORY_TOKENS=35), ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(work, kept * 2))
        found = get_working_memory(bolt, robot, now=timezone.now())
    assert max(seen) <= 35
    assert (found.count, found.tokens) == (3, 30)


def test_who_adds_waits_for_the_one_before(lasting_world: World) -> None:
    here = lasting_world.here
    bolt, robot = here.robot("bolt"), str(here.robots["bolt"].id)
    first, second = (
        here.remember(bolt, f"Note {n} has exactly these ten tokens in it").id for n in ("1", "2")
    )

    def work() -> list[UUID]:
        try:
            return add_to_working_memory(bolt, robot, second, now=timezone.now())
        finally:
            connection.close()

    with override_settings(WORKING_MEMORY_TOKENS=15), ThreadPoolExecutor(1) as pool:
        with resolve_principal(bolt).scope():
            add_to_working_memory(bolt, robot, first, now=timezone.now())
            other = pool.submit(work)
            assert not wait([other], timeout=0.5).done
        assert other.result() == [first]


def test_recalls_of_one_robot_at_once_do_not_wait_in_a_circle(lasting_world: World) -> None:
    here = lasting_world.here
    bolt, robot = here.robot("bolt"), str(here.robots["bolt"].id)
    for number in range(8):
        here.remember(bolt, f"Note {number} about the launch.")

    def work(working: bool) -> int:
        try:
            query = Query(text="launch", working=working, strategy="keyword")
            return len(recall(bolt, query, now=timezone.now()).hits)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, [True, False] * 12)) == {8}
    assert get_working_memory(bolt, robot, now=timezone.now()).count == 8


def test_what_was_added_outlives_the_process(lasting_world: World) -> None:
    here = lasting_world.here
    bolt, robot = here.robot("bolt"), str(here.robots["bolt"].id)
    kept = here.remember(bolt, "The office closes at six.").id
    add_to_working_memory(bolt, robot, kept, now=NOW)
    # Nothing is in the process or in Valkey: a new connection finds the same.
    connection.close()
    assert [entry.item.id for entry in get_working_memory(bolt, robot, now=NOW).entries] == [kept]


def test_the_straight_way_adds_and_counts_as_a_use(lasting_world: World) -> None:
    here = lasting_world.here
    bolt, robot = here.robot("bolt"), str(here.robots["bolt"].id)
    kept = here.remember(bolt, "The launch is on Monday.").id
    site = FastPathSite()
    asked = {"query": "launch", "strategy": "keyword"}
    assert site.post(here.keys["bolt"], asked)[0] == 200
    assert get_working_memory(bolt, robot, now=timezone.now()).count == 0
    assert site.post(here.keys["bolt"], asked | {"working": True})[0] == 200
    (first,) = get_working_memory(bolt, robot, now=timezone.now()).entries
    assert site.post(here.keys["bolt"], asked)[0] == 200
    (second,) = get_working_memory(bolt, robot, now=timezone.now()).entries
    assert first.item.id == second.item.id == kept
    assert first.item.last_used_at < second.item.last_used_at
    assert first.item.added_at == second.item.added_at
    # The first call of a key is looked up the usual way.
    assert site.went[1:] == [True, True]


def test_it_goes_with_the_organisation_and_with_its_memory(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    for tenant in (here, there):
        bolt, robot = tenant.robot("bolt"), str(tenant.robots["bolt"].id)
        for text in ("The office closes at six.", "The launch is on Monday."):
            kept = tenant.remember(bolt, text).id
            add_to_working_memory(bolt, robot, kept, now=timezone.now())
    count = "SELECT count(*) FROM memories_workingentry WHERE organisation_id = %s"
    with rolled_back_connection("admin") as admin:
        admin.execute("DELETE FROM memories_memory WHERE id = %s", [kept])
        assert admin.execute(count, [there.id]).fetchone() == (1,)
    assert remove_organisation(here.id, now=timezone.now())
    with rolled_back_connection("admin") as admin:
        assert admin.execute(count, [here.id]).fetchone() == (0,)
        assert admin.execute(count, [there.id]).fetchone() == (2,)
