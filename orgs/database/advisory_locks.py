"""Acts that look and then write, one after the other inside an organisation."""

import hashlib
from uuid import UUID

from orgs.database.prepared_statements import fetched

_LOCK = "SELECT pg_advisory_xact_lock(%(lock)s)"


def take_turns(organisation_id: UUID, what: str) -> None:
    """Wait until nobody else does `what` in this organisation; held until the transaction ends.

    What is seen from the next statement on includes what the others have committed. One lock for
    each kind of act: of two acts that take several locks one would wait for the other for ever.
    """
    digest = hashlib.sha256(f"{organisation_id}:{what}".encode()).digest()
    fetched(_LOCK, {"lock": int.from_bytes(digest[:8], "big", signed=True)})
