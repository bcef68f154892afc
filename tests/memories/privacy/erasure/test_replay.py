"""A restored backup of before is erased again by the ledger (T14)."""

from pathlib import Path
from typing import Any

import pytest

from memories.privacy.erasure.erasure_run import Erasure
from memories.privacy.replay_erasures import replay_erasures
from orgs.database.erasure_ledger import read_entries
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.memberships import Member
from tests.databases import rolled_back_connection
from tests.memories.privacy.erasure.canaries import found_in_rows, plant_canaries
from tests.world import NOW, Tenant, World


def line(here: Tenant, what: str, target: Any) -> Any:
    return {
        "id": str(new_id()),
        "organisation": str(here.id),
        "what": what,
        "target": str(target),
        "at": NOW.isoformat(),
    }


@pytest.mark.conformance("T14")
def test_what_the_ledger_names_is_erased_again_and_once(lasting_world: World) -> None:
    """The database of before knows of no erasure; the lines alone are there."""
    here = lasting_world.here
    plant_canaries(here)
    bolt = [here.remember(here.robot("bolt"), f"Bolt says {n}.").id for n in range(2)]
    single = here.remember(here.robot("aria"), "One alone.").id
    lines = [
        line(here, "member", here.members["mina"].id),
        line(here, "robot", here.robots["bolt"].id),
        line(here, "memory", single),
        line(lasting_world.there, "member", new_id()),
        {**line(here, "member", new_id()), "organisation": str(new_id())},
    ]
    told: list[str] = []
    replay_erasures(lines, told.append)
    assert told == ["4 erasures were done again"]
    with rolled_back_connection("admin") as admin:
        assert found_in_rows(admin) == {}
        rows = admin.execute(
            "SELECT count(*) FROM memories_memory WHERE id = ANY (%s)", [[*bolt, single]]
        )
        assert rows.fetchone() == (0,)
    with organisation_scope(here.id):
        assert Member.objects.get(id=here.members["mina"].id).erased_at is not None
    replay_erasures(lines, told.append)
    assert told == ["4 erasures were done again"], "the second time there is nothing to do"
    with organisation_scope(here.id, using="worker"):
        ids = Erasure.objects.using("worker").filter(organisation_id=here.id)
        assert {str(one.id) for one in ids} == {one["id"] for one in lines[:3]}


def test_every_erasure_has_its_line(lasting_world: World, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    here = lasting_world.here
    id_ = here.remember(here.robot("aria"), "Gone.").id
    api = here.api("aria")
    assert api.delete(f"/api/v1/memories/{id_}?hard=true&confirm={id_}").status_code == 200
    mina = str(here.members["mina"].id)
    body = {"member": mina, "confirm": mina}
    assert here.browser("ada").post("/api/v1/erasures", body, format="json").status_code == 202
    assert [(one["what"], one["target"]) for one in read_entries()] == [
        ("memory-row", str(id_)),
        ("member", mina),
    ]
    text = (tmp_path / "erasures.jsonl").read_text()
    assert "Gone" not in text
    assert "Mina" not in text
