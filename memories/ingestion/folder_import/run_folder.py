"""Look through the folder of a subscription: what is new or has changed since becomes an import."""

from collections import Counter
from hashlib import sha256
from tempfile import TemporaryFile
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories.ingestion.file_import.formats.csv_table import parse_columns
from memories.ingestion.file_import.formats.registry import Conversion
from memories.ingestion.file_import.import_job import (
    UnreadableImportError,
    check_may_import,
    convert_file,
    enqueue_conversion,
)
from memories.ingestion.folder_import.models import (
    FolderFile,
    FolderPauseReason,
    ImportSubscription,
    LineReaders,
)
from memories.ingestion.folder_import.server_folder import (
    MAX_ENTRIES,
    FileChangingError,
    FileRefusedError,
    FileState,
    FolderError,
    FolderListing,
    copy_file,
    list_files,
    open_folder,
)
from memories.ingestion.folder_import.subscriptions import FOLDER_KEY, lock_subscription
from memories.jobs.fetch_schedule import open_jobs
from memories.jobs.job_queue import (
    JobTimeSlice,
    finish_job,
    requeue_job,
    save_progress,
)
from memories.jobs.models import Job, JobType
from memories.jobs.run_jobs import PermanentJobError
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.principals import Actor, resolve_principal
from robots.people.directory import manageable_groups

# The most files and bytes that one run reads, and imports of one author that wait or run at a time.
# What is left comes with the next run.
MAX_FILES, MAX_RUN_BYTES, MAX_OPEN_IMPORTS = 100, 1024 * 1024 * 1024, 100
# Files that are remembered, also some that are gone: one that comes back is not imported again.
MAX_REMEMBERED = 2 * MAX_ENTRIES
MAX_PROBLEM_CHARACTERS, MAX_PATH_CHARACTERS = 500, 200
FAILURE_SENTENCES: dict[str, str] = {
    FolderPauseReason.AUTHOR: "Whoever subscribed to the folder may not import any more.",
    FolderPauseReason.GROUP: "Whoever subscribed does not read the group any more.",
    FolderPauseReason.SETTING: "This server has no folder for imports any more.",
    FolderPauseReason.FOLDER: "The folder is not there, or a link leads to it.",
    FolderPauseReason.UNREADABLE: "The server may not read the folder.",
    # The number is MAX_ENTRIES.
    FolderPauseReason.TOO_MANY: "The folder holds more than 10,000 files and folders.",
}
# Another try cannot mend these, so the first one pauses.
_FINAL = (FolderPauseReason.AUTHOR, FolderPauseReason.GROUP)
# The counts of a job's result: files whose import was queued; that were refused; entries that are
# no files to read (see `FolderListing`); files for the next run.
TAKEN, REFUSED, LEFT_OUT, LATER = COUNTS = ("taken", "refused", "left_out", "later")


def run_folder_import(actor: Actor, job: Job) -> None:
    """Queue an import of each file that is new or has changed, for one turn. Raises
    PermanentJobError with the reason why the folder was not looked through; after five runs that
    failed its subscription is paused."""
    subscription_id = UUID(job.parameters[FOLDER_KEY])
    found = _find_active(actor.organisation_id, subscription_id)
    if found is None:
        # It was removed or paused meanwhile.
        finish_job(actor, job)
        return
    try:
        _check_rights(actor, found)
        is_over = _look_through(actor, job, found)
    except FolderError as error:
        _record_run(found, error.reason)
        raise PermanentJobError(FAILURE_SENTENCES[error.reason]) from error
    if is_over:
        _record_run(found, FolderPauseReason.FILES if job.result.get(REFUSED) else "")
        finish_job(actor, job)
    else:
        requeue_job(actor, job)


def _find_active(organisation_id: UUID, subscription_id: UUID) -> ImportSubscription | None:
    with organisation_scope(organisation_id):
        rows = ImportSubscription.objects.exclude(next_run_at=None)
        return rows.filter(organisation_id=organisation_id, id=subscription_id).first()


def _check_rights(actor: Actor, found: ImportSubscription) -> None:
    try:
        check_may_import(actor)
    except PermissionError as error:
        raise FolderError(FolderPauseReason.AUTHOR) from error
    if found.group_id is not None:
        with organisation_scope(actor.organisation_id):
            if not manageable_groups(actor).filter(id=found.group_id).exists():
                raise FolderError(FolderPauseReason.GROUP)


def _record_run(found: ImportSubscription, reason: str) -> None:
    with organisation_scope(found.organisation_id):
        locked = lock_subscription(found.organisation_id, found.id)
        if locked is None:
            return
        locked.record_run(reason, final=reason in _FINAL)
        locked.last_run_at = timezone.now()
        locked.save(update_fields=["failures", "next_run_at", "paused_for", "last_run_at"])


def _look_through(actor: Actor, job: Job, found: ImportSubscription) -> bool:
    """Take what is new until the turn is over or the job is cancelled. Returns whether it is over.
    Raises FolderError."""
    turn, run = JobTimeSlice(), _Run(actor, job, found)
    with organisation_scope(actor.organisation_id):
        slug = Organisation.objects.values_list("slug", flat=True).get(id=actor.organisation_id)
    with open_folder(slug, found.folder) as descriptor:
        listing = list_files(descriptor)
        new = [one for one in listing.files if run.is_new(one)]
        job.total = job.done + len(new)
        run.counts[LEFT_OUT], run.counts[LATER] = listing.left_out, 0
        for at, one in enumerate(new):
            if run.is_full() or not run.enqueue_file(descriptor, one):
                run.counts[LATER] += len(new) - at
                break
            if at + 1 < len(new) and (
                turn.over() or (turn.to_note() and not save_progress(actor, job))
            ):
                return False
    run.store()
    _forget_gone(found, listing)
    return True


class _Run:
    """One turn of a run."""

    def __init__(self, actor: Actor, job: Job, found: ImportSubscription) -> None:
        self.actor, self.job, self.found = actor, job, found
        self.counts = Counter({name: job.result.get(name, 0) for name in COUNTS})
        with organisation_scope(found.organisation_id):
            rows = _files(found).values_list("path", "size", "changed_ns", "digest")
            self.known = {path: (size, at, digest) for path, size, at, digest in rows}
        self.room = MAX_OPEN_IMPORTS - _count_open_imports(actor)

    def is_new(self, one: FileState) -> bool:
        """Whether a file was not seen before as it is."""
        return self._seen(one)[:2] != (one.size, one.changed_ns)

    def is_full(self) -> bool:
        """Whether the rest is for the next run."""
        read_bytes = self.job.place.get("bytes", 0)
        return self.job.done >= MAX_FILES or read_bytes >= MAX_RUN_BYTES or self.room <= 0

    def enqueue_file(self, descriptor: int, one: FileState) -> bool:
        """Queue the import of a file, or record why not. Returns False if the subscription was
        removed or paused."""
        try:
            outcome = self._enqueue_file(descriptor, one)
        except FileChangingError:
            outcome = LATER
        except _EndedError:
            return False
        if outcome:
            self.counts[outcome] += 1
        if outcome == TAKEN:
            self.room -= 1
        self.job.done += 1
        self.store()
        return True

    def store(self) -> None:
        """Write the counts into the job, which is saved later."""
        self.job.result = {name: self.counts[name] for name in COUNTS if self.counts[name]}

    def _seen(self, one: FileState) -> tuple[int, int, str]:
        return self.known.get(path_digest(one.path), (-1, -1, ""))

    def _enqueue_file(self, descriptor: int, one: FileState) -> str:
        """TAKEN, REFUSED, or empty for a file whose content was seen before. Raises
        FileChangingError and _EndedError."""
        digest = ""
        with TemporaryFile() as copy:
            try:
                one, digest = copy_file(descriptor, one.path, copy)
                self.job.place = {"bytes": self.job.place.get("bytes", 0) + one.size}
                if digest == self._seen(one)[2]:
                    self._record(one, digest)
                    return ""
                found = self.found
                made = convert_file(
                    copy,
                    one.size,
                    format=found.format,
                    time_zone=found.time_zone or None,
                    columns=parse_columns(found.columns),
                )
            except (FileRefusedError, UnreadableImportError) as error:
                problem = f"{one.path[-MAX_PATH_CHARACTERS:]}: {error}"[:MAX_PROBLEM_CHARACTERS]
                self._record(one, digest, problem=problem)
                self.job.problems.append({"line": self.job.done + 1, "reason": problem})
                return REFUSED
            self._record(one, digest, made=made)
        return TAKEN

    def _record(
        self,
        one: FileState,
        digest: str,
        *,
        problem: str = "",
        made: Conversion | None = None,
    ) -> None:
        """Remember a file as it is; with what it was made into its import is queued. Without a
        problem or an import what was said of the same content before stays. Raises
        FileChangingError if another worker has recorded it meanwhile, and _EndedError."""
        found, now = self.found, timezone.now()
        with transaction.atomic():
            with organisation_scope(found.organisation_id):
                locked = lock_subscription(found.organisation_id, found.id)
                if locked is None or locked.next_run_at is None:
                    raise _EndedError
                path = path_digest(one.path)
                row = _files(found).filter(path=path).first()
                if row is None:
                    row = FolderFile(
                        organisation_id=found.organisation_id, subscription_id=found.id, path=path
                    )
                elif (row.size, row.changed_ns, row.digest) != self._seen(one):
                    raise FileChangingError
                row.size, row.changed_ns, row.digest = one.size, one.changed_ns, digest
                row.looked_at = now
                if problem or made:
                    row.problem = problem
                row.save()
            if made:
                enqueue_conversion(
                    self.actor,
                    made,
                    name=one.path[-MAX_PATH_CHARACTERS:],
                    by_group=found.by_group,
                    keep=found.join_groups,
                    everyone=found.readers == LineReaders.ORGANISATION,
                    group_id=found.group_id,
                    now=now,
                )


class _EndedError(Exception):
    """The subscription was removed or paused."""


def path_digest(path: str) -> str:
    """By which a file is known, without its name."""
    return sha256(path.encode()).hexdigest()


def _files(found: ImportSubscription) -> "QuerySet[FolderFile]":
    return FolderFile.objects.filter(
        organisation_id=found.organisation_id, subscription_id=found.id
    )


def _count_open_imports(actor: Actor) -> int:
    with resolve_principal(actor).scope():
        return open_jobs(actor, JobType.IMPORT)[:MAX_OPEN_IMPORTS].count()


def _forget_gone(found: ImportSubscription, listing: FolderListing) -> None:
    """Forget files that are gone, those that were seen first, beyond MAX_REMEMBERED."""
    with organisation_scope(found.organisation_id):
        rows = _files(found)
        if (more := rows.count() - MAX_REMEMBERED) > 0:
            there = {path_digest(one.path) for one in listing.files}
            gone = rows.exclude(path__in=there).order_by("looked_at", "id")
            rows.filter(id__in=list(gone.values_list("id", flat=True)[:more])).delete()
