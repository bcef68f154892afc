"""Import an uploaded file of JSON lines: kept on disk, checked, and imported outside the web
process.
"""

import codecs
import gzip
import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any, TypeVar
from uuid import UUID

import orjson
from django.utils import timezone

from memories.ingestion.file_import.formats.csv_table import ColumnMap
from memories.ingestion.file_import.formats.registry import (
    AUTO,
    JSONL,
    LABELS,
    Conversion,
    ConversionOptions,
    convert,
)
from memories.ingestion.file_import.formats.sources import ConversionError
from memories.ingestion.file_import.import_lines import (
    GZIP_MAGIC,
    MAX_LINE_BYTES,
    ImportLimitError,
    ImportLimits,
    UnreadableFormatError,
    iter_bounded_lines,
    iter_group_ids,
    open_lines,
)
from memories.ingestion.file_import.importer import READ_ERRORS, Importer, PrivateImporter
from memories.jobs.job_files import JobFiles
from memories.jobs.job_queue import (
    JobTimeSlice,
    enqueue_job,
    finish_job,
    requeue_job,
    save_progress,
)
from memories.jobs.models import Job, JobState, JobType
from memories.jobs.run_jobs import PermanentJobError
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Role
from orgs.models.organisations import Group, Organisation
from orgs.organisations.references import get_group, parse_uuid
from orgs.principals import MANAGE_SCOPE, Actor, resolve_principal
from robots.models.keys import KeyScope
from robots.people.directory import manageable_groups
from robots.registry.robots import IMPORT, ensure_builtin_robot

# Uploaded files, kept while their job needs them: until it is done, or seven days after it
# stopped.

UPLOADS = JobFiles("uploads", JobType.IMPORT, (JobState.DEAD, JobState.CANCELLED))

path_for, delete, sweep = UPLOADS.path_of, UPLOADS.discard, UPLOADS.sweep


MAX_UPLOAD_BYTES = 256 * 1024 * 1024
# Of an export, which is converted while somebody waits: a call has thirty seconds.
MAX_CONVERTED_BYTES, MAX_CONVERTED_LINES = 64 * 1024 * 1024, 500_000
BY_COMMAND = " Whoever runs the server can import it whole, with the command import_memories."
LIMITS = ImportLimits()
MAX_GROUPS = 100_000
# In the parameters of a job: whether all is private to the member who asked.
OWN = "own"
Read = TypeVar("Read")
BROKEN_UPLOAD = "The file is not there any more; upload it again."


class UnreadableImportError(PermanentJobError):
    """Not a file that can be read, or a truncated one; the message says what was found. about: what
    has to be said otherwise: file, time_zone or columns."""

    about = "file"


class ImportTooLargeError(UnreadableImportError):
    """The file is larger than MAX_UPLOAD_BYTES."""


def enqueue_import(
    actor: Actor,
    file: IO[bytes],
    *,
    name: str,
    size: int,
    by_group: bool,
    keep: bool = False,
    everyone: bool = False,
    group_id: UUID | None = None,
    format: str = AUTO,
    time_zone: str | None = None,
    columns: ColumnMap = (),
    source_format: str | None = None,
    now: datetime,
) -> Job:
    """Store an uploaded file as JSON lines and queue its import. format, time_zone, columns: see
    `ConversionOptions`. source_format: what the file was before it became JSON lines, if somebody
    else has converted it. The rest: see `enqueue_conversion`.

    Raises UnreadableImportError and PermissionError.
    """
    check_may_import(actor)
    found = convert_file(file, size, format=format, time_zone=time_zone, columns=columns)
    return enqueue_conversion(
        actor,
        found,
        name=name,
        by_group=by_group,
        keep=keep,
        everyone=everyone,
        group_id=group_id,
        source_format=source_format,
        now=now,
    )


def enqueue_conversion(
    actor: Actor,
    found: Conversion,
    *,
    name: str,
    by_group: bool,
    keep: bool = False,
    everyone: bool = False,
    group_id: UUID | None = None,
    source_format: str | None = None,
    now: datetime,
) -> Job:
    """Queue the import of what `convert_file` made. keep: whether the asker joins the groups that
    it creates. everyone: whether everyone reads the lines that name no reader; group_id: the group
    that reads them, one of `manageable_groups`, now and when the job runs.

    Raises PermissionError.
    """
    check_may_import(actor)
    principal = resolve_principal(actor)
    with principal.scope():
        parameters = {
            "name": name[:200],
            "speaker_scope": "group" if by_group else "organisation",
            "keep": keep,
            "everyone": everyone,
            "format": source_format or found.format,
        }
        if group_id is not None:
            parameters["group"] = str(group_id)
        job = enqueue_job(principal, JobType.IMPORT, parameters, total=found.size, now=now)
        write_lines(found, path_for(job.id))
    return job


def check_may_import(actor: Actor) -> None:
    """Raise PermissionError for everybody but admins, and robots by a key with `manage` and
    `write`: an import writes into any audience and gives words to others.

    A personal robot imports nothing, as it makes nobody else a speaker.
    """
    if actor.is_person and actor.administers:
        return
    if not (actor.administers and actor.owner_id is None and KeyScope.WRITE in actor.scopes):
        raise PermissionError(
            "Admins import, and robots that serve nobody in particular, by a key with the scopes "
            f"`{MANAGE_SCOPE}` and `{KeyScope.WRITE}`."
        )


def get_reading_group(actor: Actor, reference: str | UUID) -> Group:
    """A group that may read lines which name no reader: one that the importer knows.
    Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        return get_group(actor.organisation_id, reference, manageable_groups(actor))


def list_reading_groups(actor: Actor) -> list[tuple[UUID, str]]:
    """(id, name) of the groups that `get_reading_group` finds, by name."""
    with organisation_scope(actor.organisation_id):
        return list(manageable_groups(actor).order_by("name", "id").values_list("id", "name"))


def check_may_import_own(actor: Actor) -> None:
    """Raise PermissionError for everybody but members who write: of what is private to them, each
    imports their own."""
    if not (actor.is_person and actor.role != Role.VIEWER):
        raise PermissionError("Members who write import their own talks.")


def check_file(file: IO[bytes], size: int, **options: Any) -> IO[bytes]:
    """The lines of `convert_file`."""
    return convert_file(file, size, **options).lines


def write_lines(found: Conversion, path: Path) -> None:
    """Keep the lines of a conversion; they are closed."""
    found.lines.seek(0)
    with found.lines, path.open("wb") as kept:
        shutil.copyfileobj(found.lines, kept, 1024 * 1024)


def convert_file(
    file: IO[bytes],
    size: int,
    *,
    format: str = AUTO,
    time_zone: str | None = None,
    columns: ColumnMap = (),
) -> Conversion:
    """What to keep of a file: itself, or what it holds as JSON lines, whose beginning is checked.
    format, time_zone, columns: see `ConversionOptions`. Raises UnreadableImportError."""
    made = read_upload(convert, file, size, format=format, time_zone=time_zone, columns=columns)
    if made and made.format != JSONL:
        return made
    with ExitStack() as unpacked:
        if made:
            file, size = unpacked.enter_context(made.lines), made.size
        lines = _check_lines(file)
        if not isinstance(lines, io.BytesIO):
            # The caller closes it.
            unpacked.pop_all()
            lines = file
    return Conversion(JSONL, lines, size)


def read_upload(
    read: Callable[[IO[bytes], int, ConversionOptions], Read],
    file: IO[bytes],
    size: int,
    *,
    format: str = AUTO,
    time_zone: str | None = None,
    columns: ColumnMap = (),
) -> Read:
    """What `read` makes of a file, within the limits of what somebody waits for. Raises
    UnreadableImportError."""
    if size == 0:
        raise UnreadableImportError("The file is empty.")
    if size > MAX_UPLOAD_BYTES:
        raise ImportTooLargeError(
            f"The file is larger than {MAX_UPLOAD_BYTES // 1024 // 1024} MB; divide it."
        )
    options = ConversionOptions(
        format, time_zone, columns, MAX_CONVERTED_BYTES, MAX_CONVERTED_LINES
    )
    try:
        return read(file, size, options)
    except ConversionError as error:
        too_large = error.about == "size"
        refused = UnreadableImportError(f"{error}{BY_COMMAND if too_large else ''}")
        refused.about = "file" if too_large else error.about
        raise refused from error


def _check_lines(file: IO[bytes]) -> IO[bytes]:
    """What `open_lines` makes of a file. Raises UnreadableImportError unless it begins with a line
    that can be imported."""
    file.seek(0)
    try:
        lines = open_lines(file)
        first = next((line for line in _first_lines(lines, 20) if line.strip()), b"")
    except UnreadableFormatError as error:
        raise UnreadableImportError(str(error)) from error
    except READ_ERRORS as error:
        raise UnreadableImportError("The file looks compressed and cannot be unpacked.") from error
    try:
        row = orjson.loads(first.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise UnreadableImportError(
            "The first line is not JSON. One JSON object a line is needed, or one of the exports "
            f"that are read: {', '.join(list(LABELS.values())[1:])}. Say that it is CSV if it is a "
            "table of one column."
        ) from error
    if not isinstance(row, dict) or not row.keys() & {"text", "skipped"}:
        raise UnreadableImportError(
            "The first line has no “text”. Each line is an object with a text."
        )
    return lines


def _first_lines(file: IO[bytes], most: int) -> Iterator[bytes]:
    for _ in range(most):
        line = file.readline(MAX_LINE_BYTES)
        if not line:
            return
        yield line


@contextmanager
def _open_unpacked(path: Path) -> Iterator[tuple[Any, IO[bytes]]]:
    with path.open("rb") as raw:
        begin = raw.read(2)
        raw.seek(0)
        yield (gzip.GzipFile(fileobj=raw) if begin == GZIP_MAGIC else raw), raw


def run_import(actor: Actor, job: Job) -> None:
    """Import the file of a job for one turn, from its place.

    Existing lines are skipped, so it can be repeated. Raises UnreadableImportError and
    PermissionError; lines imported before stay.
    """
    own = job.parameters.get(OWN, False)
    (check_may_import_own if own else check_may_import)(actor)
    path, now = path_for(job.id), timezone.now()
    if not path.exists():
        raise UnreadableImportError(BROKEN_UPLOAD)
    groups = _load_group_ids(path)
    with organisation_scope(actor.organisation_id):
        organisation = Organisation.objects.get(id=actor.organisation_id)
        robot = ensure_builtin_robot(organisation.id, IMPORT, now)
        read = frozenset(manageable_groups(actor).values_list("id", flat=True))
    group_id = parse_uuid(job.parameters.get("group", ""))
    if group_id is not None and group_id not in read:
        raise PermissionError("the group is not for whoever asked any more")
    importer = (PrivateImporter if own else Importer)(
        organisation,
        robot,
        now,
        job.parameters["speaker_scope"],
        groups,
        _groups_readable_since_start(path, read),
        actor.member_id,
        # A robot sits in the groups that it makes: so the next turn, and a repeat, find them.
        actor if actor.robot_id or job.parameters.get("keep") else None,
        import_job=job.id,
        importer=actor.member_id,
        everyone=job.parameters.get("everyone", False),
        default_group=group_id,
    )
    importer.go_on(job.result, job.problems)
    try:
        whole = _run_time_slice(actor, job, path, importer)
    except ImportLimitError as error:
        _store_counts(job, importer)
        raise UnreadableImportError(f"{error} What came before is in.") from error
    except READ_ERRORS as error:
        _store_counts(job, importer)
        raise UnreadableImportError("The file breaks off; what came before is in.") from error
    _store_counts(job, importer)
    if not whole:
        requeue_job(actor, job)
        return
    job.done = job.total
    finish_job(actor, job)
    delete(job.id)


def _run_time_slice(actor: Actor, job: Job, path: Path, importer: Importer) -> bool:
    """Import until the turn is over or the job is cancelled. Returns whether the file is
    finished."""
    turn, offset, line = JobTimeSlice(), job.place.get("offset", 0), job.place.get("line", 0)
    ended = True

    def tick(lines: int) -> bool:
        nonlocal ended
        job.place = {"offset": file.tell(), "line": job.place.get("line", 0) + lines}
        job.done = min(raw.tell(), job.total)
        # An empty chunk means the end, also if the file ended exactly with its turn.
        ended = not (lines and turn.over())
        if ended and turn.to_note():
            _store_counts(job, importer)
            # Cancelled: imported lines stay, and `requeue_job` notes where to continue.
            ended = save_progress(actor, job) or not lines
        return ended

    with _open_unpacked(path) as (file, raw):
        file.seek(offset)
        lines = iter_bounded_lines(
            file, LIMITS, packed=path.stat().st_size, offset=offset, line=line
        )
        importer.run(lines, tick, first=line + 1)
    return ended


def _load_group_ids(path: Path) -> frozenset[str]:
    """The groups that a file names, read once and stored beside it for later turns."""
    kept = path.with_suffix(".groups")
    if kept.exists():
        return frozenset(orjson.loads(kept.read_bytes()))
    groups: set[str] = set()
    with _open_unpacked(path) as (lines, _raw), suppress(*READ_ERRORS):
        for name in iter_group_ids(iter_bounded_lines(lines, LIMITS, packed=path.stat().st_size)):
            groups.add(name)
            if len(groups) > MAX_GROUPS:
                raise UnreadableImportError(
                    f"The file names more than {MAX_GROUPS:,} groups; divide it."
                )
    kept.write_bytes(orjson.dumps(sorted(groups)))
    return frozenset(groups)


def _groups_readable_since_start(path: Path, read: frozenset[UUID]) -> frozenset[UUID]:
    """The groups that the asker reads now and read when the first turn began.

    The keeper reads the new groups from the second turn on. But who is added to a group must not
    depend on how many turns an import takes.
    """
    kept = path.with_suffix(".read")
    if kept.exists():
        return read & frozenset(map(UUID, orjson.loads(kept.read_bytes())))
    kept.write_bytes(orjson.dumps(sorted(map(str, read))))
    return read


def _store_counts(job: Job, importer: Importer) -> None:
    report = importer.report
    job.problems = report.problems
    job.result = {
        "imported": report.imported,
        "already": report.already,
        "skipped": report.skipped,
        "groups": report.groups,
        "members": report.members,
        "at": importer.now.isoformat(),
    }
