"""Import a document by a job, as whoever asked: each part by the rules of a remember, each change
by those of an edit."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from uuid import UUID, uuid4

import orjson
from django.conf import settings
from django.utils import timezone

from memories.access.permissions import (
    ChangeForbiddenError,
    check_red_line,
    get_readable_memory,
    may_change,
    may_publish,
    record_memory_audit,
)
from memories.curation.documents.document_list import forget_parts
from memories.curation.documents.plan_document import (
    DocumentRequest,
    part_source,
    part_topic,
    plan_document,
    sample_draft,
    step_rows,
    with_visibility,
)
from memories.curation.edit_memory import edit_memory
from memories.curation.replace_by_key import REPLACE_ERRORS
from memories.indexing.search_index import reindex_memory
from memories.ingestion.documents.document_parts import DocumentError, Part
from memories.ingestion.documents.parser_slots import parser_slot
from memories.ingestion.documents.read_document import AUTO, ReadDocument, read_document
from memories.ingestion.drafts import DraftRefusal
from memories.ingestion.file_import.import_job import (
    BROKEN_UPLOAD,
    UnreadableImportError,
    delete,
    path_for,
    run_import,
)
from memories.ingestion.file_import.plan_import import (
    delete_member_previews,
    ensure_previews_folder,
)
from memories.ingestion.folder_import.run_folder import run_folder_import
from memories.ingestion.folder_import.subscriptions import FOLDER_KEY
from memories.ingestion.remember import REFUSAL_ERRORS, remember_many
from memories.jobs.job_queue import (
    MAX_PROBLEMS,
    JobTimeSlice,
    enqueue_job,
    finish_job,
    requeue_job,
    save_progress,
)
from memories.jobs.models import Job, JobType
from memories.review.models import Proposal
from memories.safety.gate_refusals import record_refusals
from memories.safety.memory_submissions import check_part_texts
from memories.state.transitions import unindex_with_derived
from memories.store.models.choices import Status
from memories.store.speakers.document_source import DOCUMENT_KEY, document_conversation
from orgs.errors import NotFoundError
from orgs.models.memberships import Role
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from robots.models.keys import KeyScope

# For a slot. With MAX_WAIT_SECONDS of the reading it is less than a call has.
WAIT_SECONDS = 4.0
# Parts that are written in one transaction.
BATCH = 50
COUNTS = ("imported", "changed", "already", "forgotten", "waiting", "skipped")


def check_may_import_document(actor: Actor) -> None:
    """Raise PermissionError for viewers, and for robots by a key without `write`."""
    allowed = actor.role != Role.VIEWER if actor.is_person else KeyScope.WRITE in actor.scopes
    if not allowed:
        raise PermissionError("Who only reads imports no document.")


def load_document(
    actor: Actor, file: IO[bytes], size: int, *, name: str, format: str = AUTO
) -> ReadDocument:
    """Read an uploaded document, when this machine has a slot for it.

    Raises UnreadableImportError, PermissionError and ParsersBusyError.
    """
    check_may_import_document(actor)
    with parser_slot(
        parsers_folder(),
        str(actor.organisation_id),
        slots=settings.DOCUMENT_PARSERS,
        wait_seconds=WAIT_SECONDS,
    ):
        return _read(file, size, name=name, format=format)


def parsers_folder() -> Path:
    """The folder of the slots."""
    return Path(settings.DATA_DIR) / "parsers"


def _read(file: IO[bytes], size: int, *, name: str, format: str) -> ReadDocument:
    try:
        return read_document(file, size, name=name, format=format)
    except DocumentError as error:
        raise UnreadableImportError(str(error)) from error


def enqueue_document(
    actor: Actor, found: ReadDocument, request: DocumentRequest, *, now: datetime
) -> Job:
    """Queue the import of a document that was read. Raises what `plan_document` raises."""
    check_may_import_document(actor)
    request = with_visibility(actor, request)
    plan = plan_document(actor, found, request, now=now)
    parameters = {
        "name": found.name,
        "format": found.format,
        DOCUMENT_KEY: {"id": str(plan.id), **request.as_parameters()},
    }
    principal = resolve_principal(actor)
    with principal.scope():
        job = enqueue_job(principal, JobType.IMPORT, parameters, total=len(found.parts), now=now)
        write_document(path_for(job.id), found)
    return job


def write_document(path: Path, found: ReadDocument) -> None:
    """Keep what was read of a document, for a preview or a job."""
    path.write_bytes(orjson.dumps({**asdict(found), "parts": [asdict(one) for one in found.parts]}))


def load_written_document(path: Path) -> ReadDocument:
    """What `write_document` kept. Raises NotFoundError."""
    told = _load_kept(path)
    parts = tuple(Part(**{**one, "heading": tuple(one["heading"])}) for one in told.pop("parts"))
    return ReadDocument(**told, parts=parts)


def _load_kept(path: Path) -> dict[str, Any]:
    """A kept object. Raises NotFoundError if it is gone."""
    try:
        kept: dict[str, Any] = orjson.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise NotFoundError("no such file") from error
    return kept


def store_document_preview(actor: Actor, found: ReadDocument, request: DocumentRequest) -> UUID:
    """Keep what was read of a document for an hour, in place of an earlier file of the actor.
    Returns the id of the preview."""
    delete_member_previews(actor)
    id_ = uuid4()
    path = _preview_path(actor, id_)
    write_document(path, found)
    path.with_suffix(".request").write_bytes(orjson.dumps(request.as_parameters()))
    return id_


def load_document_preview(actor: Actor, id_: UUID) -> tuple[ReadDocument, DocumentRequest]:
    """A kept document. Raises NotFoundError and PermissionError."""
    check_may_import_document(actor)
    path = _preview_path(actor, id_)
    found = load_written_document(path)
    return found, DocumentRequest(**_load_kept(path.with_suffix(".request")))


def import_document_preview(actor: Actor, id_: UUID, *, now: datetime) -> Job:
    """Import a kept document, which is then no longer kept here. Raises what
    `load_document_preview` and `enqueue_document` raise."""
    found, request = load_document_preview(actor, id_)
    job = enqueue_document(actor, found, request, now=now)
    delete_member_previews(actor)
    return job


def _preview_path(actor: Actor, id_: UUID) -> Path:
    return ensure_previews_folder() / f"{actor.organisation_id}.{actor.member_id}.{id_}.document"


def run_any_import(actor: Actor, job: Job) -> None:
    """Import the document or the file of conversations of a job, or look through its folder, for
    one turn."""
    if DOCUMENT_KEY in job.parameters:
        run_document_import(actor, job)
    elif FOLDER_KEY in job.parameters:
        run_folder_import(actor, job)
    else:
        run_import(actor, job)


def run_document_import(actor: Actor, job: Job) -> None:
    """Do the steps of a document's import for one turn, from its place.

    The steps are planned in the first turn and kept; each can be done again. Raises
    UnreadableImportError and PermissionError.
    """
    check_may_import_document(actor)
    now = timezone.now()
    path = path_for(job.id)
    if not path.exists():
        raise UnreadableImportError(BROKEN_UPLOAD)
    found = load_written_document(path)
    told = dict(job.parameters[DOCUMENT_KEY])
    document = UUID(told.pop("id"))
    run = _Run(actor, job, found, document, DocumentRequest(**told), now)
    steps = run.load_steps(path.with_suffix(".steps"))
    if run.do(steps):
        finish_job(actor, job)
        delete(job.id)
    else:
        requeue_job(actor, job)


class _Run:
    """One turn of a job."""

    def __init__(
        self,
        actor: Actor,
        job: Job,
        found: ReadDocument,
        document: UUID,
        request: DocumentRequest,
        now: datetime,
    ) -> None:
        self.actor, self.job, self.found, self.now = actor, job, found, now
        self.document, self.request = document, request
        self.counts = {name: job.result.get(name, 0) for name in COUNTS}
        # In whose name parts are written: of a robot, of the member for whom it acts.
        self.writer = resolve_actor(actor, member=request.member, group=request.group)

    def load_steps(self, kept: Path) -> list[list[Any]]:
        """The steps of the first turn, and with them how many parts stay as they are."""
        if not kept.exists():
            self._write_steps(kept)
        written = orjson.loads(kept.read_bytes())
        steps: list[list[Any]] = written["steps"]
        # A turn may have ended before the job said so.
        self.counts["already"], self.job.total = written["already"], len(steps)
        return steps

    def _write_steps(self, kept: Path) -> None:
        plan = plan_document(self.actor, self.found, self.request, now=self.now)
        if plan.id != self.document:
            # A group was replaced by another one, or a member left, since it was asked for.
            raise PermissionError("other readers")
        # Whole or not at all: a half of it could not be read again.
        half = kept.with_suffix(".half")
        half.write_bytes(orjson.dumps({"already": plan.unchanged, "steps": step_rows(plan.steps)}))
        half.replace(kept)

    def do(self, steps: list[list[Any]]) -> bool:
        """Do steps until the turn is over or the job is cancelled. Returns whether it is over."""
        turn, place = JobTimeSlice(), self.job.place.get("step", 0)
        while place < len(steps):
            batch = steps[place : place + BATCH]
            if added := [part for act, part, _ in batch if act == "add"]:
                self._add(added)
            for act, part, memory in batch:
                if act in ("edit", "move"):
                    self._change(UUID(memory), part, edit=act == "edit")
            self._forget([UUID(memory) for act, _, memory in batch if act == "forget"])
            place += len(batch)
            self._store(place)
            if place < len(steps) and (
                turn.over() or (turn.to_note() and not save_progress(self.actor, self.job))
            ):
                # Cancelled: what is done stays, and `requeue_job` ends it.
                return False
        self._store(place)
        return True

    def _store(self, place: int) -> None:
        self.job.place, self.job.done = {"step": place}, place
        self.job.result = {**self.counts, DOCUMENT_KEY: str(self.document)}

    def _refuse(self, index: int, reason: object) -> None:
        where = self.found.parts[index].location or self.found.name
        self._note({"line": index + 1, "reason": f"{where}: {reason}"})

    def _note(self, problem: dict[str, Any]) -> None:
        self.counts["skipped"] += 1
        if len(self.job.problems) < MAX_PROBLEMS:
            self.job.problems.append(problem)

    def _add(self, indexes: Sequence[int]) -> None:
        parts = [(index, self.found.parts[index]) for index in indexes]
        drafts = [
            sample_draft(
                self.found.name,
                self.request,
                content=part.text,
                source=part_source(self.document, self.found.name, part),
                topic=part_topic(part),
                conversation=document_conversation(self.document),
                position=index,
                import_job=self.job.id,
            )
            for index, part in parts
        ]
        outcomes = remember_many(self.actor, drafts, now=self.now)
        for index, outcome in zip(indexes, outcomes, strict=True):
            if isinstance(outcome, DraftRefusal):
                self._refuse(index, outcome.error)
            elif outcome.status == Status.ACTIVE:
                self.counts["imported"] += 1
            else:
                self.counts["waiting"] += 1

    def _change(self, memory_id: UUID, index: int, *, edit: bool) -> None:
        part = self.found.parts[index]
        try:
            if edit:
                changes = {"content": part.text}
                # Words of the file, not of whoever imports it.
                edited = edit_memory(
                    self.writer, memory_id, changes, now=self.now, words_of=(None, None)
                )
                if isinstance(edited, Proposal):
                    self.counts["waiting"] += 1
                    return
                self.counts["changed"] += 1
            self._store_position(memory_id, part, index)
        except (*REFUSAL_ERRORS, *REPLACE_ERRORS) as error:
            self._refuse(index, error)

    def _store_position(self, memory_id: UUID, part: Part, index: int) -> None:
        """Note where a part stands now. Its readers see the name and the headings, so it is a
        change like another: for who may change it and publish it, and by the gates."""
        principal = resolve_principal(self.writer)
        with record_refusals(self.writer, self.now, target=memory_id), principal.scope():
            row = get_readable_memory(principal, memory_id, lock=True)
            topic = part_topic(part)
            source = {**row.source, **part_source(self.document, self.found.name, part)}
            if (row.topic, row.source, row.position) == (topic, source, index):
                return
            if not (may_change(principal, row) and may_publish(self.writer, row)):
                raise ChangeForbiddenError(NOT_YOURS)
            check_red_line(principal, row, "edit", self.now, fields=["source"])
            has_new_topic, has_new_texts = row.topic != topic, row.source != source
            if has_new_texts:
                check_part_texts(row, topic, source)
            row.topic, row.source, row.position = topic, source, index
            row.save(update_fields=["source", "topic", "position"])
            if has_new_topic and row.status == Status.ACTIVE:
                unindex_with_derived([row], self.now)
                reindex_memory(row, self.now)
            if has_new_texts:
                fields = ["source", "topic"] if has_new_topic else ["source"]
                record_memory_audit(principal, "memory.edited", row, self.now, fields=fields)

    def _forget(self, ids: Sequence[UUID]) -> None:
        forgotten = forget_parts(self.writer, ids, now=self.now)
        self.counts["forgotten"] += len(forgotten)
        for kept in [id_ for id_ in ids if id_ not in forgotten]:
            self._note({"id": str(kept), "reason": KEPT})


NOT_YOURS = "It stands at another place in the document now, and is not yours to change."
KEPT = "It is not in the document any more, and stays: it is protected, or not yours to forget."
