"""What each step of an erasure is for: the test fails where that step does nothing (T13, T14)."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError

from memories.access.permissions import ChangeForbiddenError
from memories.curation.decision_records.models import Debate
from memories.ingestion.file_import.importer import Importer
from memories.jobs.run_jobs import run_job
from memories.privacy.erase_memory import erase_memory
from memories.privacy.erasure import steps
from memories.privacy.erasure.cleanup import cascade_tables, needs_rebuild
from memories.privacy.erasure.column_rules import COLUMN_RULES, tables_with_words
from memories.privacy.erasure.erasure_run import Erasure, ErasureStep
from memories.privacy.receipts import create_link, get_receipt
from memories.privacy.request_erasure import erase_member, erase_source, parse_source
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.sign_ins import SignIn
from robots.registry.robots import IMPORT, ensure_builtin_robot
from tests.databases import autocommit_connection
from tests.world import NOW, Tenant, World


def run(here: Tenant, erasure: Erasure) -> None:
    while run_job(here.id, erasure.job_id, None):
        pass


def erase(here: Tenant, source: str) -> Erasure:
    return erase_source(here.person("ada"), parse_source(source), confirm=source, now=NOW)


def test_an_import_is_refused_from_the_request_on(lasting_world: World) -> None:
    """Before any worker has begun."""
    here, job = lasting_world.here, new_id()
    with organisation_scope(here.id):
        robot = ensure_builtin_robot(here.id, IMPORT, NOW)

    def bring(number: int) -> Any:
        groups = frozenset({"g"})
        importer = Importer(here.organisation, robot, NOW, "organisation", groups, import_job=job)
        line = f'{{"id": "{number}", "group": "g", "speaker": "Tom", "text": "Line {number}."}}'
        return importer.run([line.encode()]).imported

    assert bring(1) == 1
    erase(here, f"import:{job}")
    with pytest.raises(IntegrityError, match="its import was erased"):
        bring(2)


def test_what_comes_while_it_runs_goes_as_well(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, bolt = lasting_world.here, lasting_world.here.robot("bolt")
    ids = [here.remember(bolt, "Bolt says this.").id]
    debate = {"topic": "Late", "visibility": "organisation"}

    def later(running: Any, turn: Any) -> dict[str, int]:
        """No memory comes with it, so that nothing new is found."""
        assert here.api("bolt").post("/api/v1/debates", debate, format="json").status_code == 201
        return {}

    def late(running: Any, turn: Any) -> dict[str, int]:
        ids.append(here.remember(bolt, "Bolt says this late.").id)
        return {}

    known = steps.STEPS
    for act in (late, later):
        cut = tuple((n, act if n == "belongings" else s) for n, s in known)
        monkeypatch.setattr(steps, "STEPS", cut)
        run(here, erase(here, f"robot:{here.robots['bolt'].id}"))
    assert len(ids) == 2
    with organisation_scope(here.id, using="worker"):
        assert not Memory.objects.using("worker").filter(id__in=ids).exists()
        assert not Debate.objects.using("worker").filter(organisation_id=here.id).exists()


@pytest.mark.parametrize(
    ("began", "last"),
    [("SELECT pg_current_xact_id()", ""), ("SELECT 1", "caches")],
    ids=["writer", "reader"],
)
def test_it_waits_for_who_had_begun(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, began: str, last: str
) -> None:
    """Who writes may bring something more; for who reads a vacuum leaves the rows on the disk."""
    here = lasting_world.here
    erasure = erase(here, f"robot:{here.robots['bolt'].id}")
    monkeypatch.setattr(steps, "SETTLE_SECONDS", 0.1)
    with autocommit_connection("admin") as somebody:
        somebody.autocommit = False
        somebody.execute(began)
        run_job(here.id, erasure.job_id, None)
        with organisation_scope(here.id, using="worker"):
            did = ErasureStep.objects.using("worker").filter(erasure_id=erasure.id)
            assert (did.order_by("-at", "-id").values_list("name", flat=True).first() or "") == last
        assert get_receipt(create_link(erasure)).finished_at is None
        somebody.rollback()
    run(here, erasure)
    assert get_receipt(create_link(erasure)).finished_at is not None


def test_a_single_memory_waits_for_who_reads(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, bolt = lasting_world.here, lasting_world.here.robot("bolt")
    id_ = here.remember(bolt, "Bolt says this.").id
    erasure = erase_memory(bolt, id_, confirm=str(id_), now=NOW).erasure
    monkeypatch.setattr(steps, "SETTLE_SECONDS", 0.1)
    with autocommit_connection("admin") as somebody:
        somebody.autocommit = False
        somebody.execute("SELECT 1")
        run_job(here.id, erasure.job_id, None)
        assert get_receipt(create_link(erasure)).finished_at is None
        somebody.rollback()
    run(here, erasure)
    assert get_receipt(create_link(erasure)).finished_at is not None


@pytest.mark.parametrize("who", ["bob", "chidi", "aria"])
def test_nobody_erases_a_colleague(world: World, who: str) -> None:
    here, mina = world.here, world.here.members["mina"].id
    asks = here.robot(who) if who == "aria" else here.person(who)
    with pytest.raises(ChangeForbiddenError):
        erase_member(asks, mina, confirm=str(mina), now=NOW)


def test_the_sign_ins_end_with_the_request(lasting_world: World) -> None:
    here, mina = lasting_world.here, lasting_world.here.members["mina"]
    here.browser("mina").get("/me/")
    assert SignIn.objects.filter(user_id=mina.user_id).exists()
    erase_member(here.person("ada"), mina.id, confirm=str(mina.id), now=NOW)
    assert not SignIn.objects.filter(user_id=mina.user_id).exists()


def test_the_receipt_counts_the_days_of_the_backups(lasting_world: World, settings: Any) -> None:
    here = lasting_world.here
    settings.BACKUP_KEEP_DAYS = 9
    erasure = erase(here, f"robot:{here.robots['bolt'].id}")
    run(here, erasure)
    receipt = get_receipt(create_link(erasure))
    assert receipt.finished_at is not None
    assert receipt.backups_until == (receipt.finished_at + timedelta(days=9)).date()


@pytest.mark.parametrize(
    ("erased", "left", "much"), [(0, 0, False), (4, 96, False), (5, 95, True), (1, 0, True)]
)
def test_an_index_is_made_anew_after_a_twentieth(erased: int, left: int, much: bool) -> None:
    assert needs_rebuild(erased, left) is much


def test_every_table_whose_words_go_along_is_cleared(committed: None) -> None:
    """What a memory takes with it is written anew on the disk; ids alone need not be."""
    cleared = cascade_tables("memories_memory")
    assert cleared >= {
        *("memories_memory", "memories_version", "memories_text", "memories_search"),
        *("memories_embedding", "memories_restatement", "memories_entity", "memories_proposal"),
        *("memories_decision", "memories_participant", "memories_claim", "memories_dissent"),
        *("memories_debate", "memories_modelanswer"),
    }
    assert "memories_contribution" not in cleared
    assert tables_with_words() < set(COLUMN_RULES)
    assert cascade_tables("robots_conversation") == {"robots_conversation", "robots_message"}
