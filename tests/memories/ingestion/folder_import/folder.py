"""A folder on the server for tests, and what a worker does with it."""

import json
import os
from pathlib import Path
from typing import Any
from uuid import UUID

from django.utils import timezone

from memories.ingestion.folder_import import subscriptions as service
from memories.ingestion.folder_import.models import FolderFile, ImportSubscription
from memories.jobs.job_queue import list_ready_jobs
from memories.jobs.models import Job, JobType
from memories.jobs.run_jobs import run_job
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.principals import resolve_principal
from tests.isolation.forgery import all_audiences_scope
from tests.world import Tenant

URL = "/api/v1/imports/subscriptions"


def line(id_: str, text: str, **more: Any) -> str:
    return json.dumps({"id": id_, "speaker": "Noor", "text": text, **more}) + "\n"


def write(path: Path, *lines: str) -> Path:
    """Put a file there whole, as another program would: by its name only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.half")
    half.write_text("".join(lines))
    half.replace(path)
    return path


def subscribe(here: Tenant, folder: str = "chats", status: int = 201, **fields: Any) -> Any:
    """The answer to Ada, who subscribes."""
    answer = here.browser("ada").post(URL, {"folder": folder, **fields}, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def subscription(here: Tenant, id_: str) -> ImportSubscription:
    with organisation_scope(here.id):
        return ImportSubscription.objects.get(id=id_)


def files(here: Tenant) -> list[FolderFile]:
    with organisation_scope(here.id):
        return list(FolderFile.objects.filter(organisation_id=here.id).order_by("id"))


def jobs(here: Tenant, name: str = "ada") -> list[Job]:
    with resolve_principal(here.person(name)).scope():
        return list(Job.objects.filter(kind=JobType.IMPORT).order_by("id"))


def imports(here: Tenant) -> list[Job]:
    """The imports that runs have queued, as their files are called."""
    return [one for one in jobs(here) if service.FOLDER_KEY not in one.parameters]


def work(here: Tenant) -> None:
    """What a worker does with all that waits, also for robots."""
    while ready := list_ready_jobs(here.id, timezone.now()):
        run_job(*ready[0])


def run_all(here: Tenant) -> Job:
    """What a worker does with all that waits; returns the last look at a folder."""
    work(here)
    return [one for one in jobs(here) if service.FOLDER_KEY in one.parameters][-1]


def look(here: Tenant, id_: str) -> Job:
    """A run of the sweeper when it is due, and what a worker does then."""
    with organisation_scope(here.id):
        ImportSubscription.objects.filter(id=UUID(id_)).update(next_run_at=timezone.now())
    assert service._start_due(here.id, timezone.now()) == 1
    return run_all(here)


def remembered(here: Tenant) -> dict[str, str]:
    """The texts of Noor with the kinds of their audiences."""
    with all_audiences_scope(here):
        rows = Memory.objects.filter(speaker="Noor").select_related("audience")
        return {row.content: row.audience.kind for row in rows}


def touch(path: Path) -> None:
    """Write nothing into a file, later."""
    os.utime(path, (1_800_000_000, 1_800_000_000))
