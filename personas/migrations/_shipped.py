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
    organisations = apps.get_model("orgs", "Organisation")
    audiences = apps.get_model("orgs", "Audience")
    personas = apps.get_model("personas", "Persona")
    blocks = apps.get_model("personas", "Block")
    now = timezone.now()
    for table in _OPENED:
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    for organisation in organisations.objects.filter(removed_at=None).values_list("id", flat=True):
        for one in json.loads(SHIPPED.read_text(encoding="utf-8")):
            industry, _, role = one["handle"].partition("_")
            persona = personas.objects.create(
                id=uuid7(), organisation_id=organisation, industry_key=industry, role_key=role,
                created_at=now, **one,
            )
            blocks.objects.create(
                id=uuid7(), organisation_id=organisation, layer="service_experience",
                persona_id=persona.id, created_at=now,
            )
            kinds = [("persona", str(persona.id)), ("industry", industry), ("role", role)]
            for kind, key in kinds:
                audiences.objects.bulk_create(
                    [audiences(id=uuid7(), organisation_id=organisation, kind=kind, key=key)],
                    ignore_conflicts=True,
                )
    for table in _OPENED:
        schema_editor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
