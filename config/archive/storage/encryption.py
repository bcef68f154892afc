"""Files of the archive: compressed, then encrypted in pieces, each file by a key of its own.

Form: 7 bytes of magic with the version, 4 of the key's id, 16 of salt, then pieces. A piece is at
most 1 MiB of the compressed content, AES-256-GCM, with 16 bytes of tag. The file's key is HKDF of
a key of ENCRYPTION_KEYS with the salt and the file's name, so no file can stand in for another. The
nonce of a piece is its number with a last byte that is 1 for the last one: pieces that were
dropped, swapped or cut off do not decrypt (the construction STREAM).
"""

import io
import os
import zlib
from collections.abc import Iterator
from typing import IO, Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from config.archive.errors import ArchiveError
from memories.store.encryption.keys import ID_BYTES, EncryptionKey, Keyring

MAGIC = b"CMARCH\x01"
SALT_BYTES, TAG_BYTES, NONCE_BYTES, PIECE_BYTES = 16, 16, 12, 1 << 20
HEADER_BYTES = len(MAGIC) + ID_BYTES + SALT_BYTES
# Most of a base backup are vectors, which a slower level compresses hardly better.
LEVEL = 1


def _cipher(key: EncryptionKey, salt: bytes, name: str) -> AESGCM:
    info = b"commonmind archive\n" + name.encode()
    return AESGCM(HKDF(SHA256(), 32, salt, info).derive(key.secret))


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(NONCE_BYTES - 1, "big") + bytes([is_last])


class EncryptingWriter:
    """Writes the content of one file, compressed and encrypted, to `out`; `close` ends it."""

    def __init__(self, out: IO[bytes], name: str, key: EncryptionKey) -> None:
        salt = os.urandom(SALT_BYTES)
        self._out, self._cipher = out, _cipher(key, salt, name)
        self._packer = zlib.compressobj(LEVEL)
        self._waiting, self._number = bytearray(), 0
        out.write(MAGIC + bytes.fromhex(key.id) + salt)

    def write(self, content: bytes) -> None:
        """Add content. Raises OSError of `out`."""
        self._waiting += self._packer.compress(content)
        # The last piece is known only at the end, so one is held back.
        while len(self._waiting) > PIECE_BYTES:
            self._write_piece(bytes(self._waiting[:PIECE_BYTES]), is_last=False)
            del self._waiting[:PIECE_BYTES]

    def close(self) -> None:
        """Write the last pieces; `out` stays open."""
        self._waiting += self._packer.flush()
        while len(self._waiting) > PIECE_BYTES:
            self._write_piece(bytes(self._waiting[:PIECE_BYTES]), is_last=False)
            del self._waiting[:PIECE_BYTES]
        self._write_piece(bytes(self._waiting), is_last=True)

    def _write_piece(self, piece: bytes, *, is_last: bool) -> None:
        self._out.write(self._cipher.encrypt(_nonce(self._number, is_last), piece, None))
        self._number += 1


def _read_head(source: IO[bytes], name: str) -> tuple[str, bytes]:
    """(the id of the key, the salt) of a file. Raises ArchiveError."""
    head = source.read(HEADER_BYTES)
    if len(head) < HEADER_BYTES or not head.startswith(MAGIC):
        raise ArchiveError(f"{name} is no file of an archive of this version, or is damaged.")
    return head[len(MAGIC) : len(MAGIC) + ID_BYTES].hex(), head[-SALT_BYTES:]


def read_key_id(source: IO[bytes], name: str) -> str:
    """The id of the key that the file is encrypted with. Raises ArchiveError."""
    return _read_head(source, name)[0]


def iter_decrypted(source: IO[bytes], name: str, keyring: Keyring) -> Iterator[bytes]:
    """The content of a file of this name. Raises ArchiveError for a wrong key or damage."""
    key_id, salt = _read_head(source, name)
    key = keyring.find(key_id)
    if key is None:
        raise ArchiveError(
            f"{name} is encrypted with the key {key_id}, which is not among ENCRYPTION_KEYS and "
            "not in ENCRYPTION_KEY_FILE. Without it the archive cannot be read."
        )
    cipher, unpacker = _cipher(key, salt, name), zlib.decompressobj()
    number, piece = 0, _read_piece(source)
    while True:
        following = _read_piece(source)
        try:
            plain = cipher.decrypt(_nonce(number, not following), piece, None)
            content = unpacker.decompress(plain)
        except (InvalidTag, ValueError, zlib.error):
            raise ArchiveError(f"{name} is damaged, or is not what was stored there.") from None
        if content:
            yield content
        if not following:
            break
        number, piece = number + 1, following
    if not unpacker.eof:
        raise ArchiveError(f"{name} is damaged: its end is missing.")


def _read_piece(source: IO[bytes]) -> bytes:
    """A whole piece; shorter at the end, empty behind it."""
    found = bytearray()
    while len(found) < PIECE_BYTES + TAG_BYTES:
        part = source.read(PIECE_BYTES + TAG_BYTES - len(found))
        if not part:
            break
        found += part
    return bytes(found)


class ContentReader(io.RawIOBase):
    """What an iterator of bytes yields, as a file to read from; for `tarfile`."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self._rest = parts, b""

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any, /) -> int:
        """Fill `target` from the next part. Returns the number of bytes, 0 at the end."""
        view = memoryview(target).cast("B")
        while not self._rest:
            following = next(self._parts, None)
            if following is None:
                return 0
            self._rest = following
        count = min(len(view), len(self._rest))
        view[:count], self._rest = self._rest[:count], self._rest[count:]
        return count
