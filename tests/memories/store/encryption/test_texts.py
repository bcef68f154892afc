"""The stored form of a sensitive text, and the keys; no database."""

import os
import stat
from base64 import b64encode
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from config.embedded.private_files import key_file
from memories.store.deduplication import content_hash
from memories.store.encryption import keys
from memories.store.encryption.keys import (
    NoEncryptionKey,
    id_of,
    keyring,
    missed_keys,
    require_key,
)
from memories.store.encryption.texts import (
    Encrypted,
    Undecryptable,
    decrypt,
    encrypt,
    key_id,
    refuse_sensitive,
    row_hashes,
)

FIRST, SECOND = b"0123456789abcdef0123456789abcdef", b"f" * 32
HERE, THERE = UUID(int=1), UUID(int=2)
ONE, OTHER = UUID(int=11), UUID(int=12)
# Of "The door code is 1." under FIRST, for ONE of HERE, with the nonce 00 01 02 ... 0b.
PINNED = (
    "019e844ef6000102030405060708090a0b798dde5cbd77bdde88bf1eda14efb877c6392d32f99c17"
    "653c7271f66f8c868a797c4f"
)
TEXT = "The safe opens with 4711. Straße."


def given(*secrets: bytes) -> list[str]:
    return [b64encode(secret).decode() for secret in secrets]


@pytest.fixture(autouse=True)
def one_key(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_missed", set())
    settings.ENCRYPTION_KEYS, settings.ENCRYPTION_KEY_FILE = given(FIRST), ""


def sealed(text: str = TEXT) -> bytes:
    return encrypt(text, organisation_id=HERE, memory_id=ONE)


def opened(stored: bytes, organisation: UUID = HERE, memory: UUID = ONE) -> str:
    return decrypt(stored, organisation_id=organisation, memory_id=memory)


def test_the_stored_form_is_version_key_nonce_ciphertext_and_tag() -> None:
    stored = sealed()
    assert stored[:1] == b"\x01"
    assert stored[1:5].hex() == key_id(stored) == id_of(FIRST) == "9e844ef6"
    assert len(stored) == 1 + 4 + 12 + len(TEXT.encode()) + 16
    assert b"4711" not in stored
    assert opened(stored) == TEXT
    assert not isinstance(opened(stored), Undecryptable)


def test_what_was_stored_once_opens_for_ever() -> None:
    """Worked out outside of this code: AES-256-GCM, the ids as associated data."""
    stored = bytes.fromhex(PINNED)
    assert opened(stored) == "The door code is 1."


def test_each_ciphertext_has_a_nonce_of_its_own() -> None:
    assert len({sealed()[5:17] for _ in range(50)}) == 50


@pytest.mark.parametrize(("organisation", "memory"), [(THERE, ONE), (HERE, OTHER)])
def test_a_ciphertext_opens_in_no_other_row(organisation: UUID, memory: UUID) -> None:
    found = opened(sealed(), organisation, memory)
    assert isinstance(found, Undecryptable)
    assert "belongs to another memory" in found


@pytest.mark.parametrize("at", [5, 17, -1])
def test_a_changed_byte_is_seen(at: int) -> None:
    stored = bytearray(sealed())
    stored[at] ^= 1
    assert isinstance(opened(bytes(stored)), Undecryptable)


@pytest.mark.parametrize("stored", [b"", b"\x01", b"\x02" + b"0" * 60])
def test_another_form_is_told(stored: bytes) -> None:
    assert "not known here" in opened(stored)


def test_the_newest_key_encrypts_and_older_ones_open(settings: Any) -> None:
    old = sealed()
    settings.ENCRYPTION_KEYS = given(SECOND, FIRST)
    assert (key_id(sealed()), opened(old)) == (id_of(SECOND), TEXT)


def test_a_missing_key_is_named_and_noticed(settings: Any) -> None:
    old = sealed()
    settings.ENCRYPTION_KEYS = given(SECOND)
    assert opened(old) == f"This text cannot be decrypted: the key {id_of(FIRST)} is missing."
    assert missed_keys() == [id_of(FIRST)]
    settings.ENCRYPTION_KEYS = given(SECOND, FIRST)
    assert missed_keys() == []


@pytest.mark.parametrize("wrong", [[], ["short"], ["!" * 44], [*given(FIRST), "x"]])
def test_without_a_right_key_nothing_is_encrypted(settings: Any, wrong: list[str]) -> None:
    settings.ENCRYPTION_KEYS = wrong
    with pytest.raises(NoEncryptionKey):
        require_key()
    with pytest.raises(NoEncryptionKey):
        sealed()


def test_a_wrong_key_is_named_and_never_quoted(settings: Any) -> None:
    settings.ENCRYPTION_KEYS = [*given(FIRST), "topsecret"]
    assert keyring().faults == ("key 2 of ENCRYPTION_KEYS is not the base64 of 32 bytes",)
    assert "topsecret" not in repr(keyring())
    assert FIRST.decode() not in repr(keyring())


def test_the_file_comes_after_the_variable_and_is_read_again(settings: Any, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# the newest first\n\n{given(SECOND)[0]}\n")
    settings.ENCRYPTION_KEY_FILE = str(file)
    assert [key.id for key in keyring().keys] == [id_of(FIRST), id_of(SECOND)]
    settings.ENCRYPTION_KEYS = []
    assert keyring().newest.id == id_of(SECOND)
    file.write_text("\n".join(given(FIRST, SECOND)))
    os.utime(file, ns=(1, 1))
    assert keyring().newest.id == id_of(FIRST)


def test_a_file_that_is_not_there_is_a_fault(settings: Any, tmp_path: Path) -> None:
    settings.ENCRYPTION_KEY_FILE = str(tmp_path / "none")
    assert keyring().faults == ("ENCRYPTION_KEY_FILE cannot be read: FileNotFoundError",)
    with pytest.raises(NoEncryptionKey):
        require_key()


def test_make_run_makes_the_file_once_for_its_owner_alone(settings: Any, tmp_path: Path) -> None:
    file = key_file(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_text()
    assert key_file(tmp_path).read_text() == before
    settings.ENCRYPTION_KEYS, settings.ENCRYPTION_KEY_FILE = [], str(file)
    assert (len(keyring().keys), keyring().faults) == (1, ())


def hashes(text: str = "4711", organisation: UUID = HERE, *, sensitive: bool = True) -> Any:
    return row_hashes(
        text, speaker="", subject=None, organisation_id=organisation, sensitive=sensitive
    )


def test_the_hash_of_a_sensitive_text_cannot_be_guessed(settings: Any) -> None:
    plain = content_hash("4711", speaker="", subject=None)
    assert hashes(sensitive=False) == (plain,)
    (first,) = hashes()
    assert first != plain
    assert first == hashes()[0], "equal texts are still told"
    assert first != hashes("4712")[0]
    assert first != hashes(organisation=THERE)[0], "and nobody sees who else has it"
    settings.ENCRYPTION_KEYS = given(SECOND, FIRST)
    assert hashes()[1] == first
    assert hashes()[0] != first


def test_acts_that_write_words_elsewhere_are_refused() -> None:
    class Row:
        def __init__(self, *, sensitive: bool) -> None:
            self.sensitive = sensitive

    refuse_sensitive(Row(sensitive=False))
    with pytest.raises(Encrypted):
        refuse_sensitive(Row(sensitive=False), Row(sensitive=True))
