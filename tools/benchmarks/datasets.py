"""A folder of conversations with questions, brought in as `manage.py import_memories` does."""

import gzip
import json
import secrets
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
from django.utils import timezone

from memories.indexing.embed_worker import embed_pending
from memories.ingestion.file_import.importer import Importer, ImportReport
from orgs.database.rls import organisation_scope
from orgs.models.organisations import Group, Organisation
from orgs.organisations.organisations import create_organisation
from orgs.principals import Actor
from robots.access.keys import create_key
from robots.models.robots import Robot
from robots.registry.robots import IMPORT, add_robot_to_groups, ensure_builtin_robot, ensure_robot

SCOPES = ("read", "write", "act_for")


@dataclass(frozen=True, slots=True)
class EvidenceQuestion:
    """A question with evidence, and for whom it is asked in its group. answer: the right one, empty
    if the set does not say."""

    id: str
    text: str
    evidence: tuple[str, ...]
    category: str
    group: str | None
    member: str | None
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Dataset:
    """What the folder holds. Questions without an answer or without evidence are left out."""

    name: str
    lines: list[bytes]
    questions: list[EvidenceQuestion]
    lists: bool
    unanswerable: int


def read_memory_lines(folder: Path) -> bytes:
    """The lines of the folder's memories, which may be packed."""
    plain = folder / "memories.jsonl"
    packed = folder / "memories.jsonl.gz"
    return plain.read_bytes() if plain.is_file() else gzip.decompress(packed.read_bytes())


def read_dataset(folder: Path) -> Dataset:
    """Read a folder; its memories may be packed.

    A file may lack `answerable`: then evidence makes a question answerable.
    """
    content = read_memory_lines(folder)
    lines = content.splitlines()
    rows = [orjson.loads(line) for line in lines]
    speakers: dict[str, str] = {}
    for row in rows:
        if row.get("group") and row.get("speaker"):
            speakers.setdefault(row["group"], row["speaker"])
    questions, left_out = [], 0
    for line in (folder / "queries.jsonl").read_bytes().splitlines():
        row = orjson.loads(line)
        if not row.get("answerable", True) or not row.get("evidence_ids"):
            left_out += 1
            continue
        group = row.get("group")
        asker = row.get("asker") or speakers.get(group or "")
        questions.append(
            EvidenceQuestion(
                str(row["id"]),
                row["question"],
                tuple(dict.fromkeys(map(str, row["evidence_ids"]))),
                str(row.get("category") or "-"),
                group,
                f"import:{asker}" if asker else None,
                str(row.get("answer") or ""),
            )
        )
    lists = any("audience" in row for row in rows)
    return Dataset(folder.name, lines, questions, lists, left_out)


def line_time(row: Mapping[str, Any]) -> datetime | None:
    """When a line was said, if it tells; what names no zone is UTC."""
    if not row.get("timestamp"):
        return None
    at = datetime.fromisoformat(row["timestamp"])
    return at if at.tzinfo else at.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ImportedDataset:
    """A data set inside an organisation, with a robot that sits in every group of it."""

    organisation: Organisation
    robot: Robot
    key: str
    report: ImportReport
    import_seconds: float
    embed_seconds: float

    @property
    def actor(self) -> Actor:
        return Actor(
            organisation_id=self.organisation.id,
            robot_id=self.robot.id,
            scopes=frozenset(SCOPES),
            name=self.robot.name,
        )


def import_dataset(name: str, lines: Iterable[bytes]) -> ImportedDataset:
    """Import the lines into a new organisation and embed them all."""
    now = timezone.now()
    organisation = create_organisation(name=f"Bench {name} {now:%H%M%S%f}", now=now)
    with organisation_scope(organisation.id):
        importing = ensure_builtin_robot(organisation.id, IMPORT, now)
    started = time.perf_counter()
    report = Importer(organisation, importing, now, "organisation", everyone=True).run(lines)
    imported = time.perf_counter()
    while embed_pending(organisation.id, now=timezone.now()):
        pass
    embedded = time.perf_counter()
    with organisation_scope(organisation.id):
        groups = list(
            Group.objects.filter(organisation_id=organisation.id).values_list("id", flat=True)
        )
    robot, key = create_robot_in_groups(organisation.id, groups)
    return ImportedDataset(
        organisation, robot, key, report, imported - started, embedded - imported
    )


def create_robot_in_groups(organisation_id: UUID, groups: Collection[UUID]) -> tuple[Robot, str]:
    """A new robot in these groups that may act for members, and its key."""
    now = timezone.now()
    robot, _ = ensure_robot(
        organisation_id=organisation_id, name=f"bench {secrets.token_hex(8)}", now=now
    )
    add_robot_to_groups(organisation_id=organisation_id, robot_id=robot.id, group_ids=groups)
    _, key = create_key(organisation_id=organisation_id, robot_id=robot.id, scopes=SCOPES, now=now)
    return robot, key


def drop_audience_lists(lines: Iterable[bytes]) -> list[bytes]:
    """The lines for their whole group, or for the organisation where there is no group.

    A robot alone reads no list that names members: this is the copy in which it reads all.
    """
    changed = []
    for line in lines:
        row: dict[str, Any] = orjson.loads(line)
        row.pop("audience", None)
        changed.append(json.dumps(row).encode())
    return changed
