"""The stored form of a sensitive text, and the keys; no database."""

import os
import stat
from base64 import b64encode
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from config.embedded.private_files import ensure_key_file
from memories.store.deduplication import content_hash
from memories.store.encryption import keys
from memories.store.encryption.keys import (
    MissingEncryptionKeyError,
    check_encryption_key,
    compute_key_id,
    load_keyring,
    missing_key_ids,
)
from memories.store.encryption.texts import (
    EncryptedTextError,
    UndecryptableText,
    check_not_sensitive,
    content_hashes,
    decrypt,
    encrypt,
    parse_key_id,
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
    monkeypatch.setattr(keys, "_missing_key_ids", set())
    settings.ENCRYPTION_KEYS, settings.ENCRYPTION_KEY_FILE = given(FIRST), ""


def sealed(text: str = TEXT) -> bytes:
    return encrypt(text, organisation_id=HERE, memory_id=ONE)


def opened(stored: bytes, organisation: UUID = HERE, memory: UUID = ONE) -> str:
    return decrypt(stored, organisation_id=organisation, memory_id=memory)


def test_the_stored_form_is_version_key_nonce_ciphertext_and_tag() -> None:
    stored = sealed()
    assert stored[:1] == b"\x01"
    assert stored[1:5].hex() == parse_key_id(stored) == compute_key_id(FIRST) == "9e844ef6"
    assert len(stored) == 1 + 4 + 12 + len(TEXT.encode()) + 16
    assert b"4711" not in stored
    assert opened(stored) == TEXT
    assert not isinstance(opened(stored), UndecryptableText)


def test_what_was_stored_once_opens_for_ever() -> None:
    """Worked out outside of this code: AES-256-GCM, the ids as associated data."""
    stored = bytes.fromhex(PINNED)
    assert opened(stored) == "The door code is 1."


def test_each_ciphertext_has_a_nonce_of_its_own() -> None:
    assert len({sealed()[5:17] for _ in range(50)}) == 50


@pytest.mark.parametrize(("organisation", "memory"), [(THERE, ONE), (HERE, OTHER)])
def test_a_ciphertext_opens_in_no_other_row(organisation: UUID, memory: UUID) -> None:
    found = opened(sealed(), organisation, memory)
    assert isinstance(found, UndecryptableText)
    assert "belongs to another memory" in found


@pytest.mark.parametrize("at", [5, 17, -1])
def test_a_changed_byte_is_seen(at: int) -> None:
    stored = bytearray(sealed())
    stored[at] ^= 1
    assert isinstance(opened(bytes(stored)), UndecryptableText)


@pytest.mark.parametrize("stored", [b"", b"\x01", b"\x02" + b"0" * 60])
def test_another_form_is_told(stored: bytes) -> None:
    assert "not known here" in opened(stored)


def test_the_newest_key_encrypts_and_older_ones_open(settings: Any) -> None:
    old = sealed()
    settings.ENCRYPTION_KEYS = given(SECOND, FIRST)
    assert (parse_key_id(sealed()), opened(old)) == (compute_key_id(SECOND), TEXT)


def test_a_missing_key_is_named_and_noticed(settings: Any) -> None:
    old = sealed()
    settings.ENCRYPTION_KEYS = given(SECOND)
    assert (
        opened(old) == f"This text cannot be decrypted: the key {compute_key_id(FIRST)} is missing."
    )
    assert missing_key_ids() == [compute_key_id(FIRST)]
    settings.ENCRYPTION_KEYS = given(SECOND, FIRST)
    assert missing_key_ids() == []


@pytest.mark.parametrize("wrong", [[], ["short"], ["!" * 44], [*given(FIRST), "x"]])
def test_without_a_right_key_nothing_is_encrypted(settings: Any, wrong: list[str]) -> None:
    settings.ENCRYPTION_KEYS = wrong
    with pytest.raises(MissingEncryptionKeyError):
        check_encryption_key()
    with pytest.raises(MissingEncryptionKeyError):
        sealed()


def test_a_wrong_key_is_named_and_never_quoted(settings: Any) -> None:
    settings.ENCRYPTION_KEYS = [*given(FIRST), "topsecret"]
    assert load_keyring().faults == ("key 2 of ENCRYPTION_KEYS is not the base64 of 32 bytes",)
    assert "topsecret" not in repr(load_keyring())
    assert FIRST.decode() not in repr(load_keyring())


def test_the_file_comes_after_the_variable_and_is_read_again(settings: Any, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# the newest first\n\n{given(SECOND)[0]}\n")
    settings.ENCRYPTION_KEY_FILE = str(file)
    assert [key.id for key in load_keyring().keys] == [
        compute_key_id(FIRST),
        compute_key_id(SECOND),
    ]
    settings.ENCRYPTION_KEYS = []
    assert load_keyring().newest.id == compute_key_id(SECOND)
    file.write_text("\n".join(given(FIRST, SECOND)))
    os.utime(file, ns=(1, 1))
    assert load_keyring().newest.id == compute_key_id(FIRST)


def test_a_file_that_is_not_there_is_a_fault(settings: Any, tmp_path: Path) -> None:
    settings.ENCRYPTION_KEY_FILE = str(tmp_path / "none")
    assert load_keyring().faults == ("ENCRYPTION_KEY_FILE cannot be read: FileNotFoundError",)
    with pytest.raises(MissingEncryptionKeyError):
        check_encryption_key()


def test_make_run_makes_the_file_once_for_its_owner_alone(settings: Any, tmp_path: Path) -> None:
    file = ensure_key_file(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    before = file.read_text()
    assert ensure_key_file(tmp_path).read_text() == before
    settings.ENCRYPTION_KEYS, settings.ENCRYPTION_KEY_FILE = [], str(file)
    assert (len(load_keyring().keys), load_keyring().faults) == (1, ())


def hashes(text: str = "4711", organisation: UUID = HERE, *, sensitive: bool = True) -> Any:
    return content_hashes(
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

    check_not_sensitive(Row(sensitive=False))
    with pytest.raises(EncryptedTextError):
        check_not_sensitive(Row(sensitive=False), Row(sensitive=True))
