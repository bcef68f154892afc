"""The checks of keys in `manage.py check`; with `--database worker` also for missing keys."""

from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import DatabaseError

from memories.encryption.rotate_keys import WORKER, count_by_key
from memories.store.encryption.keys import load_keyring
from orgs.placement.all_organisations import list_organisation_ids


def check_keys(**_: Any) -> list[CheckMessage]:
    """Errors for given keys that are no keys."""
    return [
        Error(
            fault,
            hint="A key is made by `openssl rand -base64 32`. Until all are right, nothing "
            "sensitive is stored.",
            id="memories.E001",
        )
        for fault in load_keyring().faults
    ]


def check_keys_in_use(*, databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Errors for missing keys with which something is encrypted."""
    if WORKER not in (databases or ()):
        return []
    found: dict[str, int] = {}
    try:
        for organisation_id in list_organisation_ids():
            for id_, count in count_by_key(organisation_id).items():
                found[id_] = found.get(id_, 0) + count
    except DatabaseError:
        # Not migrated yet. Other checks report problems of the database itself.
        return []
    return [
        Error(
            f"The key {id_} is missing: {count:,} encrypted texts cannot be read.",
            hint="Put it back into ENCRYPTION_KEYS or ENCRYPTION_KEY_FILE, behind the newest.",
            id="memories.E002",
        )
        for id_, count in sorted(found.items())
        if load_keyring().find(id_) is None
    ]
