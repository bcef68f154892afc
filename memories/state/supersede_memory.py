"""From and until when a memory holds, and what replaces it: both are kept. No other module writes
until when a stored memory holds, nor its successor."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, DateTimeField, F, Q, Value, When
from django.db.models.functions import Cast

from memories.access.permissions import (
    check_red_line,
    record_memory_audit,
    record_memory_audits,
)
from memories.access.visibility import MemoryRequestError
from memories.state.transitions import update_derived, update_ends_of_derived
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.version_stamp import VERSION_FIELDS, stamp_version
from orgs.database.prepared_statements import fetch_all
from orgs.errors import AlreadyExistsError
from orgs.principals import Principal

SUPERSEDE_FIELDS = ("superseded_by", "valid_until")
VALIDITY_FIELDS = ("valid_from", "valid_until")
# The field of a request that names older memories.
SUPERSEDES = "supersedes"
CYCLE_MESSAGE = "One of these holds in the place of this memory already. Nothing was changed."
CHANGED_SINCE_DECISION = (
    "It was changed after the decision, so the decision stands. Edit it instead."
)


def holds_q(now: datetime, path: str = "") -> Q:
    """The condition that nobody said of a memory that it holds no more, or not yet. path: the
    look-up that leads to it, as `memory__`."""
    ends = Q((f"{path}valid_until", None)) | Q((f"{path}valid_until__gt", now))
    return ends & (Q((f"{path}valid_from", None)) | Q((f"{path}valid_from__lte", now)))


def holds_sql(row: str = "m", *, now: str = "%(now)s::timestamptz") -> str:
    """The same as SQL in parentheses. row: the alias of the table; now: an expression of SQL."""
    return (
        f"(({row}.valid_until IS NULL OR {row}.valid_until > {now}) "
        f"AND ({row}.valid_from IS NULL OR {row}.valid_from <= {now}))"
    )


class InvalidValidityError(MemoryRequestError):
    """From and until when something holds do not fit, or what replaces what. field: the one of a
    request that is wrong; errors: as a problem has them."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.errors = [{"field": field, "detail": detail}]


def check_validity(
    valid_from: datetime | None, valid_until: datetime | None, *, field: str = "valid_until"
) -> None:
    """Raise InvalidValidityError for the field if the end lies before the beginning."""
    if valid_from is not None and valid_until is not None and valid_until < valid_from:
        raise InvalidValidityError(field, "`valid_until` lies before `valid_from`.")


def check_changed_validity(memory: Memory, given: Mapping[str, Any]) -> None:
    """`check_validity` for a memory after a change. given: the new values, among others."""
    after = [given.get(name, getattr(memory, name)) for name in VALIDITY_FIELDS]
    field = "valid_until" if "valid_until" in given else "valid_from"
    check_validity(*after, field=field)


# Directly and indirectly; UNION ends also where there is a circle.
_SUCCESSORS_SQL = """
WITH RECURSIVE later (id) AS (
    SELECT %(id)s::uuid
    UNION
    SELECT m.superseded_by_id FROM later JOIN memories_memory m
        ON m.organisation_id = %(organisation)s AND m.id = later.id
    WHERE m.superseded_by_id IS NOT NULL
)
SELECT id FROM later
"""


def list_successor_ids(organisation_id: UUID, memory_id: UUID) -> set[UUID]:
    """The id of a memory and the ids of all its successors, as far as the scope reads the memories
    between. The ids are for comparing and are shown to nobody."""
    values = {"organisation": organisation_id, "id": memory_id}
    return {id_ for (id_,) in fetch_all(_SUCCESSORS_SQL, values)}


def check_no_cycle(organisation_id: UUID, newer_id: UUID, older_ids: Collection[UUID]) -> None:
    """Raise InvalidValidityError if one of these is the newer memory or a successor of it."""
    if not list_successor_ids(organisation_id, newer_id).isdisjoint(older_ids):
        raise InvalidValidityError(SUPERSEDES, CYCLE_MESSAGE)


def supersede_memory(
    principal: Principal, older: Memory, newer: Memory, now: datetime, **told: str
) -> dict[str, Any]:
    """`supersede_each` for one older memory. Returns what undo needs."""
    return supersede_each(principal, [older], newer, now, **told)[0]


def supersede_each(
    principal: Principal, older: Sequence[Memory], newer: Memory, now: datetime, **told: str
) -> list[dict[str, Any]]:
    """Note that the newer memory holds in the place of older ones, which held until then: until the
    newer one begins to hold, and never less than not at all, because clocks disagree. Returns what
    undoing each needs.

    The older ones are locked and the asker's to change. told: more for the audit trail. Statements
    do not grow with their number. Raises RedLineError for a protected older one,
    MemoryRequestError if the newer one is not active, and what `check_no_cycle` raises.
    """
    if newer.status != Status.ACTIVE:
        raise MemoryRequestError("The newer one does not hold any more. Nothing was decided.")
    check_no_cycle(newer.organisation_id, newer.id, [row.id for row in older])
    for row in older:
        check_red_line(principal, row, "supersede", now)
    undo = [
        {
            "superseded": str(row.id),
            "holds": str(newer.id),
            "held": [str(row.superseded_by_id or ""), _format_time(row.valid_until)],
        }
        for row in older
    ]
    ends = {row.id: max(newer.holds_since, row.holds_since) for row in older}
    _set_successor(principal, older, newer.id, ends, now)
    record_memory_audits(
        principal,
        "memory.superseded",
        # Who reads the trail may read only one of the two.
        {
            row: ({"by": str(newer.id)} if newer.audience_id == row.audience_id else {}) | told
            for row in older
        },
        now,
    )
    return undo


def undo_supersede(
    principal: Principal, older: Memory, outcome: dict[str, Any], now: datetime
) -> None:
    """Undo `supersede`: the older memory gets its former successor and end back. Raises
    AlreadyExistsError if its successor changed since."""
    if str(older.superseded_by_id) != outcome["holds"]:
        raise AlreadyExistsError(CHANGED_SINCE_DECISION)
    by, end = outcome["held"]
    there = (
        Memory.objects.filter(organisation_id=older.organisation_id, id=UUID(by)).first()
        if by
        else None
    )
    until = datetime.fromisoformat(end) if end else None
    _set_successor(principal, [older], there.id if there else None, {older.id: until}, now)
    record_memory_audit(principal, "memory.holds_again", older, now)


def set_validity(
    principal: Principal, memory: Memory, given: Mapping[str, datetime | None], now: datetime
) -> bool:
    """Set from and until when a locked memory holds, as a snapshot has it; returns whether that
    changed.

    given: of VALIDITY_FIELDS those to set. Raises RedLineError for a protected one, and
    InvalidValidityError.
    """
    changed = {name: value for name, value in given.items() if getattr(memory, name) != value}
    if not changed:
        return False
    check_red_line(principal, memory, "supersede", now)
    assign_validity(memory, changed)
    stamp_version(memory, principal.actor, now)
    memory.save(update_fields=[*SUPERSEDE_FIELDS, *VALIDITY_FIELDS[:1], *VERSION_FIELDS])
    update_derived(memory, changed)
    record_memory_audit(principal, "memory.edited", memory, now, fields=sorted(changed))
    return True


def assign_validity(memory: Memory, given: Mapping[str, datetime | None]) -> None:
    """Note in a memory from and until when it holds. What has no end has no successor. Save it with
    SUPERSEDE_FIELDS and `valid_from`. Raises InvalidValidityError."""
    check_changed_validity(memory, given)
    memory.valid_from = given.get("valid_from", memory.valid_from)
    if "valid_until" in given:
        memory.valid_until = given["valid_until"]
    if memory.valid_until is None:
        memory.superseded_by = None


def mark_current(memory: Memory) -> None:
    """Note in a memory that it holds now: it gets new words, and that it held no more was found of
    the old ones. Save it with SUPERSEDE_FIELDS."""
    memory.superseded_by, memory.valid_until = None, None


def clear_superseded_by(organisation_id: UUID, ids: Collection[UUID]) -> None:
    """What these memories had replaced names them no more, as far as the open scope reads it; that
    it holds no more stays true."""
    older = Memory.objects.filter(organisation_id=organisation_id, superseded_by_id__in=ids)
    older.exclude(id__in=ids).update(superseded_by=None)


def _set_successor(
    principal: Principal,
    older: Sequence[Memory],
    newer_id: UUID | None,
    ends: Mapping[UUID, datetime | None],
    now: datetime,
) -> None:
    """Store the successor and the end of each, one statement for all."""
    for row in older:
        row.superseded_by_id, row.valid_until = newer_id, ends[row.id]
        stamp_version(row, principal.actor, now)
    if len(older) == 1:
        older[0].save(update_fields=[*SUPERSEDE_FIELDS, *VERSION_FIELDS])
    elif older:
        time = DateTimeField()
        cases = [When(id=id_, then=Value(end)) for id_, end in ends.items()]
        rows = Memory.objects.filter(organisation_id=older[0].organisation_id, id__in=ends)
        rows.update(
            superseded_by_id=newer_id,
            valid_until=Cast(Case(*cases, output_field=time), time),
            updated_at=now,
            version=F("version") + 1,
            editor_id=older[0].editor_id,
            editor_robot_id=older[0].editor_robot_id,
        )
    update_ends_of_derived(older)


def _format_time(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
