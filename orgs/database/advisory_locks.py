"""Locks for acts that read and then write: one at a time inside an organisation."""

import hashlib
from uuid import UUID

from orgs.database.prepared_statements import fetch_all

_LOCK = "SELECT pg_advisory_xact_lock(%(lock)s)"
_SHARED_LOCK = "SELECT pg_advisory_xact_lock_shared(%(lock)s)"
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock(%(lock)s)"


def acquire_advisory_lock(organisation_id: UUID, what: str) -> None:
    """Wait until nobody else does `what` in this organisation; held until the transaction ends.

    The next statement sees what the others have committed. Take one lock only: two acts that take
    several locks could wait for each other for ever.
    """
    fetch_all(_LOCK, {"lock": _lock_number(organisation_id, what)})


def acquire_shared_lock(organisation_id: UUID, what: str, *, using: str = "default") -> None:
    """Wait until nobody has the lock of `acquire_advisory_lock`, and keep it from being taken until
    the transaction ends; any number may share it."""
    fetch_all(_SHARED_LOCK, {"lock": _lock_number(organisation_id, what)}, using)


def try_advisory_lock(organisation_id: UUID, what: str) -> bool:
    """Take the lock if nobody has it; held until the transaction ends. False if somebody does.

    Whoever has it holds no other up, so it may be taken beside the lock of an act.
    """
    ((taken,),) = fetch_all(_TRY_LOCK, {"lock": _lock_number(organisation_id, what)})
    return bool(taken)


def _lock_number(organisation_id: UUID, what: str) -> int:
    digest = hashlib.sha256(f"{organisation_id}:{what}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
