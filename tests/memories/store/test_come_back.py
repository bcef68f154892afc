"""What comes back from the trash or the archive has no trace of why it was away."""

from typing import Any

from memories.store.dependents import RESTORED_FIELDS, mark_restored
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from tests.world import NOW


def values(row: Memory) -> dict[str, Any]:
    return {name: value for name, value in vars(row).items() if not name.startswith("_")}


def test_every_field_that_changes_is_saved() -> None:
    row = Memory(
        status=Status.FORGOTTEN,
        forgotten_at=NOW,
        forgotten_by_subject=True,
        archived_at=NOW,
        archived_for="age",
    )
    before = values(row)
    mark_restored(row, Status.PENDING_REVIEW, NOW)
    after = values(row)
    assert {name for name in after if after[name] != before[name]} == set(RESTORED_FIELDS)
    assert (row.status, row.restored_at, row.updated_at) == (Status.PENDING_REVIEW, NOW, NOW)
    assert (row.forgotten_at, row.archived_at, row.archived_for) == (None, None, "")
    assert not row.forgotten_by_subject
