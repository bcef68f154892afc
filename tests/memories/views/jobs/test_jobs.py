"""What could not be indexed: with its reason, tried again one by one or all together."""

import pytest

from memories.indexing.models import Pending
from memories.jobs.leases import PendingState
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import World


@pytest.fixture
def dead(world: World) -> dict[str, str]:
    here = world.here
    found = {
        "shared": here.remember(here.robot("aria"), "Lunch is at noon.").id,
        "other": here.remember(here.robot("aria"), "Tea is at four.").id,
        "private": here.remember(here.person("mina"), "Mine alone.", visibility="private").id,
    }
    for who in ("ada", "mina"):
        with resolve_principal(here.person(who)).scope():
            Pending.objects.update(state=PendingState.DEAD, reason="MemoryError", attempts=5)
    return {name: str(id_) for name, id_ in found.items()}


def states(world: World, who: str) -> dict[str, str]:
    with resolve_principal(world.here.person(who)).scope():
        return {str(i): s for i, s in Pending.objects.values_list("memory_id", "state")}


def test_dead_work_is_listed_with_its_reason_for_curators(
    world: World, dead: dict[str, str]
) -> None:
    page = response_text(make_signed_in_client(world.here, "chidi").get("/jobs/"))
    assert page.count("MemoryError") == 2
    assert "Mine alone." not in page
    assert "MemoryError" not in response_text(
        make_signed_in_client(world.here, "mina").get("/jobs/")
    )


def test_one_or_all_are_tried_again_and_it_is_recorded(world: World, dead: dict[str, str]) -> None:
    chidi = make_signed_in_client(world.here, "chidi")
    assert chidi.post(f"/jobs/embeddings/{dead['private']}/retry/").status_code == 404
    assert chidi.post(f"/jobs/embeddings/{dead['shared']}/retry/").status_code == 302
    found = states(world, "mina")
    assert found[dead["shared"]] == "waiting"
    assert found[dead["other"]] == found[dead["private"]] == "dead"
    assert chidi.post("/jobs/embeddings/retry/").status_code == 302
    assert states(world, "mina")[dead["other"]] == "waiting"
    assert states(world, "mina")[dead["private"]] == "dead"
    with resolve_principal(world.here.person("ada")).scope():
        noted = AuditEntry.objects.filter(action="embedding.retried").order_by("id")
        assert [entry.detail["count"] for entry in noted] == [1, 1]
    mina = make_signed_in_client(world.here, "mina")
    assert mina.post(f"/jobs/embeddings/{dead['private']}/retry/").status_code == 404


def test_the_page_asks_little(world: World, dead: dict[str, str]) -> None:
    assert count_queries(make_signed_in_client(world.here, "ada"), "/jobs/") <= 12
