"""The checks of keys in `manage.py check`; with `--database worker` also for missing keys."""

from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError

from memories.encryption.rotate import WORKER, keys_in_use
from memories.lifecycle.consolidation.pattern_evidence import every_organisation
from memories.store.encryption.keys import keyring


@register(Tags.security)
def check_keys(**_: Any) -> list[CheckMessage]:
    """Errors for given keys that are no keys."""
    return [
        Error(
            fault,
            hint="A key is made by `openssl rand -base64 32`. Until all are right, nothing "
            "sensitive is stored.",
            id="memories.E001",
        )
        for fault in keyring().faults
    ]


@register(Tags.database)
def check_keys_in_use(*, databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Errors for missing keys with which something is encrypted."""
    if WORKER not in (databases or ()):
        return []
    found: dict[str, int] = {}
    try:
        for organisation_id in every_organisation():
            for id_, count in keys_in_use(organisation_id).items():
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
        if keyring().find(id_) is None
    ]
