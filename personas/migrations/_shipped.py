"""The shipped personas for organisations that are there before this app."""

import json
from pathlib import Path
from typing import Any

from django.utils import timezone
from uuid_utils.compat import uuid7

SHIPPED = Path(__file__).resolve().parents[1] / "registry" / "shipped_v1.json"
# The owner is held to the policies of these, too.
_OPENED = ("orgs_organisation", "orgs_audience")


def add_shipped(apps: Any, schema_editor: Any) -> None:
    """Before the tables of this app have policies, so that they take rows of every organisation."""
    alias = schema_editor.connection.alias
    organisation_rows = apps.get_model("orgs", "Organisation").objects.using(alias)
    audience = apps.get_model("orgs", "Audience")
    persona_rows = apps.get_model("personas", "Persona").objects.using(alias)
    block_rows = apps.get_model("personas", "Block").objects.using(alias)
    now = timezone.now()
    for table in _OPENED:
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    for organisation in organisation_rows.filter(removed_at=None).values_list("id", flat=True):
        for one in json.loads(SHIPPED.read_text(encoding="utf-8")):
            industry, _, role = one["handle"].partition("_")
            persona = persona_rows.create(
                id=uuid7(), organisation_id=organisation, industry_key=industry, role_key=role,
                created_at=now, **one,
            )
            block_rows.create(
                id=uuid7(), organisation_id=organisation, layer="service_experience",
                persona_id=persona.id, created_at=now,
            )
            kinds = [("persona", str(persona.id)), ("industry", industry), ("role", role)]
            for kind, key in kinds:
                audience.objects.using(alias).bulk_create(
                    [audience(id=uuid7(), organisation_id=organisation, kind=kind, key=key)],
                    ignore_conflicts=True,
                )
    for table in _OPENED:
        schema_editor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
