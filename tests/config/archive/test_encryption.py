"""Files of the archive: what comes out is what went in, or an error."""

import io
import os
import zlib
from base64 import b64encode

import pytest

from config.archive.errors import ArchiveError
from config.archive.storage.encryption import (
    HEADER_BYTES,
    PIECE_BYTES,
    TAG_BYTES,
    ContentReader,
    EncryptingWriter,
    iter_decrypted,
)
from memories.store.encryption.keys import Keyring, read_keyring

FIRST, SECOND = (b64encode(bytes([n]) * 32).decode() for n in (1, 2))
RING, NEWER = read_keyring((FIRST,), ""), read_keyring((SECOND, FIRST), "")
PIECE = PIECE_BYTES + TAG_BYTES


def stored(content: bytes, name: str = "series/wal/1", ring: Keyring = RING) -> bytes:
    out = io.BytesIO()
    writer = EncryptingWriter(out, name, ring.newest)
    for at in range(0, len(content), 100_000):
        writer.write(content[at : at + 100_000])
    writer.close()
    return out.getvalue()


def loaded(content: bytes, name: str = "series/wal/1", ring: Keyring = RING) -> bytes:
    return b"".join(iter_decrypted(io.BytesIO(content), name, ring))


@pytest.mark.parametrize("size", [0, 1, 1_000, PIECE_BYTES, 3 * PIECE_BYTES + 5])
def test_what_went_in_comes_out(size: int) -> None:
    content = os.urandom(size)
    assert loaded(stored(content)) == content
    assert loaded(stored(content, ring=NEWER), ring=NEWER) == content


def test_a_newer_key_still_reads_what_an_older_one_wrote() -> None:
    assert loaded(stored(b"old"), ring=NEWER) == b"old"
    with pytest.raises(ArchiveError, match="encrypted with the key"):
        loaded(stored(b"new", ring=NEWER))


def test_nothing_of_the_content_is_in_the_file() -> None:
    content = b"the pass phrase is swordfish " * 1_000
    found = stored(content)
    assert b"swordfish" not in found
    assert zlib.compress(content, 1)[10:40] not in found
    assert stored(content) != found, "each file has a salt of its own"


def damaged() -> list[tuple[str, bytes]]:
    """Four pieces, of which the first three are whole."""
    whole = stored(os.urandom(3 * PIECE_BYTES + 5))
    head, rest = whole[:HEADER_BYTES], whole[HEADER_BYTES:]
    pieces = [rest[at : at + PIECE] for at in range(0, len(rest), PIECE)]
    assert len(pieces) == 4
    flipped = bytearray(whole)
    flipped[HEADER_BYTES + 40] ^= 1
    return [
        ("a flipped bit", bytes(flipped)),
        ("the last piece cut off", head + b"".join(pieces[:3])),
        ("half a piece cut off", whole[: -PIECE_BYTES // 2]),
        ("a piece dropped", head + pieces[0] + pieces[2] + pieces[3]),
        ("two pieces swapped", head + pieces[1] + pieces[0] + pieces[2] + pieces[3]),
        ("something behind the end", whole + b"x" * 40),
        ("another salt", head[:-1] + bytes([head[-1] ^ 1]) + rest),
        ("no head", rest),
        ("empty", b""),
    ]


@pytest.mark.parametrize(
    ("what", "content"), damaged(), ids=lambda one: one if isinstance(one, str) else ""
)
def test_damage_is_found(what: str, content: bytes) -> None:
    with pytest.raises(ArchiveError, match="damaged"):
        loaded(content)


def test_a_file_cannot_stand_in_for_another() -> None:
    with pytest.raises(ArchiveError, match="is not what was stored there"):
        loaded(stored(b"a", name="series/wal/1"), name="series/wal/2")


def test_it_is_read_as_a_file() -> None:
    reader = ContentReader(iter([b"ab", b"", b"cde"]))
    assert [reader.read(1), reader.read(2), reader.read(9), reader.read(9), reader.read(9)] == [
        b"a", b"b", b"cde", b"", b"",
    ]  # fmt: skip
