"""manage.py jobs: what there is, cancelled and resumed by whoever has a shell."""

import io
import json
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from memories.browsing import job_pages
from memories.curation import bulk_change
from memories.curation.bulk_change import BulkChange
from memories.jobs.models import JobType
from memories.jobs.organisation_run import create_run_once
from orgs.models.audit import AuditEntry
from orgs.models.base import new_id
from orgs.principals import resolve_principal
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.usefixtures("lasting_world")


def said(here: Tenant, **options: Any) -> str:
    out = io.StringIO()
    call_command("jobs", organisation=here.organisation.slug, stdout=out, **options)
    return out.getvalue()


def rows(here: Tenant, **options: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said(here, json=True, **options))["jobs"]
    return found


def both(here: Tenant, monkeypatch: pytest.MonkeyPatch) -> tuple[UUID, UUID]:
    """A member's job and one of the organisation."""
    monkeypatch.setattr(bulk_change, "MAX_SYNCHRONOUS", 0)
    mina = here.person("mina")
    note = here.remember(mina, "Mine alone.", visibility="private").id
    own = bulk_change.change_memories(mina, [note], BulkChange(action="archive"), now=NOW).job.id
    made = create_run_once(here.id, JobType.CONSOLIDATE, "2026-03-02", now=NOW)
    assert made is not None
    return own, made.id


@pytest.mark.conformance("O13")
def test_jobs_are_listed_without_what_they_are_about(
    lasting_world: World, here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(here) == "no jobs\n"
    own, its = both(here, monkeypatch)
    newest, oldest = rows(here)
    assert (newest["id"], newest["kind"], newest["state"]) == (str(its), "consolidate", "waiting")
    assert (newest["member"], newest["period"]) == (None, "2026-03-02")
    assert (oldest["id"], oldest["kind"]) == (str(own), "change")
    assert (oldest["done"], oldest["total"], oldest["cancel_asked"]) == (0, 1, False)
    assert oldest["age_seconds"] > 86_400, "since March"
    assert oldest.keys() == {
        "id", "kind", "member", "robot", "state", "cancel_asked", "done", "total", "age_seconds",
        "reason", "period",
    }  # fmt: skip
    assert f"{own}  change of member: waiting, 0 of 1" in said(here)
    assert rows(lasting_world.there) == []


@pytest.mark.conformance("O13")
def test_one_is_cancelled_and_goes_on(
    lasting_world: World, here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id_ in both(here, monkeypatch):
        assert [one["state"] for one in rows(here, cancel=id_)] == ["cancelled"]
        with pytest.raises(CommandError, match="over"):
            said(here, cancel=id_)
        assert [one["state"] for one in rows(here, resume=id_)] == ["waiting"]
        with pytest.raises(CommandError, match="not stopped"):
            said(here, resume=id_)
        for option in ("cancel", "resume"):
            with pytest.raises(CommandError, match="no such job"):
                said(lasting_world.there, **{option: id_})
    with pytest.raises(CommandError, match="no such job"):
        said(here, cancel=new_id())
    with resolve_principal(here.person("ada")).scope():
        entries = AuditEntry.objects.filter(action__in=("job.cancelled", "job.resumed"))
        assert {(e.member, e.robot) for e in entries} == {(None, None)}
        assert entries.count() == 4
    assert job_pages.get_jobs_overview(here.person("mina")).jobs[0].state == "waiting"
