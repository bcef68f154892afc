"""Import conversations from JSON lines: groups, members from speakers, memories with keys.

A line is {id, text, group?, session?, seq?, speaker?, audience?, subject?, title?, timestamp?,
importance?, sensitive?, to?, reply_to?, tags?}; converters of other formats also write private,
own_words, people, group_name, item and skipped (see `ImportLine`). Its id becomes the memory's key,
so an import can be repeated and resumed: existing memories are skipped. An audience list becomes an
explicit audience; an entry that is a group's external id means that group, but in a list of people
no name does. Without a list the audience is the group, without a group the member whom the line is
about, else its speaker, else whoever imports; or a group or everyone, if the import says so.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from memories.access.consent import filter_paused_members
from memories.access.visibility import KindInputs, Visibility, derive_kind
from memories.ingestion import memory_writes
from memories.ingestion.existing_memories import ExistingMemories, load_existing_for_rows
from memories.ingestion.file_import.import_lines import (
    MAX_LINE_BYTES,
    ImportanceScale,
    ImportLine,
    InvalidLineError,
    conversation_id,
    find_item,
    parse_line,
)
from memories.ingestion.file_import.import_people import ImportPeople
from memories.ingestion.importance import default_importance
from memories.jobs.job_queue import MAX_PROBLEMS
from memories.jobs.worker_hints import notify_embedding_worker
from memories.store.encryption.keys import MissingEncryptionKeyError, check_encryption_key
from memories.store.encryption.texts import content_hashes
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Organisation
from orgs.principals import Actor, Principal, resolve_principal
from robots.models.robots import Robot
from robots.registry.activity import record_activity

CHUNK_LINES, CHUNK_BYTES = 500, 32 * 1024 * 1024
MAX_REASONS = 100
READ_ERRORS = (OSError, EOFError, zlib.error)


@dataclass(slots=True)
class ImportReport:
    """What an import did. skipped: number of lines that could not be imported; problems: [{line,
    reason}] of the first of them; reasons: how many were skipped for each, of the first reasons."""

    imported: int = 0
    already: int = 0
    skipped: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    groups: int = 0
    members: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def skip(self, line: int, reason: str, item: str = "") -> None:
        """Count a line that could not be imported, and note the reason and what it was made
        from."""
        self.skipped += 1
        if reason in self.reasons or len(self.reasons) < MAX_REASONS:
            self.reasons[reason] += 1
        if len(self.problems) < MAX_PROBLEMS:
            told = f"{item}: {reason}" if item else reason
            self.problems.append({"line": line, "reason": told})


class Importer:
    """Imports one file into one organisation, chunk by chunk, each in its own transaction.

    groups: the external ids that the file uses; in a list such a name means the group, even if the
    group's own lines come later. read, owner, keeper, importer, everyone: see `ImportPeople`.
    importance_scale: 10 for a file with importance from 1 to 10. import_job: the id by which all
    memories of this import can be erased together.
    """

    people: type[ImportPeople] = ImportPeople

    def __init__(
        self,
        organisation: Organisation,
        robot: Robot,
        now: datetime,
        speaker_scope: str,
        groups: frozenset[str] = frozenset(),
        read: frozenset[UUID] | None = None,
        owner: UUID | None = None,
        keeper: Actor | None = None,
        *,
        importance_scale: ImportanceScale = 1,
        import_job: UUID | None = None,
        importer: UUID | None = None,
        everyone: bool = False,
        default_group: UUID | None = None,
    ) -> None:
        self.organisation, self.robot, self.now = organisation, robot, now
        self.import_job = import_job
        self.importance_scale: ImportanceScale = importance_scale
        self.report = ImportReport()
        self.before = ImportReport()
        self.cast = self.people(
            organisation,
            now,
            by_group=speaker_scope == "group",
            groups=groups,
            read=read,
            owner=owner,
            keeper=keeper,
            importer=importer,
            everyone=everyone,
            default_group=default_group,
        )

    def run(
        self,
        lines: Iterable[bytes],
        tick: Callable[[int], object] = lambda n: None,
        *,
        first: int = 1,
    ) -> ImportReport:
        """Import every line. tick: called after each chunk with its number of lines; False stops
        the import.

        first: the number of the first line.
        """
        numbered = enumerate(lines, start=first)
        for chunk in _iter_chunks(numbered):
            if good := self.sound(chunk):
                self._import(good)
            if tick(len(chunk)) is False:
                break
        return self.report

    def sound(self, chunk: Iterable[tuple[int, bytes]]) -> list[ImportLine]:
        """The lines that can be imported; the others go into the report."""
        good: list[ImportLine] = []
        for number, raw in chunk:
            if not raw.strip():
                continue
            try:
                line = parse_line(number, raw, self.importance_scale)
                self.cast.check(line)
                if line.sensitive:
                    check_encryption_key()
                good.append(line)
            except (InvalidLineError, MissingEncryptionKeyError) as error:
                self.report.skip(number, str(error), _find_item(raw))
        return good

    def go_on(self, figures: dict[str, int], problems: list[dict[str, Any]]) -> None:
        """Continue with the counts of earlier turns of the same import."""
        names = ("imported", "already", "skipped", "groups", "members")
        self.report, self.before = ImportReport(), ImportReport()
        for name in names:
            setattr(self.report, name, figures.get(name, 0))
            setattr(self.before, name, figures.get(name, 0))
        self.report.problems = problems

    def _import(self, lines: Sequence[ImportLine]) -> None:
        actor = Actor(organisation_id=self.organisation.id, robot_id=self.robot.id)
        with organisation_scope(self.organisation.id):
            for line in lines:
                self.cast.seat(line)
            principal = resolve_principal(actor)
            rows = self._welcome([self.memory(line, principal) for line in lines])
            deposits = tuple({row.audience_id for row in rows} - principal.audiences)
            with principal.scope(deposit=deposits):
                fresh = self._unknown(rows, principal)
                memory_writes.insert_memories(
                    fresh,
                    organisation=self.organisation,
                    now=self.now,
                    said=True,
                    import_job=self.import_job,
                )
                record_activity(
                    organisation_id=self.organisation.id, robot_id=self.robot.id, now=self.now
                )
                notify_embedding_worker(self.organisation.id)
        self.report.imported += len(fresh)
        self.report.groups = self.before.groups + self.cast.new_groups
        self.report.members = self.before.members + self.cast.new_members

    def _welcome(self, rows: list[Memory]) -> list[Memory]:
        """The rows without those about or by members who have paused learning, which go into the
        report."""
        about = {id_ for row in rows for id_ in (row.member_id, row.speaker_member_id) if id_}
        paused = self.paused(about)
        for row in rows:
            if {row.member_id, row.speaker_member_id} & paused:
                line = row.position_in_file  # type: ignore[attr-defined]
                item = row.item_in_file  # type: ignore[attr-defined]
                self.report.skip(line, "learning-paused", item)
        return [r for r in rows if not {r.member_id, r.speaker_member_id} & paused]

    def paused(self, members: set[UUID]) -> set[UUID]:
        """The members of a set who have paused learning; call inside a scope."""
        return filter_paused_members(self.organisation.id, members)

    def _unknown(self, rows: Sequence[Memory], principal: Principal) -> list[Memory]:
        return self.sort(rows, load_existing_for_rows(rows, self.robot.id, principal.audiences))

    def sort(self, rows: Sequence[Memory], earlier: ExistingMemories) -> list[Memory]:
        """The rows without repeats: of existing memories or of earlier rows, by key or by content.
        Repeats are counted in the report."""
        fresh = []
        for row in rows:
            digest = bytes(row.content_hash)
            # A memory that its subject forgot does not come back with another id either.
            same = [
                e
                for e in earlier.by_hash(row.audience_id, digest)
                if e.forgotten_by_subject
                or (e.key, e.conversation, e.occurred_at)
                == (row.key, row.conversation, row.occurred_at)
            ]
            keyed = earlier.by_key(row.audience_id, row.key)
            if keyed is not None and keyed.content_hash != digest:
                line = row.position_in_file  # type: ignore[attr-defined]
                item = row.item_in_file  # type: ignore[attr-defined]
                self.report.skip(line, "the id names another text already", item)
            elif keyed is not None or same:
                self.report.already += 1
            else:
                earlier.add(row)
                fresh.append(row)
        return fresh

    def memory(self, line: ImportLine, principal: Principal) -> Memory:
        """The row of a line. principal: its writer."""
        group_id = self.cast.line_group(line)
        audience_id, visibility = self.cast.audience(line, group_id)
        subject = None
        if line.subject and not line.private:
            subject = self.cast.member(line.subject, line.group)
        if visibility is Visibility.PRIVATE:
            # What is private to a member is theirs, as if they had kept it themselves.
            subject = self.cast.private_member(line)
        place = KindInputs(visibility, group_id is not None, subject is not None, listeners=False)
        row = Memory(
            organisation_id=self.organisation.id,
            audience_id=audience_id,
            kind=derive_kind(place),
            type="conversation",
            content=line.text,
            content_hash=content_hashes(
                line.text,
                speaker=line.speaker,
                subject=subject,
                organisation_id=self.organisation.id,
                sensitive=line.sensitive,
            )[0],
            key=line.key,
            topic=line.topic,
            tags=list(line.tags),
            source={"import": line.key, **line.extra},
            robot_id=self.robot.id,
            group_id=group_id,
            member_id=subject,
            speaker=line.speaker,
            speaker_member_id=self.cast.speaker_member(line),
            conversation=conversation_id(line),
            position=line.seq,
            deposited_by=None if audience_id in principal.audiences else self.robot.id,
            importance=(
                default_importance(type="conversation")
                if line.importance is None
                else line.importance
            ),
            sensitive=line.sensitive,
            occurred_at=line.at,
            created_at=self.now,
            updated_at=self.now,
        )
        row.position_in_file = line.number  # type: ignore[attr-defined]
        row.item_in_file = line.item  # type: ignore[attr-defined]
        return row


class PrivateImporter(Importer):
    """Imports what is private to whoever asked, and refuses every other line: for members who may
    write for nobody else."""

    def sound(self, chunk: Iterable[tuple[int, bytes]]) -> list[ImportLine]:
        good = []
        for line in super().sound(chunk):
            if line.private and not line.subject:
                good.append(line)
            else:
                self.report.skip(line.number, "it is not private to you", line.item)
        return good


def _find_item(raw: bytes) -> str:
    if len(raw) > MAX_LINE_BYTES:
        return ""
    try:
        return find_item(orjson.loads(raw))
    except orjson.JSONDecodeError:
        return ""


def _iter_chunks(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """Chunks of CHUNK lines, fewer of long ones. If reading fails, the lines before that are still
    given."""
    chunk: list[tuple[int, bytes]] = []
    size = 0
    try:
        for line in lines:
            chunk.append(line)
            size += len(line[1])
            if len(chunk) == CHUNK_LINES or size >= CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
    except READ_ERRORS:
        yield chunk
        raise
    yield chunk
