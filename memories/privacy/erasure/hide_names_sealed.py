"""Hide names in encrypted texts, which the database cannot search."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from memories.privacy.erasure.erasure_run import BATCH_SIZE, WORKER, ErasureRun
from memories.privacy.erasure.name_terms import NameTerms
from memories.store.encryption.texts import UndecryptableText, encrypt
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.rls import organisation_scope

HideInMemories = Callable[[ErasureRun, Sequence[UUID], NameTerms], None]

_SEALED_SQL = """
SELECT m.id FROM memories_memory m WHERE m.organisation_id = %(organisation)s
    AND m.sealed IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memories_tombstone s
        WHERE s.organisation_id = m.organisation_id AND s.target = m.id)
ORDER BY m.id
"""


def hide_in_sealed(running: ErasureRun, terms: NameTerms, hide: HideInMemories) -> dict[str, int]:
    """Decrypt every text that stays, and rewrite those that contain a term.

    hide: called for such memories. Texts without a key are counted as `unreadable`.
    """
    ids = [id_ for (id_,) in running.rows(_SEALED_SQL)]
    counts = {"memories_memory": 0, "memories_version": 0, "unreadable": 0}
    for start in range(0, len(ids), BATCH_SIZE):
        portion = ids[start : start + BATCH_SIZE]
        with organisation_scope(running.organisation_id, using=WORKER):
            rows = list(Memory.objects.using(WORKER).filter(id__in=portion))
            counts["unreadable"] += sum(_is_undecryptable(row) for row in rows)
            named = [
                row.id for row in rows if not _is_undecryptable(row) and _contains_term(row, terms)
            ]
            counts["memories_version"] += _hide_in_versions(portion, terms)
        if named:
            hide(running, named, terms)
            counts["memories_memory"] += len(named)
    return {name: number for name, number in counts.items() if number}


def _hide_in_versions(ids: Sequence[UUID], terms: NameTerms) -> int:
    rows: Any = Version.objects.using(WORKER).filter(memory_id__in=ids, sealed__isnull=False)
    found = [row for row in rows if not _is_undecryptable(row) and _contains_term(row, terms)]
    for row in found:
        sealed = encrypt(
            terms.hidden(row.content),
            organisation_id=row.organisation_id,
            memory_id=row.memory_id,
        )
        Version.objects.using(WORKER).filter(id=row.id).update(sealed=sealed)
    return len(found)


def _is_undecryptable(row: Any) -> bool:
    return isinstance(row.content, UndecryptableText)


def _contains_term(row: Any, terms: NameTerms) -> bool:
    return bool(terms.hidden(row.content) != row.content)
