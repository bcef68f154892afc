"""Rows and entries that are made without the ORM's detours are the same rows and entries."""

from uuid import uuid4

import pytest

from memories.store.models.memory import Memory
from orgs import audit
from orgs.database.bulk_insert import build_row, insert_rows
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.base import new_id
from tests.world import NOW, World


def test_a_new_row_is_what_the_model_makes() -> None:
    given = {"organisation_id": uuid4(), "audience_id": uuid4(), "content": "Tea.", "tags": ["a"]}
    given |= {"created_at": NOW, "updated_at": NOW, "id": new_id()}
    made, wanted = build_row(Memory, **given), Memory(**given)
    assert made._state.adding
    for field in Memory._meta.concrete_fields:
        assert getattr(made, field.attname) == getattr(wanted, field.attname), field.attname


def test_what_is_made_for_a_row_is_its_own() -> None:
    one, other = build_row(Memory), build_row(Memory)
    assert one.id != other.id
    one.tags.append("a")
    one.metadata["b"] = 1
    assert (other.tags, other.metadata, build_row(Memory).tags) == ([], {}, [])


def test_a_row_has_no_other_columns() -> None:
    with pytest.raises(TypeError, match="no audience, colour"):
        build_row(Memory, audience=uuid4(), colour="red")


def test_entries_in_one_statement_are_those_that_are_written_one_by_one(world: World) -> None:
    here, targets = world.here, {new_id(): {"found": {"e_mail": 2}}, new_id(): {}}
    actor = here.robot("aria")
    written = ("at", "action", "member", "robot", "staff", "target_type", "target", "detail")
    with organisation_scope(here.id):
        audit.record_entries(
            "gate.held", actor=actor, now=NOW, target_type="memory", targets=targets
        )
        together = list(AuditEntry.objects.filter(target__in=targets).values_list(*written))
        assert AuditEntry.objects.filter(target__in=targets).values("id").distinct().count() == 2
        for target, detail in targets.items():
            audit.record_entry(
                "gate.held", actor=actor, now=NOW, target_type="memory", target=target, **detail
            )
        every = list(AuditEntry.objects.filter(target__in=targets).values_list(*written))
    assert sorted(map(repr, every)) == sorted(map(repr, [*together, *together]))


def test_no_targets_are_no_entries(world: World) -> None:
    with organisation_scope(world.here.id):
        before = AuditEntry.objects.count()
        audit.record_entries(
            "gate.held", actor=world.here.robot("aria"), now=NOW, target_type="memory", targets={}
        )
        insert_rows([])
        assert AuditEntry.objects.count() == before
