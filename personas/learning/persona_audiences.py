"""The audiences and shared blocks of an organisation's personas, and those of everybody."""

from dataclasses import dataclass
from uuid import UUID

from orgs.database.rls import organisation_scope
from orgs.models.audiences import Audience, AudienceType
from personas.blocks.block_views import GLOBAL_AUDIENCE
from personas.blocks.layers import block_label
from personas.models.blocks import Block, Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaAudience:
    """A persona with its audience and its block."""

    persona_id: UUID
    handle: str
    industry: str
    role: str
    industry_key: str
    role_key: str
    audience_id: UUID
    block_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedBlock:
    """A block that several people read, under its label, with its audience."""

    label: str
    audience_id: UUID
    block_id: UUID


def list_shared_blocks(organisation_id: UUID) -> list[SharedBlock]:
    """The blocks of all personas by handle, and last global_experience."""
    found = [
        SharedBlock(
            label=block_label(Layer.SHARED, place.handle),
            audience_id=place.audience_id,
            block_id=place.block_id,
        )
        for place in list_persona_audiences(organisation_id)
    ]
    kind, key = GLOBAL_AUDIENCE
    with organisation_scope(organisation_id):
        audiences = Audience.objects.filter(organisation_id=organisation_id, kind=kind, key=key)
        blocks = Block.objects.filter(organisation_id=organisation_id, layer=Layer.GLOBAL)
        rows = zip(
            audiences.values_list("id", flat=True), blocks.values_list("id", flat=True), strict=True
        )
        label = block_label(Layer.GLOBAL, "")
        found += [SharedBlock(label=label, audience_id=a, block_id=b) for a, b in rows]
    return found


def list_persona_audiences(organisation_id: UUID) -> list[PersonaAudience]:
    """Every persona of the organisation, by handle.

    It uses the application's connection, because the worker's role may not read `Audience.key`.
    """
    with organisation_scope(organisation_id):
        audiences = Audience.objects.filter(
            organisation_id=organisation_id, kind=AudienceType.PERSONA
        )
        of = {key: id_ for id_, key in audiences.values_list("id", "key")}
        blocks = Block.objects.filter(organisation_id=organisation_id, layer=Layer.SHARED)
        rows = list(blocks.select_related("persona").order_by("persona__handle"))
    return [
        PersonaAudience(
            persona_id=row.persona.id,
            handle=row.persona.handle,
            industry=row.persona.industry,
            role=row.persona.role,
            industry_key=row.persona.industry_key,
            role_key=row.persona.role_key,
            audience_id=of[str(row.persona.id)],
            block_id=row.id,
        )
        for row in rows
        if row.persona and str(row.persona.id) in of
    ]
