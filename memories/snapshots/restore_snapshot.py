"""Restore the lines of a snapshot, each by itself, with the asker's present rights.

Memories that the asker may not read do not exist for them: such a line is written like any new
memory, with the same answer. A line cannot make anybody author, subject or speaker whom the asker
could not name in a new memory.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from rest_framework.serializers import ValidationError

from memories.access.permissions import (
    ROLE_WRITE_DENIED,
    check_red_line,
    lock_changeable_memory,
    may_publish,
    may_restore,
)
from memories.access.visibility import MemoryRequestError, Visibility
from memories.curation.bulk_change import REFUSAL_ERRORS as REFUSED_CHANGES
from memories.curation.edit_memory import edit_memory
from memories.ingestion.drafts import Draft, DraftRefusal, RememberOutcome, RememberResult
from memories.ingestion.remember import remember_many
from memories.lifecycle.forget import restore_memory
from memories.review.models import Proposal
from memories.snapshots.snapshot_format import (
    USE_FIELDS,
    InvalidSnapshotError,
    LineSerializer,
    OtherOrganisationError,
)
from memories.state.supersede_memory import VALIDITY_FIELDS, set_validity
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.use import restore_use
from orgs import audit
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audiences import AudienceType
from orgs.principals import Actor, Principal, resolve_principal

# The columns that a replaced memory gets from the snapshot, besides tier, use and when it held.
REPLACED_FIELDS = ("content", "category", "importance", "tags", "metadata", "expires_at")
_DRAFT_FIELDS = (
    "content", "speaker", "occurred_at", "key", "type", "category", "topic", "tier", "importance",
    "confidence", "metadata", "sensitive", "expires_at", "valid_from", "valid_until",
)  # fmt: skip
_VISIBILITY_BY_AUDIENCE_TYPE = {
    AudienceType.GROUP: Visibility.GROUP,
    AudienceType.ORGANISATION: Visibility.ORGANISATION,
    AudienceType.MEMBER: Visibility.PRIVATE,
}


class RestoreMode(StrEnum):
    """What happens to an existing memory: it is replaced, kept, or replaced if the snapshot's
    importance is higher."""

    REPLACE = "replace"
    KEEP = "keep"
    MERGE = "merge"


class LineOutcome(StrEnum):
    """The result of a line. written: as a new memory; repeated: the same readers had its words
    already; waiting: somebody must agree; forgotten: the memory is and stays forgotten."""

    KEPT = "kept"
    REPLACED = "replaced"
    WRITTEN = "written"
    REPEATED = "repeated"
    WAITING = "waiting"
    FORGOTTEN = "forgotten"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result of one line. memory: the id of the memory with its words; error: why it was
    refused."""

    result: LineOutcome
    memory: UUID | None = None
    error: Exception | None = None


def restore_snapshot(
    actor: Actor, made_in: UUID, lines: Sequence[Any], mode: RestoreMode, *, now: datetime
) -> list[LineResult]:
    """Restore a snapshot and record it; returns a result for each line. made_in: its organisation.

    Raises OtherOrganisationError, and PermissionError for an asker who may not write; then nothing
    is done.
    """
    results = restore_lines(actor, made_in, lines, mode, set(), now=now)
    record_restore(actor, count_outcomes(results), mode, now=now)
    return results


def count_outcomes(results: Sequence[LineResult]) -> Counter[str]:
    """The number of lines by result."""
    return Counter(one.result.value for one in results)


def record_restore(
    actor: Actor, counted: Mapping[str, int], mode: RestoreMode, *, now: datetime
) -> None:
    """Record a whole restore in one entry of the audit trail."""
    with resolve_principal(actor).scope():
        audit.record_entry("snapshot.restored", actor=actor, now=now, mode=mode.value, **counted)


def restore_lines(
    actor: Actor,
    made_in: UUID,
    lines: Sequence[Any],
    mode: RestoreMode,
    seen: set[UUID],
    *,
    now: datetime,
    dry_run: bool = False,
) -> list[LineResult]:
    """Restore some lines of a snapshot; the caller records the restore.

    lines: JSON values, or the error of reading a line. seen: ids of earlier lines, which is
    updated; a second line of an id is refused. dry_run: the same results, but nothing is stored.
    Raises what `restore` raises.
    """
    if made_in != actor.organisation_id:
        raise OtherOrganisationError
    if actor.only_reads:
        raise PermissionError(ROLE_WRITE_DENIED)
    if not dry_run:
        return _restore_unrecorded(actor, lines, mode, seen, now)
    with transaction.atomic():
        results = _restore_unrecorded(actor, lines, mode, seen, now)
        transaction.set_rollback(True)
    return results


def _restore_unrecorded(
    actor: Actor, lines: Sequence[Any], mode: RestoreMode, seen: set[UUID], now: datetime
) -> list[LineResult]:
    results: dict[int, LineResult] = {}
    checked: dict[int, dict[str, Any]] = {}
    form = LineSerializer()
    for number, given in enumerate(lines):
        try:
            checked[number] = _validate_line(form, given, seen)
        except (ValidationError, InvalidSnapshotError) as error:
            results[number] = LineResult(LineOutcome.REFUSED, error=error)
    known = _load_readable(resolve_principal(actor), [line["id"] for line in checked.values()])
    anew: dict[int, Draft] = {}
    for number, line in checked.items():
        try:
            if line["id"] in known:
                results[number] = _restore_existing(actor, line, known[line["id"]], mode, now)
            else:
                anew[number] = _build_draft(actor, line)
        except REFUSED_CHANGES as error:
            results[number] = LineResult(LineOutcome.REFUSED, error=error)
    results.update(_remember_new(actor, anew, now))
    return [results[number] for number in range(len(lines))]


def _validate_line(form: LineSerializer, given: Any, seen: set[UUID]) -> dict[str, Any]:
    if isinstance(given, Exception):
        raise given
    line: dict[str, Any] = form.run_validation(given)
    if line["id"] in seen:
        raise InvalidSnapshotError("Another line has this id.")
    seen.add(line["id"])
    return line


def _load_readable(principal: Principal, ids: Sequence[UUID]) -> dict[UUID, Memory]:
    """The memories of these ids that the asker may read, by id, also forgotten ones."""
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id, id__in=ids)
        if principal.actor.is_person:
            rows = rows.for_people()
        return {row.id: row for row in rows.with_names()}


def _forgotten_result(actor: Actor, row: Memory) -> LineResult:
    """The result for a forgotten memory, which does not come back. For an asker who may not restore
    it the result is that it does not exist; it is not written anew either, because then a restore
    would undo a member's forgetting."""
    if may_restore(resolve_principal(actor), row):
        return LineResult(LineOutcome.FORGOTTEN)
    return LineResult(LineOutcome.REFUSED, error=NotFoundError("no such memory"))


def _restore_existing(
    actor: Actor, line: Mapping[str, Any], row: Memory, mode: RestoreMode, now: datetime
) -> LineResult:
    """Restore an existing memory. Raises REFUSED_CHANGES; then it is unchanged."""
    if row.status == Status.FORGOTTEN:
        return _forgotten_result(actor, row)
    if not _should_replace(line, row, mode):
        return LineResult(LineOutcome.KEPT, row.id)
    principal = resolve_principal(actor)
    with principal.scope():
        # Read again under its lock, because it may have changed.
        row = lock_changeable_memory(principal, row.id)
        if row.status == Status.FORGOTTEN:
            return _forgotten_result(actor, row)
        if row.status not in (Status.ACTIVE, Status.ARCHIVED):
            raise AlreadyExistsError("It waits for a decision. Nothing was changed.")
        if not _should_replace(line, row, mode):
            return LineResult(LineOutcome.KEPT, row.id)
        return LineResult(_replace(principal, line, row, now), row.id)


def _replace(
    principal: Principal, line: Mapping[str, Any], row: Memory, now: datetime
) -> LineOutcome:
    """Give a locked memory the state of its line. Of one for whose readers the asker may not write
    only the words are proposed; how long it held, its tier and its use stay."""
    actor = principal.actor
    if row.status == Status.ARCHIVED:
        restore_memory(actor, row.id, now=now)
    changes = {name: line[name] for name in REPLACED_FIELDS if name in line}
    if isinstance(edit_memory(actor, row.id, changes, now=now), Proposal):
        return LineOutcome.WAITING
    row = lock_changeable_memory(principal, row.id)
    if not may_publish(actor, row):
        return LineOutcome.KEPT
    set_validity(principal, row, {k: line[k] for k in VALIDITY_FIELDS if k in line}, now)
    if line["tier"] != row.tier:
        check_red_line(principal, row, "tier", now)
    used = {name: getattr(row.used, name) for name in USE_FIELDS}
    restore_use(principal, row, line["tier"], line.get("use", used), now=now)
    return LineOutcome.REPLACED


def _should_replace(line: Mapping[str, Any], row: Memory, mode: RestoreMode) -> bool:
    """Whether the snapshot's state replaces the memory."""
    if mode is RestoreMode.MERGE:
        return bool(line["importance"] > row.importance)
    return mode is RestoreMode.REPLACE


def _build_draft(actor: Actor, line: Mapping[str, Any]) -> Draft:
    """The draft of a line as a new memory of the asker. Raises MemoryRequestError for an audience
    that a line cannot name."""
    visibility = _VISIBILITY_BY_AUDIENCE_TYPE.get(line["audience"])
    if visibility is None:
        raise MemoryRequestError(
            "Only what a group, the organisation or its owner alone reads is written anew."
        )
    if visibility is Visibility.GROUP and not line.get("group"):
        raise MemoryRequestError("The line names no group.")
    if visibility is Visibility.PRIVATE and not actor.is_person:
        # Without a member it would become the robot's own note.
        raise MemoryRequestError(
            "What is private to a member, a robot does not write from a snapshot."
        )
    return Draft(
        visibility=visibility,
        group=line["group"] if visibility is Visibility.GROUP else None,
        tags=tuple(line.get("tags", ())),
        **{name: line[name] for name in _DRAFT_FIELDS if name in line},
    )


def _remember_new(actor: Actor, anew: Mapping[int, Draft], now: datetime) -> dict[int, LineResult]:
    """Remember lines that do not exist. A repeat of a forgotten memory would restore it, so such
    lines are found by a trial in a transaction that is rolled back, and left out."""
    results: dict[int, LineResult] = {}
    wanted, archived = dict(anew), set[UUID]()
    while wanted:
        numbers = list(wanted)
        with transaction.atomic():
            outcomes = remember_many(actor, list(wanted.values()), now=now)
            revived = _restored_ids(actor, outcomes, now) - archived
            if revived:
                transaction.set_rollback(True)
        if not revived:
            told = map(_to_line_result, outcomes)
            return results | dict(zip(numbers, told, strict=True))
        rows = _load_readable(resolve_principal(actor), list(revived))
        gone = {id_: row for id_, row in rows.items() if row.status == Status.FORGOTTEN}
        archived |= revived - gone.keys()
        for number, outcome in zip(numbers, outcomes, strict=True):
            if isinstance(outcome, RememberResult) and outcome.id in gone:
                results[number] = _forgotten_result(actor, gone[outcome.id])
                del wanted[number]
    return results


def _restored_ids(actor: Actor, outcomes: Sequence[RememberOutcome], now: datetime) -> set[UUID]:
    """The ids of memories that were restored because a line repeated them."""
    said = [o.id for o in outcomes if isinstance(o, RememberResult) and o.deduplicated]
    rows = _load_readable(resolve_principal(actor), said) if said else {}
    return {id_ for id_, row in rows.items() if row.restored_at == now}


def _to_line_result(outcome: RememberOutcome) -> LineResult:
    if isinstance(outcome, DraftRefusal):
        return LineResult(LineOutcome.REFUSED, error=outcome.error)
    if outcome.deduplicated:
        return LineResult(LineOutcome.REPEATED, outcome.id)
    waits = outcome.status != Status.ACTIVE
    return LineResult(LineOutcome.WAITING if waits else LineOutcome.WRITTEN, outcome.id)
