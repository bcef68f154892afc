"""Personas as members look at them: the list, one with its block, what waits for a decision."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, OuterRef, Subquery, TextField
from django.db.models.functions import Cast

from memories.access.reader_sentences import AudienceSentence
from memories.access.readers import readers_in
from orgs.database.rls import organisation_scope
from orgs.errors import NotFound
from orgs.models.audiences import Audience, AudienceKind
from orgs.organisations.references import storable
from orgs.principals import Actor, Principal, resolve
from personas.associations.associate import known_to
from personas.block_writes.write import may_write
from personas.blocks.blocks import BlockView, readable_personas, view
from personas.blocks.entries import standing
from personas.models.blocks import Block, Layer
from personas.models.personas import Association, Persona
from personas.registry.personas import known_personas

PAGE, MOST_WAITING = 50, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPersona:
    """A persona with `members`, how many have it.

    mine: that the asker has it, or is said to. entries: of its block; None where the asker does
    not read that.
    """

    persona: Persona
    mine: Association | None = None
    entries: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaPage:
    """A persona with its block and who reads that; both None where the asker does not.

    writes: whether the asker may change the block's text.
    """

    persona: Persona
    mine: Association | None = None
    block: BlockView | None = None
    readers: AudienceSentence | None = None
    audience: UUID | None = None
    writes: bool = False


def personas_listed(
    actor: Actor, *, now: datetime, after: str = ""
) -> tuple[list[ListedPersona], str]:
    """(a page of personas by handle, the handle after which the next page begins)."""
    principal = resolve(actor)
    with principal.scope():
        rows = known_personas(actor.organisation_id).order_by("handle")
        found = list(rows.filter(handle__gt=storable(after))[: PAGE + 1])
        page = found[:PAGE]
        ids = [row.id for row in page]
        mine = _mine(actor, ids)
        counted = entries_counted(principal, ids, now)
    listed = [
        ListedPersona(persona=row, mine=mine.get(row.id), entries=counted.get(row.id))
        for row in page
    ]
    return listed, page[-1].handle if len(found) > PAGE else ""


def persona_page(actor: Actor, handle: str, *, organisation: str, now: datetime) -> PersonaPage:
    """The page of one persona. Raises NotFound."""
    principal = resolve(actor)
    tenant = {"organisation_id": actor.organisation_id}
    with principal.scope():
        persona = known_personas(**tenant).filter(handle=storable(handle)).first()
        if persona is None:
            raise NotFound("no such persona")
        mine = _mine(actor, [persona.id]).get(persona.id)
        audience_id = readable_personas(principal).get(persona.id)
        if audience_id is None:
            return PersonaPage(persona=persona, mine=mine)
        block = Block.objects.get(**tenant, layer=Layer.SHARED, persona_id=persona.id)
        block.persona = persona
        place = Audience(id=audience_id, **tenant, kind=AudienceKind.PERSONA, key=str(persona.id))
        return PersonaPage(
            persona=persona,
            mine=mine,
            block=view(principal, block, now),
            readers=readers_in(principal, [place], organisation)[audience_id],
            audience=audience_id,
            writes=may_write(principal, block),
        )


def waiting(actor: Actor) -> list[Association]:
    """Associations that wait for confirmation, oldest first.

    A member sees their own, a curator everybody's.
    """
    with organisation_scope(actor.organisation_id):
        rows = known_to(actor).filter(confirmed_at=None).order_by("discovered_at", "id")
        return list(rows[:MOST_WAITING])


def standing_for(persona: str, organisation_id: UUID, now: datetime) -> Subquery:
    """A subquery: the number of entries that the asker reads of the persona of the outer row.

    Use it inside the principal's scope. It is 0 also if the asker does not read the block.
    """
    theirs = standing(organisation_id, now).filter(
        audience__kind=AudienceKind.PERSONA,
        audience__key=Cast(OuterRef(persona), TextField()),
    )
    counted = theirs.order_by().values("audience_id").annotate(entries=Count("id"))
    return Subquery(counted.values("entries"))


def entries_counted(
    principal: Principal, personas: Iterable[UUID], now: datetime
) -> dict[UUID, int]:
    """By persona, the number of entries of its block; only for blocks that the asker reads.

    Call inside the principal's scope.
    """
    wanted = set(personas)
    places = {id_: key for key, id_ in readable_personas(principal).items() if key in wanted}
    if not places:
        return {}
    rows = standing(principal.organisation_id, now).filter(audience_id__in=places)
    counted = rows.order_by().values("audience_id").annotate(entries=Count("id"))
    found = dict(counted.values_list("audience_id", "entries"))
    return {key: found.get(id_, 0) for id_, key in places.items()}


def _mine(actor: Actor, personas: Iterable[UUID]) -> dict[UUID, Association]:
    rows = Association.objects.filter(
        organisation_id=actor.organisation_id,
        member_id=actor.member_id,  # type: ignore[misc]  # a person has one
        persona_id__in=list(personas),
    )
    return {row.persona_id: row for row in rows.select_related("proposed_by")}
