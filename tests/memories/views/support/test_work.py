"""Support sees why work hangs, and lets what stopped be tried again; never what it is about."""

import ast
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memories.indexing.models import EnrichmentState, Pending
from memories.jobs.job_queue import enqueue_job
from memories.jobs.leases import LEASE_EXPIRED, PendingState
from memories.jobs.models import Job, JobState, JobType
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.architecture.source import module_files
from tests.orgs.support.support_staff import (
    make_staff,
    open_organisation,
    staff_audit_entries,
    support_audit_text,
)
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("W20")
JOBS = "/admin/organisation/jobs/"
SECRET = "zanzibar-treasure.jsonl"


def job_of(tenant: Tenant, name: str, **changes: object) -> Job:
    """An import of a member, in the state that is wanted."""
    principal = resolve_principal(tenant.person(name))
    with principal.scope():
        job = enqueue_job(
            principal, JobType.IMPORT, {"name": SECRET}, total=4_000, now=timezone.now()
        )
        Job.objects.filter(id=job.id).update(**changes)
    return job


def dead_embedding(tenant: Tenant) -> None:
    tenant.remember(tenant.person("mina"), "Zanzibar is where the treasure lies.")
    with organisation_scope(tenant.id, using="worker"):
        rows = Pending.objects.using("worker").filter(organisation_id=tenant.id)
        rows.update(
            state=PendingState.DEAD, reason=LEASE_EXPIRED, attempts=5, reading=EnrichmentState.DONE
        )


def states(tenant: Tenant, model: type[Job] | type[Pending]) -> list[str]:
    with organisation_scope(tenant.id, using="worker"):
        rows = model.objects.using("worker").filter(organisation_id=tenant.id)
        return list(rows.order_by("id").values_list("state", flat=True))


def test_why_work_hangs_is_said_in_words(lasting_world: World) -> None:
    here, now = lasting_world.here, timezone.now()
    job_of(here, "mina")
    job_of(here, "bob", state=JobState.RUNNING, leased_until=now + timedelta(minutes=4), done=1_000)
    job_of(here, "ada", state=JobState.RUNNING, leased_until=now - timedelta(minutes=1))
    job_of(here, "chidi", state=JobState.DEAD, reason="It was tried several times and broke off.")
    dead_embedding(here)
    job_of(lasting_world.there, "vera", state=JobState.DEAD, reason="Theirs alone.")
    _, client = make_staff()
    open_organisation(client, lasting_world)
    page = response_text(client.get(JOBS))
    for words in (
        "Import of a file</strong> for Mina",
        "It waits for its turn.",
        "A worker is at it.",
        "1 of 4 kB",
        "Its worker was lost. Another one takes it by itself.",
        "It was tried several times and broke off.",
        "Indexing by meaning: given up for 1 memory",
        "The worker ended in the middle of it · tried 5 times",
    ):
        assert words in page, words
    assert page.count("Try again<") == 1
    assert SECRET not in page
    assert "Zanzibar" not in page
    assert "Theirs alone" not in page


def test_a_stopped_job_goes_on(lasting_world: World) -> None:
    here = lasting_world.here
    dead = job_of(here, "mina", state=JobState.DEAD, reason="It broke off.", attempts=3, done=1_000)
    cancelled = job_of(here, "mina", state=JobState.CANCELLED)
    theirs = job_of(lasting_world.there, "mina", state=JobState.DEAD)
    user, client = make_staff()
    assert client.post(f"{JOBS}{dead.id}/retry/").status_code == 302
    assert states(here, Job) == [JobState.DEAD, JobState.CANCELLED], "no organisation is chosen"
    open_organisation(client, lasting_world)
    assert client.post(f"{JOBS}{dead.id}/retry/").status_code == 302
    assert states(here, Job) == [JobState.WAITING, JobState.CANCELLED]
    assert client.post(f"{JOBS}{dead.id}/retry/").status_code == 409
    assert client.post(f"{JOBS}{cancelled.id}/retry/").status_code == 409
    assert client.post(f"{JOBS}{theirs.id}/retry/").status_code == 404
    assert states(lasting_world.there, Job) == [JobState.DEAD]
    told = [(e.action, e.target) for e in staff_audit_entries(here, user)]
    assert told == [("support.chose", None), ("support.job_retried", dead.id)]
    assert "Sam (support) had a stopped job tried again" in support_audit_text(here)


def test_dead_embeddings_are_tried_again(lasting_world: World) -> None:
    here = lasting_world.here
    dead_embedding(here)
    dead_embedding(lasting_world.there)
    user, client = make_staff()
    open_organisation(client, lasting_world)
    retry = f"{JOBS}embeddings/retry/"
    assert client.post(retry).status_code == 302
    assert states(here, Pending) == [PendingState.WAITING]
    assert states(lasting_world.there, Pending) == [PendingState.DEAD]
    assert client.post(retry).status_code == 404
    assert client.post(f"{JOBS}answers/retry/").status_code == 404
    (_, last) = staff_audit_entries(here, user)
    assert (last.action, last.detail) == ("support.embeddings_retried", {"count": 1})


def test_members_try_nothing_again_here(lasting_world: World) -> None:
    job = job_of(lasting_world.here, "mina", state=JobState.DEAD)
    ada = make_signed_in_client(lasting_world.here, "ada")
    assert ada.post(f"{JOBS}{job.id}/retry/").status_code == 404
    assert states(lasting_world.here, Job) == [JobState.DEAD]


def test_a_reason_of_a_job_is_a_sentence_of_the_service() -> None:
    """Support's role may read `Job.reason`, so nothing that somebody wrote may get into it."""

    def is_text(node: ast.expr) -> bool:
        return isinstance(node, ast.Constant) and isinstance(node.value, str)

    def is_fixed(node: ast.expr) -> bool:
        of_table = isinstance(node, ast.Subscript) and ast.unparse(node.value) in tables
        return is_text(node) or of_table

    wrong, looked = [], 0
    for path in module_files():
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
        # Constants of the module that hold such sentences alone.
        tables = {
            ast.unparse(node.target)
            for node in tree.body
            if isinstance(node, ast.AnnAssign)
            and isinstance(node.value, ast.Dict)
            and all(map(is_text, node.value.values))
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func).rpartition(".")[2]
            if name == "PermanentJobError":
                looked += 1
                wrong += [] if all(map(is_fixed, node.args)) else [f"{path}:{node.lineno}"]
    assert looked
    assert wrong == []
