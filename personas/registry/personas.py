"""Personas: made, found and changed. Everyone in the organisation may know them.

A persona is made together with its audiences and its shared block.
"""

import json
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
from orgs.errors import AlreadyExists, NotFound
from orgs.models.audiences import AudienceKind
from orgs.models.organisations import Organisation
from orgs.organisations.audiences import ensure_audience
from orgs.organisations.organisations import on_organisation_created
from orgs.organisations.references import storable
from orgs.principals import Actor, resolve
from personas.models.blocks import Block, Layer
from personas.models.personas import Persona
from personas.registry.handles import Handle, parse, title

SHIPPED = Path(__file__).parent / "shipped_v1.json"
STILL_KEPT = "Memories are kept for this persona. Forget them, or share them elsewhere, first."
CURATORS_ONLY = "Only a curator or an admin describes personas."
DESCRIBED = ("industry", "role", "description", "kpis", "motivations", "queries")


@cache
def shipped() -> list[dict[str, Any]]:
    """The columns of the personas that every organisation starts with."""
    found: list[dict[str, Any]] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return found


@on_organisation_created
def add_shipped(organisation: Organisation, now: datetime) -> None:
    """Add the shipped personas; call inside the organisation's scope."""
    for one in shipped():
        ensure_persona(organisation.id, parse(one["handle"]), now, described=one)


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
    words = {"industry": title(handle.industry), "role": title(handle.role)}
    words |= {name: value for name, value in (described or {}).items() if name in DESCRIBED}
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
    ensure_audience(organisation_id, AudienceKind.PERSONA, str(persona.id))
    ensure_audience(organisation_id, AudienceKind.INDUSTRY, persona.industry_key)
    ensure_audience(organisation_id, AudienceKind.ROLE, persona.role_key)
    block = Block(**tenant, layer=Layer.SHARED, persona_id=persona.id, created_at=now)
    Block.objects.bulk_create([block], ignore_conflicts=True)
    return persona, persona.id == fresh.id


def knows_handle(organisation_id: UUID, handle: Handle) -> bool:
    """Whether the persona is there; call inside the organisation's scope."""
    return Persona.objects.filter(organisation_id=organisation_id, handle=handle.text).exists()


def find_persona(organisation_id: UUID, handle: str) -> Persona:
    """By its handle. Raises NotFound; call inside the organisation's scope."""
    found = Persona.objects.filter(organisation_id=organisation_id, handle=storable(handle)).first()
    if found is None:
        raise NotFound("no such persona")
    return found


def known_personas(organisation_id: UUID) -> "QuerySet[Persona]":
    """All personas, with `members`: how many have it and share; call inside the scope."""
    has = Q(
        associations__confirmed_at__isnull=False,
        associations__member__sharing_off_at=None,
        associations__member__removed_at=None,
    )
    rows = Persona.objects.filter(organisation_id=organisation_id)
    return rows.annotate(members=Count("associations", filter=has))


def persona_shown(actor: Actor, handle: str) -> Persona:
    """One of `known_personas`. Raises NotFound."""
    with organisation_scope(actor.organisation_id):
        found = known_personas(actor.organisation_id).filter(handle=storable(handle)).first()
    if found is None:
        raise NotFound("no such persona")
    return found


def remove_persona(actor: Actor, handle: str, *, now: datetime) -> None:
    """Remove a persona without memories, with its associations and its block; for curators.

    Raises PermissionError, NotFound, and AlreadyExists while its audience has memories that are not
    forgotten.
    """
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY)
    principal = resolve(actor)
    with principal.scope():
        persona = find_persona(actor.organisation_id, handle)
        # Writers hold the lock of the block, so this waits for them.
        blocks = Block.objects.filter(organisation_id=actor.organisation_id, persona_id=persona.id)
        list(blocks.select_for_update(of=("self",)))
        kept = Memory.objects.filter(
            organisation_id=actor.organisation_id,
            audience__kind=AudienceKind.PERSONA,
            audience__key=str(persona.id),
        )
        if kept.exclude(status=Status.FORGOTTEN).exists():
            raise AlreadyExists(STILL_KEPT)
        persona.delete()
        audit.record(
            "persona.removed", actor=actor, now=now, target=persona.id, target_type="persona"
        )


def describe_persona(
    actor: Actor, handle: str, fields: Mapping[str, Any], *, now: datetime
) -> tuple[Persona, bool]:
    """Make a persona, or change its description; for curators. Returns it and whether it is new.

    fields: names in DESCRIBED. Raises PermissionError and BadHandle.
    """
    if not actor.moderates:
        raise PermissionError(CURATORS_ONLY)
    parsed = parse(handle)
    with organisation_scope(actor.organisation_id):
        persona, made = ensure_persona(actor.organisation_id, parsed, now, described=fields)
        changed = {
            name: value
            for name, value in fields.items()
            if name in DESCRIBED and getattr(persona, name) != value
        }
        if changed:
            rows = Persona.objects.filter(organisation_id=actor.organisation_id, id=persona.id)
            rows.update(**changed)
        if made or changed:
            audit.record(
                "persona.made" if made else "persona.described",
                actor=actor,
                now=now,
                target=persona.id,
                target_type="persona",
                fields=sorted(changed),
            )
    return persona_shown(actor, handle), made
