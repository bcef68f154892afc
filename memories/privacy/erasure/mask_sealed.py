"""Hide names in encrypted texts, which the database cannot search."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from memories.privacy.erasure.names import NameTerms
from memories.privacy.erasure.run_state import BATCH, WORKER, Running
from memories.store.encryption.texts import Undecryptable, encrypt
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.rls import organisation_scope

Hide = Callable[[Running, Sequence[UUID], NameTerms], None]

_SEALED = """
SELECT m.id FROM memories_memory m WHERE m.organisation_id = %(organisation)s
    AND m.sealed IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories_tombstone s
        WHERE s.organisation_id = m.organisation_id AND s.target = m.id)
ORDER BY m.id
"""


def hide_in_sealed(running: Running, terms: NameTerms, hide: Hide) -> dict[str, int]:
    """Decrypt every text that stays, and rewrite those that contain a term.

    hide: called for such memories. Texts without a key are counted as `unreadable`.
    """
    ids = [id_ for (id_,) in running.rows(_SEALED)]
    counts = {"memories_memory": 0, "memories_version": 0, "unreadable": 0}
    for start in range(0, len(ids), BATCH):
        portion = ids[start : start + BATCH]
        with organisation_scope(running.organisation_id, using=WORKER):
            rows = list(Memory.objects.using(WORKER).filter(id__in=portion))
            counts["unreadable"] += sum(_is_closed(row) for row in rows)
            named = [row.id for row in rows if not _is_closed(row) and _names(row, terms)]
            counts["memories_version"] += _hide_in_versions(portion, terms)
        if named:
            hide(running, named, terms)
            counts["memories_memory"] += len(named)
    return {name: number for name, number in counts.items() if number}


def _hide_in_versions(ids: Sequence[UUID], terms: NameTerms) -> int:
    rows: Any = Version.objects.using(WORKER).filter(memory_id__in=ids, sealed__isnull=False)
    found = [row for row in rows if not _is_closed(row) and _names(row, terms)]
    for row in found:
        sealed = encrypt(
            terms.hidden(row.content),
            organisation_id=row.organisation_id,
            memory_id=row.memory_id,
        )
        Version.objects.using(WORKER).filter(id=row.id).update(sealed=sealed)
    return len(found)


def _is_closed(row: Any) -> bool:
    return isinstance(row.content, Undecryptable)


def _names(row: Any, terms: NameTerms) -> bool:
    return bool(terms.hidden(row.content) != row.content)
