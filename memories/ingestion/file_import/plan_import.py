"""A preview of an import, read from the beginning of its file; nothing is written.

The rules are those of the importer. Existing memories are reported only if the asker reads them.
"""

import gzip
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any
from uuid import UUID, uuid4

import orjson
from django.conf import settings
from django.db.models import Q

from memories.ingestion.existing_memories import ExistingMemories
from memories.ingestion.file_import.formats.csv_table import ColumnMap
from memories.ingestion.file_import.formats.registry import AUTO, CSV, JSONL, Conversion
from memories.ingestion.file_import.import_job import (
    check_may_import,
    convert_file,
    enqueue_import,
    write_lines,
)
from memories.ingestion.file_import.import_lines import (
    GZIP_MAGIC,
    MAX_LINE_BYTES,
    ImportLimits,
    ImportLine,
    iter_bounded_lines,
    iter_group_ids,
)
from memories.ingestion.file_import.importer import READ_ERRORS, Importer
from memories.ingestion.file_import.planned_readers import (
    NO,
    YES,
    PlannedAudienceReaders,
    PlannedGroup,
    PlannedPeople,
    PlannedPerson,
    summarise_audiences,
)
from memories.jobs.job_files import modified_at
from memories.jobs.models import Job
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.organisations import Organisation
from orgs.principals import Actor, Principal, resolve_principal
from robots.models.robots import Robot
from robots.people.directory import manageable_groups
from robots.registry.robots import IMPORT

# The most of a file that is read for a preview.
HEAD_LINES = 5_000
HEAD_BYTES = 8 * 1024 * 1024
MAX_EXAMPLES, EXAMPLE_CHARACTERS = 10, 160
_HEAD_LIMITS = ImportLimits(
    size=HEAD_BYTES + MAX_LINE_BYTES, lines=HEAD_LINES + 1, room=HEAD_BYTES + MAX_LINE_BYTES
)


@dataclass(frozen=True, slots=True)
class PlannedExample:
    """A line as it would be remembered: its beginning."""

    text: str
    speaker: str
    at: datetime | None
    readers: PlannedAudienceReaders


@dataclass(slots=True)
class ImportPlan:
    """What the read part of a file would bring.

    whole: whether that is the whole file; broken: it cannot be read further. Numbers of lines:
    lines: all but empty ones; taken: valid ones; fresh: those that would be written; here: those
    that exist already, as far as the asker reads; skipped: those that are refused; yours: those
    that the asker would read; seated: those that they would read if they joined the new groups.
    refused: [{line, reason}] of the first refused ones. unaddressed: those that name neither
    readers nor a group. examples: the first lines.
    """

    lines: int = 0
    taken: int = 0
    whole: bool = True
    broken: bool = False
    here: int = 0
    fresh: int = 0
    skipped: int = 0
    refused: list[dict[str, object]] = field(default_factory=list)
    groups: list[PlannedGroup] = field(default_factory=list)
    people: list[PlannedPerson] = field(default_factory=list)
    readers: list[PlannedAudienceReaders] = field(default_factory=list)
    yours: int = 0
    seated: int = 0
    unaddressed: int = 0
    examples: list[PlannedExample] = field(default_factory=list)


class PlanningImporter(Importer):
    """An importer that would create groups and people, and creates none."""

    people = PlannedPeople
    cast: PlannedPeople


def plan_import(
    actor: Actor,
    file: IO[bytes],
    *,
    size: int,
    by_group: bool,
    everyone: bool,
    group_id: UUID | None = None,
    now: datetime,
) -> ImportPlan:
    """Preview the beginning of an unpacked file. size: of the uploaded file, in bytes. The rest: as
    in `enqueue_conversion`.

    Nothing is written. The caller has checked that the actor may import.
    """
    found = ImportPlan()
    head = _read_head(file, size, found)
    principal = resolve_principal(actor)
    with organisation_scope(actor.organisation_id):
        planner = _build_planner(actor, head, by_group, everyone, group_id, now)
        lines = planner.sound(enumerate(head, start=1))
        for line in lines:
            planner.cast.seat(line)
        audiences = [plan_audience(planner.cast, line) for line in lines]
        planner.cast.settle()
        lines = skip_paused(planner, lines)
        audiences = [plan_audience(planner.cast, line) for line in lines]
        counted = Counter(audiences)
        told = summarise_audiences(principal, planner.cast, lines, counted)
    found.groups, found.people, found.readers = told
    # One entry for each audience, in the order of its count.
    readers = dict(zip([id_ for id_, _ in counted.most_common()], found.readers, strict=True))
    found.examples = [
        PlannedExample(
            " ".join(line.text[: EXAMPLE_CHARACTERS * 2].split())[:EXAMPLE_CHARACTERS],
            line.speaker,
            line.at,
            readers[audience],
        )
        for line, audience in zip(lines[:MAX_EXAMPLES], audiences, strict=False)
    ]
    found.yours = sum(one.lines for one in found.readers if one.reads == YES)
    found.seated = sum(one.lines for one in found.readers if one.reads != NO)
    found.taken = len(lines)
    found.unaddressed = sum(
        line.audience is None and not line.group and not line.private for line in lines
    )
    with principal.scope():
        _count_existing(planner, principal, lines, found)
    found.skipped, found.refused = planner.report.skipped, planner.report.problems
    return found


def plan_upload(
    actor: Actor,
    file: IO[bytes],
    *,
    size: int,
    now: datetime,
    options: dict[str, Any],
    **readers: Any,
) -> ImportPlan:
    """Preview the import of an uploaded file, of which nothing is kept. options: format, time_zone
    and columns of `convert_file`. size, readers: as in `plan_import`.

    Raises UnreadableImportError for a file that cannot be read, and PermissionError.
    """
    check_may_import(actor)
    made = convert_file(file, size, **options)
    with made.lines, _unpacked(made.lines) as lines:
        return plan_import(actor, lines, size=made.size, now=now, **readers)


def _read_head(file: IO[bytes], size: int, found: ImportPlan) -> list[bytes]:
    """The lines to read; sets `whole`, `broken` and `lines` of `found`."""
    head: list[bytes] = []
    taken = 0
    try:
        for line in iter_bounded_lines(file, _HEAD_LIMITS, packed=size):
            if len(head) == HEAD_LINES or taken + len(line) > HEAD_BYTES:
                found.whole = False
                break
            head.append(line)
            taken += len(line)
    except READ_ERRORS as error:
        found.whole = False
        found.broken = not isinstance(error, OSError) or "Unpacked" not in str(error)
    found.lines = sum(not line.isspace() for line in head)
    return head


def _build_planner(
    actor: Actor,
    head: Sequence[bytes],
    by_group: bool,
    everyone: bool,
    group_id: UUID | None,
    now: datetime,
) -> PlanningImporter:
    organisation = Organisation.objects.get(id=actor.organisation_id)
    robot = Robot.objects.filter(organisation_id=organisation.id, builtin=IMPORT).first()
    return PlanningImporter(
        organisation,
        robot or Robot(organisation_id=organisation.id, name=IMPORT),
        now,
        "group" if by_group else "organisation",
        frozenset(iter_group_ids(head)),
        frozenset(manageable_groups(actor).values_list("id", flat=True)),
        actor.member_id,
        importer=actor.member_id,
        everyone=everyone,
        default_group=group_id,
    )


def plan_audience(cast: PlannedPeople, line: ImportLine) -> UUID:
    """The planned audience of a line."""
    return cast.audience(line, cast.line_group(line))[0]


def skip_paused(planner: PlanningImporter, lines: Sequence[ImportLine]) -> list[ImportLine]:
    """The lines without those about or by members who have paused learning."""
    cast = planner.cast
    paused = planner.paused({*cast.known(), *filter(None, [cast.importer])})
    kept = []
    for line in lines:
        about = {cast.speaker_member(line)}
        if cast.is_private(line):
            about.add(cast.private_member(line))
        elif line.subject:
            about.add(cast.member(line.subject, line.group))
        if about & paused:
            planner.report.skip(line.number, "learning-paused", line.item)
        else:
            kept.append(line)
    return kept


def _count_existing(
    planner: PlanningImporter, principal: Principal, lines: Sequence[ImportLine], found: ImportPlan
) -> None:
    """Count lines that exist already; call in the scope of the asker.

    Sensitive lines are left out: recognising them needs the encryption key, which a preview does
    not use.
    """
    rows = [planner.memory(line, principal) for line in lines if not line.sensitive]
    ours = {row.audience_id for row in rows} & principal.audiences
    hashes = {bytes(row.content_hash) for row in rows}
    there = Memory.objects.filter(
        Q(audience_id=principal.organisation_audience)
        | Q(deposited_by=planner.robot.id)
        | Q(forgotten_by_subject=True),
        Q(key__in={row.key for row in rows}) | Q(content_hash__in=hashes),
        organisation_id=principal.organisation_id,
        audience_id__in=ours,
    )
    earlier = ExistingMemories()
    for row in there if ours else ():
        earlier.add(row)
    found.fresh = len(planner.sort(rows, earlier)) + len(lines) - len(rows)
    found.here = planner.report.already


# Files that were uploaded for a preview: kept for an hour, one for each member.
# A file is in a folder that only this service's user can read. Its name has the ids of its
# organisation and member and a random id, so no other member's request finds it.

RETENTION = timedelta(hours=1)
EXAMPLE = Path(__file__).with_name("example.jsonl")


@dataclass(frozen=True, slots=True)
class PreviewFile:
    """A kept file. name: as it was uploaded; size: as it is kept, in bytes; format: what it was
    before it became JSON lines; table: whether its columns can be chosen anew."""

    id: UUID
    name: str
    size: int
    format: str = JSONL
    table: bool = False


def ensure_previews_folder() -> Path:
    """The folder of the files."""
    path = Path(settings.DATA_DIR) / "previews"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def store_preview(
    actor: Actor,
    file: IO[bytes],
    *,
    name: str,
    size: int,
    format: str = AUTO,
    time_zone: str | None = None,
    columns: ColumnMap = (),
) -> PreviewFile:
    """Keep a file as JSON lines for a preview; it replaces an earlier one of the actor. format,
    time_zone, columns: see `ConversionOptions`.

    Raises UnreadableImportError for a file that cannot be read, and PermissionError.
    """
    check_may_import(actor)
    made = convert_file(file, size, format=format, time_zone=time_zone, columns=columns)
    delete_member_previews(actor)
    return _store(actor, PreviewFile(uuid4(), name[:200], made.size, made.format), made)


def store_table_preview(
    actor: Actor,
    file: IO[bytes],
    *,
    id_: UUID,
    name: str,
    size: int,
    time_zone: str | None,
    columns: ColumnMap,
) -> PreviewFile:
    """`store_preview` of a kept table, which stays. id_: that of the table."""
    check_may_import(actor)
    made = convert_file(file, size, format=CSV, time_zone=time_zone, columns=columns)
    return _store(actor, PreviewFile(id_, name, made.size, made.format, table=True), made)


def _store(actor: Actor, found: PreviewFile, made: Conversion) -> PreviewFile:
    path = _preview_path(actor, found.id)
    write_lines(made, path)
    told = {"name": found.name, "size": found.size, "format": found.format, "table": found.table}
    path.with_suffix(".json").write_bytes(orjson.dumps(told))
    return found


def store_example_preview(actor: Actor) -> PreviewFile:
    """`keep` with the example of the documentation."""
    with EXAMPLE.open("rb") as file:
        return store_preview(actor, file, name=EXAMPLE.name, size=EXAMPLE.stat().st_size)


def plan_preview(
    actor: Actor, preview_id: UUID, *, now: datetime, **readers: Any
) -> tuple[PreviewFile, ImportPlan]:
    """A kept file and the plan of its import. readers: as in `plan_import`. Raises NotFoundError
    and PermissionError."""
    found = _get_preview(actor, preview_id)
    with _open_unpacked(_preview_path(actor, preview_id)) as file:
        return found, plan_import(actor, file, size=found.size, now=now, **readers)


def import_preview(
    actor: Actor, preview_id: UUID, *, seated: bool, now: datetime, **readers: Any
) -> Job:
    """Import a kept file, which is then no longer kept here. seated: `keep` of
    `enqueue_conversion`; readers: as in `plan_import`.

    Raises NotFoundError, UnreadableImportError and PermissionError.
    """
    found = _get_preview(actor, preview_id)
    with _preview_path(actor, preview_id).open("rb") as file:
        job = enqueue_import(
            actor,
            file,
            name=found.name,
            size=found.size,
            keep=seated,
            # It is one already; of what it was made is not told by its lines.
            format=JSONL,
            source_format=found.format,
            now=now,
            **readers,
        )
    delete_member_previews(actor)
    return job


def sweep_previews(*, now: datetime) -> int:
    """Remove files older than an hour; returns how many."""
    old = [
        path for path in ensure_previews_folder().iterdir() if modified_at(path) < now - RETENTION
    ]
    return _delete_files(old)


def _get_preview(actor: Actor, preview_id: UUID) -> PreviewFile:
    check_may_import(actor)
    path = _preview_path(actor, preview_id)
    try:
        told = orjson.loads(path.with_suffix(".json").read_bytes())
        path.stat()
    except FileNotFoundError as error:
        raise NotFoundError("no such file") from error
    return PreviewFile(preview_id, **told)


def _preview_path(actor: Actor, preview_id: UUID) -> Path:
    return (
        ensure_previews_folder() / f"{actor.organisation_id}.{actor.member_id}.{preview_id}.jsonl"
    )


def delete_member_previews(actor: Actor) -> None:
    """Remove what is kept of an actor's earlier upload."""
    _delete_files(_member_files(actor))


def _member_files(actor: Actor) -> list[Path]:
    return list(ensure_previews_folder().glob(f"{actor.organisation_id}.{actor.member_id}.*"))


def _delete_files(paths: list[Path]) -> int:
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)


@contextmanager
def _open_unpacked(path: Path) -> Iterator[IO[bytes]]:
    with path.open("rb") as raw, _unpacked(raw) as lines:
        yield lines


@contextmanager
def _unpacked(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    raw.seek(0)
    mark = raw.read(2)
    raw.seek(0)
    yield gzip.GzipFile(fileobj=raw) if mark == GZIP_MAGIC else raw  # type: ignore[misc]
