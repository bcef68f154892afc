"""The stored form of a sensitive text: AES-256-GCM, bound to its memory.

One byte of version, four bytes of the key's id, twelve bytes of nonce, then the ciphertext with its
tag. The associated data name the organisation, the memory and the field, so a ciphertext opens in
no other row. A memory's versions hold ciphertexts of that memory.
"""

import hmac
import os
from typing import Protocol
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from memories.store.deduplication import content_hash
from memories.store.encryption.keys import ID_BYTES, load_keyring, record_missing_key
from orgs.errors import AlreadyExistsError

FORMAT_VERSION = b"\x01"
NONCE_BYTES, TAG_BYTES = 12, 16
_KEY_ID_OFFSET = len(FORMAT_VERSION)
_NONCE_OFFSET = _KEY_ID_OFFSET + ID_BYTES
_TEXT_OFFSET = _NONCE_OFFSET + NONCE_BYTES


class EncryptedTextError(AlreadyExistsError):
    """The request would store words of an encrypted memory as plain text, or cannot read them."""


class HasSensitivity(Protocol):
    """A row that says whether it is sensitive."""

    sensitive: bool


def check_not_sensitive(*rows: HasSensitivity) -> None:
    """Raise EncryptedTextError if a row is sensitive: its words may not be copied outside of the
    row."""
    if any(row.sensitive for row in rows):
        raise EncryptedTextError(
            "The memory is encrypted. This would keep its words beside it in plain. Nothing was "
            "changed; whoever may change the memory edits it directly."
        )


class UndecryptableText(str):
    """Replaces a text that cannot be decrypted, and says why. It is never stored."""


def encrypt(text: str, *, organisation_id: UUID, memory_id: UUID) -> bytes:
    """The stored form of a memory's text under the newest key. Raises MissingEncryptionKeyError."""
    key, nonce = load_keyring().newest, os.urandom(NONCE_BYTES)
    made = AESGCM(key.secret).encrypt(
        nonce, text.encode(), _associated_data(organisation_id, memory_id)
    )
    return FORMAT_VERSION + bytes.fromhex(key.id) + nonce + made


def decrypt(sealed: bytes, *, organisation_id: UUID, memory_id: UUID) -> str:
    """The text of a stored form, or an Undecryptable that says why there is none."""
    if sealed[:_KEY_ID_OFFSET] != FORMAT_VERSION or len(sealed) < _TEXT_OFFSET + TAG_BYTES:
        return UndecryptableText(
            "This text cannot be decrypted: its stored form is not known here."
        )
    id_ = parse_key_id(sealed)
    key = load_keyring().find(id_)
    if key is None:
        record_missing_key(id_)
        return UndecryptableText(f"This text cannot be decrypted: the key {id_} is missing.")
    try:
        text = AESGCM(key.secret).decrypt(
            sealed[_NONCE_OFFSET:_TEXT_OFFSET],
            sealed[_TEXT_OFFSET:],
            _associated_data(organisation_id, memory_id),
        )
    except InvalidTag:
        return UndecryptableText(
            "This text cannot be decrypted: what is stored was changed, or belongs to another "
            "memory."
        )
    return text.decode()


def _associated_data(organisation_id: UUID, memory_id: UUID) -> bytes:
    """The associated data: the only place where the ciphertext can be decrypted."""
    return organisation_id.bytes + memory_id.bytes + b"content"


def parse_key_id(sealed: bytes) -> str:
    """The id of the key under which a text is stored."""
    return sealed[_KEY_ID_OFFSET:_NONCE_OFFSET].hex()


def content_hashes(
    content: str, *, speaker: str, subject: UUID | None, organisation_id: UUID, sensitive: bool
) -> tuple[bytes, ...]:
    """32 bytes each, which identify equal texts: first the one to store, then those under older
    keys.

    A plain hash of a short secret can be guessed, so that of a sensitive text is made with a key.
    Raises MissingEncryptionKeyError.
    """
    digest = content_hash(content, speaker=speaker, subject=subject)
    if not sensitive:
        return (digest,)
    ring = load_keyring()
    secrets = dict.fromkeys([ring.newest.secret, *(key.secret for key in ring.keys)])
    return tuple(
        hmac.digest(
            hmac.digest(secret, b"commonmind content hash", "sha256"),
            organisation_id.bytes + digest,
            "sha256",
        )
        for secret in secrets
    )
