"""The keys that encrypt sensitive texts: from the environment or a file, not the database."""

import binascii
import hashlib
from base64 import b64decode
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from django.conf import settings

KEY_BYTES, ID_BYTES = 32, 4


class MissingEncryptionKeyError(Exception):
    """Nothing sensitive is stored without a key."""

    def __init__(self) -> None:
        super().__init__(
            "Sensitive memories are stored encrypted, and this server has no key for that. Nothing "
            "was stored. Whoever runs it sets ENCRYPTION_KEYS or ENCRYPTION_KEY_FILE."
        )


@dataclass(frozen=True, slots=True)
class EncryptionKey:
    """id: eight hex digits that identify the key and reveal nothing of it."""

    id: str
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of the server, the newest first. faults: errors in the configured keys; while there
    are any, nothing is encrypted."""

    keys: tuple[EncryptionKey, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def newest(self) -> EncryptionKey:
        """The key that encrypts. Raises MissingEncryptionKeyError."""
        if self.faults or not self.keys:
            raise MissingEncryptionKeyError
        return self.keys[0]

    def find(self, id_: str) -> EncryptionKey | None:
        """The key with this id, or None."""
        return next((key for key in self.keys if key.id == id_), None)


def compute_key_id(secret: bytes) -> str:
    """The key's id: the first eight hex digits of a hash with a fixed label."""
    return hashlib.sha256(b"commonmind key id\n" + secret).hexdigest()[: 2 * ID_BYTES]


def load_keyring() -> Keyring:
    """The keys of ENCRYPTION_KEYS, then those of ENCRYPTION_KEY_FILE as it is now."""
    return read_keyring(tuple(settings.ENCRYPTION_KEYS), settings.ENCRYPTION_KEY_FILE)


def read_keyring(given: tuple[str, ...], file: str) -> Keyring:
    """The given keys, each the base64 of 32 bytes, then those of the file; "" is no file."""
    stamp = 0
    if file:
        try:
            stamp = Path(file).stat().st_mtime_ns
        except OSError:
            stamp = -1
    return _parse_keyring(given, file, stamp)


def check_encryption_key() -> None:
    """Raises MissingEncryptionKeyError where nothing can be encrypted."""
    _ = load_keyring().newest


@lru_cache(maxsize=8)
def _parse_keyring(given: tuple[str, ...], file: str, stamp: int) -> Keyring:
    """stamp: when the file was changed, so that a changed one is read again."""
    named = [(f"key {number} of ENCRYPTION_KEYS", text) for number, text in enumerate(given, 1)]
    faults: list[str] = []
    if file:
        try:
            lines = Path(file).read_text(encoding="ascii").splitlines()
        except (OSError, UnicodeError) as error:
            faults.append(f"ENCRYPTION_KEY_FILE cannot be read: {type(error).__name__}")
            lines = []
        named += [
            (f"line {number} of ENCRYPTION_KEY_FILE", line.strip())
            for number, line in enumerate(lines, 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
    keys: dict[str, EncryptionKey] = {}
    for name, text in named:
        try:
            secret = b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            secret = b""
        if len(secret) != KEY_BYTES:
            faults.append(f"{name} is not the base64 of {KEY_BYTES} bytes")
            continue
        keys.setdefault(compute_key_id(secret), EncryptionKey(compute_key_id(secret), secret))
    return Keyring(tuple(keys.values()), tuple(faults))


# Ids of keys that this process looked for in vain.
_missing_key_ids: set[str] = set()


def record_missing_key(id_: str) -> None:
    """Record that a text could not be decrypted because this key is missing."""
    _missing_key_ids.add(id_)


def missing_key_ids() -> list[str]:
    """Ids of keys that this process needed and has not got; for /readyz."""
    return sorted(_missing_key_ids - {key.id for key in load_keyring().keys})
