"""The documents that somebody reads, and forgetting one as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Count, Func, Max, Min, UUIDField

from memories.access.audience_labels import memory_audience_label
from memories.access.permissions import may_forget_q, record_memory_audits, red_line_allows_q
from memories.curation.documents.plan_document import all_parts, document_rows
from memories.state.transitions import forget_memories
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.speakers.document_source import (
    CONVERSATION_PREFIX,
    document_label,
    document_of,
)
from orgs.errors import NotFoundError
from orgs.organisations.references import parse_uuid
from orgs.principals import Actor, Principal, resolve_principal

MAX_DOCUMENTS, MAX_PARTS_LISTED = 200, 500
BATCH = 500


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A document as far as the asker reads it. parts: how many; forgettable: whether the asker may
    forget any; first: the id of its first part."""

    id: UUID
    name: str
    parts: int
    audience_kind: str
    audience_label: str
    imported_at: datetime
    changed_at: datetime
    first: UUID
    author: str = ""
    forgettable: bool = False


@dataclass(frozen=True, slots=True)
class ListedPart:
    """A part of a document, without its text."""

    id: UUID
    label: str
    status: str


@dataclass(frozen=True, slots=True)
class DocumentList:
    """results: the last imported first; more: whether there are others."""

    results: list[DocumentSummary]
    more: bool


@dataclass(frozen=True, slots=True)
class DocumentDetail:
    """A document and its parts in order, at most MAX_PARTS_LISTED."""

    document: DocumentSummary
    first_parts: list[ListedPart]


def _all_rows(principal: Principal) -> MemoryQuerySet:
    rows = all_parts(principal)
    return rows.for_people() if principal.actor.is_person else rows


def list_documents(actor: Actor) -> DocumentList:
    """The documents of which the asker reads a part, at most MAX_DOCUMENTS."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = _all_rows(principal)
        # In the same pass: a join with the groups compares all parts with all.
        first = Func(
            ArrayAgg("id", order_by=("position", "id")),
            template="(%(expressions)s)[1]",
            output_field=UUIDField(),
        )
        found = list(
            rows.values("conversation")
            .annotate(
                parts=Count("id"),
                since=Min("created_at"),
                last=Max("updated_at"),
                forgettable=Count("id", filter=may_forget_q(actor)),
                first=first,
            )
            .order_by("-last", "conversation")[: MAX_DOCUMENTS + 1]
        )
        shown = found[:MAX_DOCUMENTS]
        firsts = rows.with_names().in_bulk([one["first"] for one in shown])
    return DocumentList(
        [
            _summary(row, {**one}, forgettable=one["forgettable"] > 0)
            for one in shown
            if (row := firsts.get(one["first"])) is not None and document_of(row) is not None
        ],
        len(found) > MAX_DOCUMENTS,
    )


def _summary(row: Memory, counted: dict[str, Any], *, forgettable: bool) -> DocumentSummary:
    told = document_of(row) or {}
    id_ = parse_uuid((row.conversation or "").removeprefix(CONVERSATION_PREFIX))
    assert id_ is not None  # noqa: S101 - nobody else writes such conversations
    return DocumentSummary(
        id=id_,
        name=str(told.get("name", "")),
        parts=counted["parts"],
        audience_kind=row.audience.kind,
        audience_label=memory_audience_label(row),
        imported_at=counted["since"],
        changed_at=counted["last"],
        first=row.id,
        author=row.author.name if row.author else "",
        forgettable=forgettable,
    )


def get_document(actor: Actor, document_id: UUID) -> DocumentDetail:
    """A document and its parts. Raises NotFoundError if the asker reads none."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = document_rows(principal, document_id)
        rows = rows.for_people() if actor.is_person else rows
        counted = rows.aggregate(parts=Count("id"), since=Min("created_at"), last=Max("updated_at"))
        first = rows.order_by("position", "id").with_names().first()
        if first is None or document_of(first) is None:
            raise NotFoundError("no such document")
        summary = _summary(first, counted, forgettable=rows.filter(may_forget_q(actor)).exists())
        parts = rows.order_by("position", "id")[:MAX_PARTS_LISTED]
        listed = [ListedPart(row.id, document_label(row), row.status) for row in parts]
        return DocumentDetail(summary, listed)


@dataclass(frozen=True, slots=True)
class ForgetDocumentResult:
    """forgotten: how many parts; kept: those that the asker reads and may not forget."""

    forgotten: int
    kept: int


def forget_document(actor: Actor, document_id: UUID, *, now: datetime) -> ForgetDocumentResult:
    """Forget all parts of a document that the asker may forget; importing it again brings them
    back. Raises NotFoundError if the asker reads none."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = document_rows(principal, document_id)
        rows = rows.for_people() if actor.is_person else rows
        ids = list(rows.order_by("id").values_list("id", flat=True))
    if not ids:
        raise NotFoundError("no such document")
    forgotten = sum(
        len(forget_parts(actor, ids[start : start + BATCH], now=now))
        for start in range(0, len(ids), BATCH)
    )
    return ForgetDocumentResult(forgotten, len(ids) - forgotten)


def forget_parts(actor: Actor, ids: Sequence[UUID], *, now: datetime) -> list[UUID]:
    """Forget those of these parts that the actor may forget and no red line protects. Returns their
    ids. Not as their subject: what comes again with the document is remembered again."""
    if not ids:
        return []
    principal = resolve_principal(actor)
    with principal.scope():
        rows = list(
            Memory.objects.filter(organisation_id=principal.organisation_id, id__in=ids)
            .filter(may_forget_q(actor))
            .filter(red_line_allows_q(actor))
            .exclude(status=Status.FORGOTTEN)
            .select_for_update(of=("self",))
            .order_by("id")
        )
        forget_memories(rows, now, by_subject=False, actor=actor)
        record_memory_audits(principal, "memory.forgotten", {row: {} for row in rows}, now)
    return [row.id for row in rows]
