"""Encrypt everything sensitive with the newest key, each batch in a transaction.

A run finds what is left, so the next run finishes one that broke off, and a run with nothing to do
changes nothing. Ciphertexts are renewed in the role of the worker. Sensitive memories that are
still in plain are encrypted in the role of the application, like every act that takes words out of
search.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connections, transaction

from memories.encryption.sensitive_memories import encrypt_memories, encryption_refusal
from memories.store.encryption.keys import load_keyring
from memories.store.encryption.texts import UndecryptableText, content_hashes, encrypt
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs import audit
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.principals import Actor

WORKER = "worker"
BATCH_SIZE = 200
_NIL_ID = UUID(int=0)

# The four bytes after the version are the key's id; see `store.encryption.texts`.
_KEY_ID_SQL = "encode(substring(sealed FROM 2 FOR 4), 'hex')"
_OLD_MEMORIES_SQL = f"""
SELECT id FROM memories_memory WHERE organisation_id = %(organisation)s AND id > %(after)s
    AND sensitive AND sealed IS NOT NULL AND {_KEY_ID_SQL} <> %(newest)s
ORDER BY id LIMIT %(batch)s
"""
_OLD_VERSIONS_SQL = f"""
SELECT id FROM memories_version WHERE organisation_id = %(organisation)s AND id > %(after)s
    AND sealed IS NOT NULL AND {_KEY_ID_SQL} <> %(newest)s
ORDER BY id LIMIT %(batch)s
"""
_KEYS_IN_USE_SQL = f"""
SELECT {_KEY_ID_SQL}, count(*) FROM memories_memory
WHERE organisation_id = %(organisation)s AND sensitive AND sealed IS NOT NULL GROUP BY 1
UNION ALL
SELECT {_KEY_ID_SQL}, count(*) FROM memories_version
WHERE organisation_id = %(organisation)s AND sealed IS NOT NULL GROUP BY 1
"""


@dataclass(slots=True)
class RotationResult:
    """What a run did with an organisation.

    encrypted: sensitive memories that had been in plain. memories, versions: ciphertexts that were
    renewed. unreadable: ciphertexts without a key. refused: sensitive memories that stay in plain,
    see `encryption_refusal`. held: rows by key id afterwards.
    """

    encrypted: int = 0
    memories: int = 0
    versions: int = 0
    unreadable: int = 0
    refused: int = 0
    held: Counter[str] = field(default_factory=Counter)


def rotate_keys(
    organisation_id: UUID, *, now: datetime, tick: Callable[[int], object] = lambda n: None
) -> RotationResult:
    """Rotate the keys of one organisation. tick: called after each batch with its number of rows.

    Raises MissingEncryptionKeyError.
    """
    newest, done = load_keyring().newest.id, RotationResult()
    for count in _encrypt_plain(organisation_id, done, now):
        tick(count)
    for statement, renew in (
        (_OLD_MEMORIES_SQL, _reencrypt_memories),
        (_OLD_VERSIONS_SQL, _reencrypt_versions),
    ):
        after = _NIL_ID
        while True:
            with organisation_scope(organisation_id, using=WORKER):
                ids = _fetch_old_ids(organisation_id, statement, after, newest)
                renew(ids, done)
            if not ids:
                break
            after = ids[-1]
            tick(len(ids))
    done.held = count_by_key(organisation_id)
    if done.encrypted or done.memories or done.versions:
        _record_audit(organisation_id, newest, done, now)
    return done


def count_by_key(organisation_id: UUID) -> Counter[str]:
    """How many memories and versions are encrypted with each key, by its id."""
    held: Counter[str] = Counter()
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(_KEYS_IN_USE_SQL, {"organisation": organisation_id})
        for id_, count in cursor.fetchall():
            held[id_] += count
    return held


def _encrypt_plain(organisation_id: UUID, done: RotationResult, now: datetime) -> Iterator[int]:
    """Encrypt sensitive memories from before there was a key, one at a time, because each has many
    derived rows. Yields the size of each batch."""
    after = _NIL_ID
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            rows = Memory.objects.using(WORKER).filter(
                organisation_id=organisation_id, sensitive=True, sealed=None, id__gt=after
            )
            found = list(rows.order_by("id").values_list("id", "audience_id")[:BATCH_SIZE])
        if not found:
            return
        for id_, audience_id in found:
            _encrypt_memory(organisation_id, id_, audience_id, done, now)
        after = found[-1][0]
        yield len(found)


def _encrypt_memory(
    organisation_id: UUID, id_: UUID, audience_id: UUID, done: RotationResult, now: datetime
) -> None:
    with scope(Scope(organisation=organisation_id, audiences=(audience_id,))):
        rows = Memory.objects.filter(organisation_id=organisation_id, id=id_, sealed=None)
        row = rows.filter(sensitive=True).select_for_update(of=("self",), no_key=True).first()
        if row is None:
            return
        if encryption_refusal(row):
            done.refused += 1
            return
        encrypt_memories([row], now)
        done.encrypted += 1


def _fetch_old_ids(organisation_id: UUID, statement: str, after: UUID, newest: str) -> list[UUID]:
    values = {
        "organisation": organisation_id,
        "after": after,
        "newest": newest,
        "batch": BATCH_SIZE,
    }
    with connections[WORKER].cursor() as cursor:
        cursor.execute(statement, values)
        return [id_ for (id_,) in cursor.fetchall()]


def _reencrypt_memories(ids: list[UUID], done: RotationResult) -> None:
    rows = Memory.objects.using(WORKER).filter(id__in=ids)
    for row in rows.select_for_update(of=("self",), no_key=True).order_by("id"):
        if isinstance(row.content, UndecryptableText):
            done.unreadable += 1
            continue
        mine = Memory.objects.using(WORKER).filter(id=row.id)
        sealed = encrypt(row.content, organisation_id=row.organisation_id, memory_id=row.id)
        mine.update(sealed=sealed)
        digest, *_ = content_hashes(
            row.content,
            speaker=row.speaker,
            subject=row.member_id,
            organisation_id=row.organisation_id,
            sensitive=True,
        )
        try:
            with transaction.atomic(using=WORKER):
                mine.update(content_hash=digest)
        except IntegrityError:
            # The same text exists already with a hash of the newer key. The older hash stays;
            # without the older key it reveals nothing.
            pass
        done.memories += 1


def _reencrypt_versions(ids: list[UUID], done: RotationResult) -> None:
    rows: Any = Version.objects.using(WORKER).filter(id__in=ids)
    for row in rows.select_for_update(of=("self",)).order_by("id"):
        if isinstance(row.content, UndecryptableText):
            done.unreadable += 1
            continue
        sealed = encrypt(row.content, organisation_id=row.organisation_id, memory_id=row.memory_id)
        Version.objects.using(WORKER).filter(id=row.id).update(sealed=sealed)
        done.versions += 1


def _record_audit(organisation_id: UUID, newest: str, done: RotationResult, now: datetime) -> None:
    with organisation_scope(organisation_id, using=WORKER):
        audit.record_entry(
            "encryption.rotated",
            actor=Actor(organisation_id=organisation_id),
            now=now,
            target_type="encryption",
            using=WORKER,
            key=newest,
            encrypted=done.encrypted,
            memories=done.memories,
            versions=done.versions,
        )
