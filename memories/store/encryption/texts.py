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
from memories.store.encryption.keys import ID_BYTES, keyring, note_missed
from orgs.errors import AlreadyExists

VERSION = b"\x01"
NONCE_BYTES, TAG_BYTES = 12, 16
_ID_AT = len(VERSION)
_NONCE_AT = _ID_AT + ID_BYTES
_TEXT_AT = _NONCE_AT + NONCE_BYTES


class Encrypted(AlreadyExists):
    """The request would store words of an encrypted memory as plain text, or cannot read them."""


class Flagged(Protocol):
    """A row that says whether it is sensitive."""

    sensitive: bool


def refuse_sensitive(*rows: Flagged) -> None:
    """Raise Encrypted if a row is sensitive: its words may not be copied outside of the row."""
    if any(row.sensitive for row in rows):
        raise Encrypted(
            "The memory is encrypted. This would keep its words beside it in plain. Nothing was "
            "changed; whoever may change the memory edits it directly."
        )


class Undecryptable(str):
    """Replaces a text that cannot be decrypted, and says why. It is never stored."""


def encrypt(text: str, *, organisation_id: UUID, memory_id: UUID) -> bytes:
    """The stored form of a memory's text under the newest key. Raises NoEncryptionKey."""
    key, nonce = keyring().newest, os.urandom(NONCE_BYTES)
    made = AESGCM(key.secret).encrypt(nonce, text.encode(), _bound(organisation_id, memory_id))
    return VERSION + bytes.fromhex(key.id) + nonce + made


def decrypt(sealed: bytes, *, organisation_id: UUID, memory_id: UUID) -> str:
    """The text of a stored form, or an Undecryptable that says why there is none."""
    if sealed[:_ID_AT] != VERSION or len(sealed) < _TEXT_AT + TAG_BYTES:
        return Undecryptable("This text cannot be decrypted: its stored form is not known here.")
    id_ = key_id(sealed)
    key = keyring().find(id_)
    if key is None:
        note_missed(id_)
        return Undecryptable(f"This text cannot be decrypted: the key {id_} is missing.")
    try:
        text = AESGCM(key.secret).decrypt(
            sealed[_NONCE_AT:_TEXT_AT], sealed[_TEXT_AT:], _bound(organisation_id, memory_id)
        )
    except InvalidTag:
        return Undecryptable(
            "This text cannot be decrypted: what is stored was changed, or belongs to another "
            "memory."
        )
    return text.decode()


def _bound(organisation_id: UUID, memory_id: UUID) -> bytes:
    """The associated data: the only place where the ciphertext can be decrypted."""
    return organisation_id.bytes + memory_id.bytes + b"content"


def key_id(sealed: bytes) -> str:
    """The id of the key under which a text is stored."""
    return sealed[_ID_AT:_NONCE_AT].hex()


def row_hashes(
    content: str, *, speaker: str, subject: UUID | None, organisation_id: UUID, sensitive: bool
) -> tuple[bytes, ...]:
    """32 bytes each, which identify equal texts: first the one to store, then those under older
    keys.

    A plain hash of a short secret can be guessed, so that of a sensitive text is made with a key.
    Raises NoEncryptionKey.
    """
    digest = content_hash(content, speaker=speaker, subject=subject)
    if not sensitive:
        return (digest,)
    ring = keyring()
    secrets = dict.fromkeys([ring.newest.secret, *(key.secret for key in ring.keys)])
    return tuple(
        hmac.digest(
            hmac.digest(secret, b"commonmind content hash", "sha256"),
            organisation_id.bytes + digest,
            "sha256",
        )
        for secret in secrets
    )
