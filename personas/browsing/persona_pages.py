"""Personas as members look at them: the list, one with its block, what waits for a decision."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, OuterRef, Subquery, TextField
from django.db.models.functions import Cast

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import load_audience_summaries
from orgs.database.rls import organisation_scope
from orgs.errors import NotFoundError
from orgs.models.audiences import Audience, AudienceType
from orgs.organisations.references import require_storable
from orgs.principals import Actor, Principal, resolve_principal
from personas.associations.association_changes import visible_associations
from personas.block_writes.block_updates import may_write
from personas.blocks.block_views import (
    BlockView,
    build_view,
    find_global_view,
    readable_persona_audiences,
)
from personas.blocks.entries import entry_memories
from personas.models.blocks import Block, Layer
from personas.models.personas import Association, Persona
from personas.registry.personas import personas_with_counts

PAGE_SIZE, MAX_PENDING = 50, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaListItem:
    """A persona with `members`, how many have it.

    mine: that the asker has it, or is said to. entries: of its block; None where the asker does
    not read that.
    """

    persona: Persona
    mine: Association | None = None
    entries: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaDetails:
    """A persona with its block and who reads that; both None where the asker does not.

    writes: whether the asker may change the block's text.
    """

    persona: Persona
    mine: Association | None = None
    block: BlockView | None = None
    readers: AudienceSummary | None = None
    audience: UUID | None = None
    writes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaListPage:
    """last: the handle after which the next page begins; empty on the last. everybody: the block of
    what was learned for everybody, on the first page of those who read it."""

    personas: list[PersonaListItem]
    last: str
    everybody: BlockView | None


def list_personas_page(actor: Actor, *, now: datetime, after: str = "") -> PersonaListPage:
    """A page of personas by handle."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = personas_with_counts(actor.organisation_id).order_by("handle")
        found = list(rows.filter(handle__gt=require_storable(after))[: PAGE_SIZE + 1])
        page = found[:PAGE_SIZE]
        ids = [row.id for row in page]
        mine = _own_associations(actor, ids)
        counted = count_entries(principal, ids, now)
        everybody = None if after else find_global_view(principal, now)
    listed = [
        PersonaListItem(persona=row, mine=mine.get(row.id), entries=counted.get(row.id))
        for row in page
    ]
    last = page[-1].handle if len(found) > PAGE_SIZE else ""
    return PersonaListPage(personas=listed, last=last, everybody=everybody)


def get_persona_details(
    actor: Actor, handle: str, *, organisation: str, now: datetime
) -> PersonaDetails:
    """The page of one persona. Raises NotFoundError."""
    principal = resolve_principal(actor)
    tenant = {"organisation_id": actor.organisation_id}
    with principal.scope():
        persona = personas_with_counts(**tenant).filter(handle=require_storable(handle)).first()
        if persona is None:
            raise NotFoundError("no such persona")
        mine = _own_associations(actor, [persona.id]).get(persona.id)
        audience_id = readable_persona_audiences(principal).get(persona.id)
        if audience_id is None:
            return PersonaDetails(persona=persona, mine=mine)
        block = Block.objects.get(**tenant, layer=Layer.SHARED, persona_id=persona.id)
        block.persona = persona
        place = Audience(id=audience_id, **tenant, kind=AudienceType.PERSONA, key=str(persona.id))
        return PersonaDetails(
            persona=persona,
            mine=mine,
            block=build_view(principal, block, now),
            readers=load_audience_summaries(principal, [place], organisation)[audience_id],
            audience=audience_id,
            writes=may_write(principal, block),
        )


def list_pending_associations(actor: Actor) -> list[Association]:
    """Associations that wait for confirmation, oldest first.

    A member sees their own, a curator everybody's.
    """
    with organisation_scope(actor.organisation_id):
        rows = visible_associations(actor).filter(confirmed_at=None).order_by("discovered_at", "id")
        return list(rows[:MAX_PENDING])


def entry_count_subquery(persona: str, organisation_id: UUID, now: datetime) -> Subquery:
    """A subquery: the number of entries that the asker reads of the persona of the outer row.

    Use it inside the principal's scope. It is 0 also if the asker does not read the block.
    """
    theirs = entry_memories(organisation_id, now).filter(
        audience__kind=AudienceType.PERSONA,
        audience__key=Cast(OuterRef(persona), TextField()),
    )
    counted = theirs.order_by().values("audience_id").annotate(entries=Count("id"))
    return Subquery(counted.values("entries"))


def count_entries(principal: Principal, personas: Iterable[UUID], now: datetime) -> dict[UUID, int]:
    """By persona, the number of entries of its block; only for blocks that the asker reads.

    Call inside the principal's scope.
    """
    wanted = set(personas)
    places = {
        id_: key for key, id_ in readable_persona_audiences(principal).items() if key in wanted
    }
    if not places:
        return {}
    rows = entry_memories(principal.organisation_id, now).filter(audience_id__in=places)
    counted = rows.order_by().values("audience_id").annotate(entries=Count("id"))
    found = dict(counted.values_list("audience_id", "entries"))
    return {key: found.get(id_, 0) for id_, key in places.items()}


def _own_associations(actor: Actor, personas: Iterable[UUID]) -> dict[UUID, Association]:
    rows = Association.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # a person has one
        persona_id__in=list(personas),
    )
    return {row.persona_id: row for row in rows.select_related("proposed_by")}
