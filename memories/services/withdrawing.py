"""Take memories out of every answer, one or many; call inside a scope that reads them."""

from datetime import datetime

from memories.models import Memory, Status
from memories.services import writing


def take_away(memory: Memory, *, by_subject: bool, now: datetime) -> None:
    """Forget one. by_subject: it does not come back by being remembered again."""
    writing.unindex([memory], now, by_subject=by_subject)
    memory.status, memory.forgotten_at, memory.updated_at = Status.FORGOTTEN, now, now
    memory.forgotten_by_subject = by_subject
    memory.save(update_fields=["status", "forgotten_at", "forgotten_by_subject", "updated_at"])
