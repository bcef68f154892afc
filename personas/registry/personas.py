"""Personas: made, found and changed. Everyone in the organisation may know them.

A persona is made together with its audiences and its shared block.
"""

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, ReferenceNotFoundError
from orgs.models.audiences import AudienceType
from orgs.models.memberships import sharing_q
from orgs.models.organisations import Organisation
from orgs.organisations.audience_rows import ensure_audience
from orgs.organisations.references import require_storable
from orgs.principals import Actor, resolve_principal
from personas.blocks.block_views import ensure_global_block
from personas.models.blocks import Block, Layer
from personas.models.personas import Persona
from personas.registry.handles import Handle, handle_part_label, parse_handle

log = logging.getLogger("commonmind.personas")

SHIPPED_FILE = Path(__file__).parent / "shipped_v1.json"
HAS_MEMORIES = "Memories are kept for this persona. Forget them, or share them elsewhere, first."
CURATORS_ONLY = "Only a curator or an admin describes personas."
DESCRIPTION_FIELDS = ("industry", "role", "description", "kpis", "motivations", "queries")


@cache
def load_shipped_personas() -> list[dict[str, Any]]:
    """The columns of the personas that every organisation starts with."""
    found: list[dict[str, Any]] = json.loads(SHIPPED_FILE.read_text(encoding="utf-8"))
    return found


def create_shipped_personas(organisation: Organisation, now: datetime) -> None:
    """Add the shipped personas and the block for everybody; call inside the organisation's
    scope."""
    ensure_global_block(organisation.id, now)
    for one in load_shipped_personas():
        ensure_persona(organisation.id, parse_handle(one["handle"]), now, described=one)


def ensure_persona(
    organisation_id: UUID,
    handle: Handle,
    now: datetime,
    *,
    described: Mapping[str, Any] | None = None,
) -> tuple[Persona, bool]:
    """The persona of this handle, made with its audiences and block if need be.

    Returns it and whether it is new. Of several calls at once one makes it: constraints allow one
    row for the handle and the block. Call inside the organisation's scope.
    """
    tenant = {"organisation_id": organisation_id}
    persona = Persona.objects.filter(**tenant, handle=handle.text).first()
    if persona is not None:
        return persona, False
    words = {"industry": handle_part_label(handle.industry), "role": handle_part_label(handle.role)}
    words |= {
        name: value for name, value in (described or {}).items() if name in DESCRIPTION_FIELDS
    }
    fresh = Persona(
        **tenant,
        handle=handle.text,
        industry_key=handle.industry,
        role_key=handle.role,
        created_at=now,
        **words,
    )
    Persona.objects.bulk_create([fresh], ignore_conflicts=True)
    persona = Persona.objects.get(**tenant, handle=handle.text)
    ensure_audience(organisation_id, AudienceType.PERSONA, str(persona.id))
    ensure_audience(organisation_id, AudienceType.INDUSTRY, persona.industry_key)
    ensure_audience(organisation_id, AudienceType.ROLE, persona.role_key)
    block = Block(**tenant, layer=Layer.SHARED, persona_id=persona.id, created_at=now)
    Block.objects.bulk_create([block], ignore_conflicts=True)
    new = persona.id == fresh.id
    if new:
        log.info(
            "block made",
            extra={
                "organisation": str(organisation_id),
                "persona": str(persona.id),
                "layer": block.layer,
            },
        )
    return persona, new


def has_persona(organisation_id: UUID, handle: Handle) -> bool:
    """Whether the persona is there; call inside the organisation's scope."""
    return Persona.objects.filter(organisation_id=organisation_id, handle=handle.text).exists()


def get_persona(organisation_id: UUID, handle: str) -> Persona:
    """By its handle. Raises NotFoundError; call inside the organisation's scope."""
    found = Persona.objects.filter(
        organisation_id=organisation_id, handle=require_storable(handle)
    ).first()
    if found is None:
        raise ReferenceNotFoundError("persona", handle)
    return found


def personas_with_counts(organisation_id: UUID) -> "QuerySet[Persona]":
    """All personas, with `members`: how many have it and share; call inside the scope."""
    has = Q(associations__confirmed_at__isnull=False) & sharing_q("associations__member__")
    rows = Persona.objects.filter(organisation_id=organisation_id)
    return rows.annotate(members=Count("associations", filter=has))


def get_persona_with_counts(actor: Actor, handle: str) -> Persona:
    """One of `personas_with_counts`. Raises NotFoundError."""
    with organisation_scope(actor.organisation_id):
        found = (
            personas_with_counts(actor.organisation_id)
            .filter(handle=require_storable(handle))
            .first()
        )
    if found is None:
        raise ReferenceNotFoundError("persona", handle)
    return found


def delete_persona(actor: Actor, handle: str, *, now: datetime) -> None:
    """Remove a persona without memories, with its associations and its block; for curators.

    Raises PermissionError, NotFoundError, and AlreadyExistsError while its audience has memories
    that are not forgotten.
    """
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY)
    principal = resolve_principal(actor)
    with principal.scope():
        persona = get_persona(actor.organisation_id, handle)
        # Writers hold the lock of the block, so this waits for them.
        blocks = Block.objects.filter(organisation_id=actor.organisation_id, persona_id=persona.id)
        list(blocks.select_for_update(of=("self",)))
        kept = Memory.objects.filter(
            organisation_id=actor.organisation_id,
            audience__kind=AudienceType.PERSONA,
            audience__key=str(persona.id),
        )
        if kept.exclude(status=Status.FORGOTTEN).exists():
            raise AlreadyExistsError(HAS_MEMORIES)
        persona.delete()
        audit.record_entry(
            "persona.removed", actor=actor, now=now, target=persona.id, target_type="persona"
        )


def create_or_update_persona(
    actor: Actor, handle: str, fields: Mapping[str, Any], *, now: datetime
) -> tuple[Persona, bool]:
    """Make a persona, or change its description; for curators. Returns it and whether it is new.

    fields: names in DESCRIBED. Raises PermissionError and InvalidHandleError.
    """
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY)
    parsed = parse_handle(handle)
    with organisation_scope(actor.organisation_id):
        persona, made = ensure_persona(actor.organisation_id, parsed, now, described=fields)
        changed = {
            name: value
            for name, value in fields.items()
            if name in DESCRIPTION_FIELDS and getattr(persona, name) != value
        }
        if changed:
            rows = Persona.objects.filter(organisation_id=actor.organisation_id, id=persona.id)
            rows.update(**changed)
        if made or changed:
            audit.record_entry(
                "persona.made" if made else "persona.described",
                actor=actor,
                now=now,
                target=persona.id,
                target_type="persona",
                fields=sorted(changed),
            )
    return get_persona_with_counts(actor, handle), made
