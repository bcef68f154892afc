"""What the import of a document would bring: a plan, by which it is then done."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal
from uuid import UUID, uuid5

from django.utils.crypto import salted_hmac

from memories.access.visibility import MemoryRequestError
from memories.ingestion.documents.document_parts import Part
from memories.ingestion.documents.read_document import ReadDocument
from memories.ingestion.drafts import Draft
from memories.ingestion.placement import PlacementResolver
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.speakers.document_source import (
    DOCUMENT_KEY,
    document_conversation,
    is_document_part_q,
)
from orgs.database.rls import organisation_scope
from orgs.principals import Actor, Principal

VISIBILITIES = ("private", "group", "organisation", "internal")
MAX_EXAMPLES, MAX_EXAMPLE_CHARACTERS = 10, 200
MAX_LABEL, MAX_TOPIC = 300, 300
# Documents are told apart by their readers and their key, so that whoever imports one for the same
# readers again replaces it, and nobody gives it other readers by that.
_NAMESPACE = UUID("5f0c1d0e-3a52-4a7e-9f3e-0d1f5e6c7a11")
# Stands for the job while nothing is written.
NO_JOB = UUID(int=0)

Operation = Literal["add", "edit", "move", "forget"]


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """How a document is imported. key: by which it is known again; empty for its name.
    visibility: one of VISIBILITIES; group, member: as in a remember."""

    key: str = ""
    visibility: str = ""
    group: str | None = None
    member: str | None = None

    def as_parameters(self) -> dict[str, Any]:
        """For the job."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Step:
    """One change. part: the index of the new part; memory: of the old one."""

    act: Operation
    part: int | None = None
    memory: UUID | None = None


@dataclass(frozen=True, slots=True)
class PartExample:
    """A part as it would be remembered."""

    place: str
    text: str


@dataclass(slots=True)
class DocumentPlan:
    """What an import would do.

    id: of the document; audience_kind, audience_label: who reads it; proposed: it waits for those
    who curate. again: whether it is there already. Numbers of parts: added, changed, unchanged
    (moved: those of them that stand at another page or below another heading), vanished ones,
    which are forgotten. edited, overwritten: of the unchanged and of the changed ones, those whose
    words somebody edited since, which stay so and are replaced. hidden, repeated: see
    `ReadDocument`. elsewhere: whether the asker reads a document of this name that has other
    readers, which stays as it is.
    """

    id: UUID
    name: str
    format: str
    audience_kind: str
    audience_label: str
    proposed: bool
    parts: int
    again: bool = False
    added: int = 0
    changed: int = 0
    overwritten: int = 0
    unchanged: int = 0
    edited: int = 0
    moved: int = 0
    vanished: int = 0
    hidden: int = 0
    repeated: int = 0
    elsewhere: bool = False
    examples: list[PartExample] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def plan_document(
    actor: Actor, found: ReadDocument, request: DocumentRequest, *, now: datetime
) -> DocumentPlan:
    """Compare a document with what the asker reads of it. Nothing is written.

    Raises what placing a memory raises: NotFoundError, MemoryRequestError, PermissionError and
    others.
    """
    request = with_visibility(actor, request)
    with organisation_scope(actor.organisation_id):
        placer = PlacementResolver(actor, now)
        placement = placer.place(sample_draft(found.name, request))
    target = placement.proposed_audience_id or placement.audience_id
    plan = DocumentPlan(
        id=document_id(actor.organisation_id, target, request.key or found.name),
        name=found.name,
        format=found.format,
        audience_kind=placement.audience_kind,
        audience_label=placement.audience_label,
        proposed=placement.proposed_audience_id is not None,
        parts=len(found.parts),
        hidden=found.hidden,
        repeated=found.repeated,
        examples=[
            PartExample(part.location, " ".join(part.text.split())[:MAX_EXAMPLE_CHARACTERS])
            for part in found.parts[:MAX_EXAMPLES]
        ],
    )
    with placement.principal.scope():
        before = list(document_rows(placement.principal, plan.id).order_by("position", "id"))
        plan.elsewhere = (
            all_parts(placement.principal)
            .filter(**{f"source__{DOCUMENT_KEY}__name": found.name})
            .exclude(conversation=document_conversation(plan.id))
            .exists()
        )
    _compare(plan, found.parts, before)
    return plan


def with_visibility(actor: Actor, request: DocumentRequest) -> DocumentRequest:
    """The request with its readers: by default one member alone, or the robot itself; never more.
    Raises MemoryRequestError for other readers than a document may have."""
    if request.visibility:
        if request.visibility not in VISIBILITIES:
            raise MemoryRequestError(f"A document is for one of {', '.join(VISIBILITIES)}.")
        return request
    if request.group:
        return DocumentRequest(request.key, "group", request.group, request.member)
    alone = actor.is_person or request.member is not None or actor.own_member_id is not None
    visibility = "private" if alone else "internal"
    return DocumentRequest(request.key, visibility, request.group, request.member)


def sample_draft(name: str, request: DocumentRequest, **more: Any) -> Draft:
    """A draft of a part; by default one that only asks for its readers."""
    given: dict[str, Any] = {
        "content": "a part",
        "visibility": request.visibility,
        "group": request.group,
        "member": request.member,
        "speaker": name,
        "import_job": NO_JOB,
    }
    return Draft(**(given | more))


def document_id(organisation_id: UUID, audience_id: UUID, key: str) -> UUID:
    """The id of a document of these readers."""
    return uuid5(_NAMESPACE, f"{organisation_id}/{audience_id}/{key}")


def all_parts(principal: Principal) -> MemoryQuerySet:
    """The parts of documents that are not forgotten; evaluate inside the scope."""
    return Memory.objects.filter(
        is_document_part_q(), organisation_id=principal.organisation_id
    ).exclude(status=Status.FORGOTTEN)


def document_rows(principal: Principal, id_: UUID) -> MemoryQuerySet:
    """The parts of one document that the principal reads and that are not forgotten."""
    return all_parts(principal).filter(conversation=document_conversation(id_))


def part_digest(id_: UUID, text: str) -> str:
    """By which a part is known again, also if a gate masked a word of it. With a secret, so that
    nobody can try out which word that was."""
    return salted_hmac("document part", f"{id_}\n{text}", algorithm="sha256").hexdigest()[:24]


def part_source(plan_id: UUID, name: str, part: Part) -> dict[str, Any]:
    """The source of the memory of a part."""
    location = f", {part.location}" if part.location else ""
    told: dict[str, Any] = {
        "id": str(plan_id),
        "name": name,
        "label": f"{name}{location}"[:MAX_LABEL],
        "part": part.number,
        "digest": part_digest(plan_id, part.text),
    }
    if part.page is not None:
        told["page"] = part.page
    if part.heading:
        told["heading"] = list(part.heading)
    return {DOCUMENT_KEY: told}


def part_topic(part: Part) -> str:
    """The headings above a part, by whose words it is found too."""
    return " > ".join(part.heading)[:MAX_TOPIC]


def _compare(plan: DocumentPlan, parts: Sequence[Part], before: Sequence[Memory]) -> None:
    """Fill in the steps: equal texts are the same memory wherever they stand; else what stands at
    the same place is."""
    plan.again = bool(before)
    old_by_digest = {_document_source(row).get("digest"): row for row in reversed(before)}
    taken: set[UUID] = set()
    left: list[tuple[int, Part]] = []
    for index, part in enumerate(parts):
        row = old_by_digest.get(part_digest(plan.id, part.text))
        if row is None:
            left.append((index, part))
            continue
        taken.add(row.id)
        plan.unchanged += 1
        plan.edited += _is_edited(row, part)
        if (row.position, row.source) != (index, part_source(plan.id, plan.name, part)):
            plan.moved += _source_position(_document_source(row)) != _part_position(part)
            plan.steps.append(Step("move", index, row.id))
    old_by_place = {
        _source_position(_document_source(row)): row
        for row in reversed(before)
        if row.id not in taken
    }
    for index, part in left:
        row = old_by_place.pop(_part_position(part), None)
        if row is None:
            plan.added += 1
            plan.steps.append(Step("add", index))
        else:
            taken.add(row.id)
            plan.changed += 1
            plan.overwritten += _is_edited(row, part)
            plan.steps.append(Step("edit", index, row.id))
    gone = [row.id for row in before if row.id not in taken]
    plan.vanished = len(gone)
    plan.steps.extend(Step("forget", None, id_) for id_ in gone)


def _is_edited(row: Memory, part: Part) -> bool:
    """Whether somebody edited the words of a part's memory, other than to those of the document."""
    is_reworded = row.reworded_by_id is not None or row.reworded_by_robot_id is not None
    return is_reworded and row.content != part.text


def _document_source(row: Memory) -> Mapping[str, Any]:
    given = row.source.get(DOCUMENT_KEY)
    return given if isinstance(given, dict) else {}


def _source_position(source: Mapping[str, Any]) -> tuple[object, ...]:
    return source.get("page"), tuple(source.get("heading") or ()), source.get("part")


def _part_position(part: Part) -> tuple[object, ...]:
    return part.page, part.heading, part.number


def step_rows(steps: Iterable[Step]) -> list[list[Any]]:
    """Steps as JSON."""
    return [[one.act, one.part, str(one.memory) if one.memory else None] for one in steps]
