"""A table that was uploaded: kept until it is said what its columns are, then planned."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from uuid import UUID, uuid4

import orjson

from memories.ingestion.file_import.formats.csv_table import TableColumn
from memories.ingestion.file_import.formats.registry import CSV, find_format, preview_table
from memories.ingestion.file_import.import_job import check_may_import, read_upload
from memories.ingestion.file_import.plan_import import (
    PreviewFile,
    delete_member_previews,
    ensure_previews_folder,
    store_preview,
    store_table_preview,
)
from orgs.errors import NotFoundError
from orgs.principals import Actor


@dataclass(frozen=True, slots=True)
class TableUpload:
    """A kept table. name: of the file. fields: what each column is, by place: what was said last,
    at first what is known by its name. time_zone: of times that name none, or empty."""

    id: UUID
    name: str
    columns: list[TableColumn]
    fields: list[str]
    time_zone: str


def store_upload(
    actor: Actor, file: IO[bytes], *, name: str, size: int, format: str, time_zone: str
) -> tuple[UUID, bool]:
    """Keep an uploaded file for an hour, in place of an earlier one of the actor. Returns its id
    and whether it is a table, so that it is asked for its columns first. format, time_zone: see
    `ConversionOptions`.

    Raises UnreadableImportError and PermissionError.
    """
    check_may_import(actor)
    kind = read_upload(find_format, file, size, format=format)
    if kind != CSV:
        found = store_preview(
            actor, file, name=name, size=size, format=kind, time_zone=time_zone or None
        )
        return found.id, False
    columns = read_upload(preview_table, file, size)
    delete_member_previews(actor)
    id_ = uuid4()
    path = _path(actor, id_)
    file.seek(0)
    with path.open("wb") as kept:
        shutil.copyfileobj(file, kept, 1024 * 1024)
    fields = [column.field for column in columns]
    _write_choice(
        path, {"name": name[:200], "size": size, "fields": fields, "time_zone": time_zone}
    )
    return id_, True


def get_table(actor: Actor, id_: UUID) -> TableUpload:
    """A kept table. Raises NotFoundError and PermissionError."""
    check_may_import(actor)
    path, told = _load(actor, id_)
    with path.open("rb") as file:
        columns = read_upload(preview_table, file, told["size"])
    return TableUpload(id_, told["name"], columns, told["fields"], told["time_zone"])


def plan_table(actor: Actor, id_: UUID, *, fields: Sequence[str], time_zone: str) -> PreviewFile:
    """Keep a table as JSON lines for a preview, under the same id. fields: of each column, by
    place.

    Raises UnreadableImportError, NotFoundError and PermissionError.
    """
    check_may_import(actor)
    path, told = _load(actor, id_)
    with path.open("rb") as file:
        found = store_table_preview(
            actor,
            file,
            id_=id_,
            name=told["name"],
            size=told["size"],
            time_zone=time_zone or None,
            columns=list(enumerate(fields)),
        )
    _write_choice(path, told | {"fields": list(fields), "time_zone": time_zone})
    return found


def _path(actor: Actor, id_: UUID) -> Path:
    return ensure_previews_folder() / f"{actor.organisation_id}.{actor.member_id}.{id_}.table"


def _write_choice(path: Path, told: dict[str, object]) -> None:
    path.with_suffix(".columns").write_bytes(orjson.dumps(told))


def _load(actor: Actor, id_: UUID) -> tuple[Path, dict[str, Any]]:
    path = _path(actor, id_)
    try:
        told = orjson.loads(path.with_suffix(".columns").read_bytes())
        path.stat()
    except FileNotFoundError as error:
        raise NotFoundError("no such file") from error
    return path, told
