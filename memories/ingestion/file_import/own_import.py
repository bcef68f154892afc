"""A member's own talks with an assistant: from its export, private to them, a look first."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any
from uuid import UUID, uuid4

import orjson

from memories.ingestion.file_import.formats.registry import ASSISTANTS, AUTO, LABELS
from memories.ingestion.file_import.import_job import (
    OWN,
    UnreadableImportError,
    check_may_import_own,
    convert_file,
    path_for,
    write_lines,
)
from memories.ingestion.file_import.plan_import import (
    HEAD_LINES,
    ImportPlan,
    delete_member_previews,
    ensure_previews_folder,
    plan_import,
)
from memories.ingestion.file_import.rehearse_import import ImportRehearsal, RehearsingImporter
from memories.jobs.job_queue import enqueue_job
from memories.jobs.models import Job, JobType
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.organisations import Organisation
from orgs.principals import Actor, resolve_principal
from robots.models.robots import Robot
from robots.registry.robots import IMPORT

ONLY_ASSISTANTS = (
    "Here you bring in your own talks with ChatGPT or Claude. An admin imports what is of others "
    "too."
)


@dataclass(frozen=True, slots=True)
class OwnImportPlan:
    """What a member's export would bring. plan, rehearsal: of its beginning, see both."""

    name: str
    format: str
    plan: ImportPlan
    rehearsal: ImportRehearsal


def store_own_preview(
    actor: Actor, file: IO[bytes], *, name: str, size: int, time_zone: str | None
) -> UUID:
    """Keep a member's export for an hour, in place of an earlier file of theirs. Returns its id.

    Raises UnreadableImportError for what is no export of an assistant, and PermissionError.
    """
    check_may_import_own(actor)
    made = convert_file(file, size, format=AUTO, time_zone=time_zone)
    if made.format not in ASSISTANTS:
        made.lines.close()
        raise UnreadableImportError(ONLY_ASSISTANTS)
    delete_member_previews(actor)
    id_ = uuid4()
    path = _path(actor, id_)
    write_lines(made, path)
    told = {"name": name[:200], "size": made.size, "format": made.format}
    path.with_suffix(".told").write_bytes(orjson.dumps(told))
    return id_


def plan_own_preview(actor: Actor, id_: UUID, *, now: datetime) -> OwnImportPlan:
    """What a kept export would bring; nothing is written. Raises NotFoundError and
    PermissionError."""
    check_may_import_own(actor)
    told = _load(actor, id_)
    path = _path(actor, id_)
    with path.open("rb") as file:
        plan = plan_import(actor, file, size=told["size"], by_group=False, everyone=False, now=now)
    with organisation_scope(actor.organisation_id):
        organisation = Organisation.objects.get(id=actor.organisation_id)
        robot = Robot.objects.filter(organisation_id=organisation.id, builtin=IMPORT).first()
    rehearsing = RehearsingImporter(
        organisation,
        robot or Robot(organisation_id=organisation.id, name=IMPORT),
        now,
        "organisation",
        importer=actor.member_id,
    )
    with path.open("rb") as file:
        rehearsing.run(islice(file, HEAD_LINES))
    return OwnImportPlan(told["name"], told["format"], plan, rehearsing.summarise())


def import_own_preview(actor: Actor, id_: UUID, *, now: datetime) -> Job:
    """Import a kept export, which is then no longer kept here. Raises NotFoundError and
    PermissionError."""
    check_may_import_own(actor)
    told = _load(actor, id_)
    principal = resolve_principal(actor)
    parameters = {
        "name": told["name"],
        "format": told["format"],
        "speaker_scope": "organisation",
        OWN: True,
    }
    with principal.scope():
        job = enqueue_job(principal, JobType.IMPORT, parameters, total=told["size"], now=now)
        path_for(job.id).write_bytes(_path(actor, id_).read_bytes())
    delete_member_previews(actor)
    return job


def list_own_imports(actor: Actor, most: int = 10) -> list[Job]:
    """The member's last imports of their own talks, the newest first."""
    principal, member_id = resolve_principal(actor), actor.member_id
    if member_id is None:
        return []
    with principal.scope():
        rows = Job.objects.filter(
            organisation_id=actor.organisation_id,
            member_id=member_id,
            kind=JobType.IMPORT,
            parameters__own=True,
        )
        return list(rows.order_by("-id")[:most])


def assistant_name(format: str) -> str:
    """ChatGPT, Claude."""
    return LABELS[format]


def _path(actor: Actor, id_: UUID) -> Path:
    return ensure_previews_folder() / f"{actor.organisation_id}.{actor.member_id}.{id_}.own"


def _load(actor: Actor, id_: UUID) -> dict[str, Any]:
    """What was told of a kept export. Raises NotFoundError if this or the export is gone."""
    path = _path(actor, id_)
    try:
        told: dict[str, Any] = orjson.loads(path.with_suffix(".told").read_bytes())
        path.stat()
    except FileNotFoundError as error:
        raise NotFoundError("no such file") from error
    return told
