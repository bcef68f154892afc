"""After the key was changed, an old one is needed until what it encrypts has expired."""

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from config.archive.__main__ import _list_older_keys
from config.archive.archiver import Archiver
from config.archive.errors import ArchiveError
from config.archive.retention import OffsiteCopy
from config.archive.storage.folder_storage import FolderStorage, load_bytes
from config.archive.storage.reencryption import find_key_id
from memories.store.encryption.keys import read_keyring
from tests.config.archive.files import (
    SERIES,
    Elsewhere,
    StandIn,
    small_settings,
    store,
    store_log,
)
from tests.config.archive.rig import KEY

pytestmark = pytest.mark.conformance("O21")
NEW_KEY = b64encode(bytes(range(1, 33))).decode()
LEDGER, HISTORY = f"{SERIES}/ledger/{1:015d}", f"{SERIES}/wal/00000002.history"


def run_archiver(folder: Path, keys: str, server: StandIn | None = None) -> Archiver:
    """One pass with these keys."""
    settings = small_settings(folder, ENCRYPTION_KEYS=keys)
    archiver = Archiver(settings, server or StandIn(), environ={})
    try:
        archiver.run_once()
    finally:
        archiver.receiver.stop()
        if archiver._base is not None:
            archiver._base.join()
    return archiver


def make_archive(folder: Path) -> None:
    """One series under the old key."""
    settings = small_settings(folder)
    store(settings, f"{SERIES}/owner", b'{"system_id": "1"}')
    store(settings, LEDGER, b"erased\n")
    store(settings, HISTORY)
    store_log(settings, [1])


def test_what_lasts_is_encrypted_again_and_the_old_key_may_go(tmp_path: Path) -> None:
    make_archive(tmp_path)
    server = StandIn()
    first = run_archiver(tmp_path, KEY, server).status.series
    both = small_settings(tmp_path, ENCRYPTION_KEYS=f"{NEW_KEY},{KEY}")
    old = read_keyring((KEY,), "").newest.id
    assert any(one.startswith(old) for one in _list_older_keys(both))
    run_archiver(tmp_path, f"{NEW_KEY},{KEY}", server)
    # Of the old key is the segment alone, which expires.
    assert _list_older_keys(both) == [f"{old} (1 files)"]
    folder = FolderStorage(both.folder)
    for name in folder.list_sizes():
        if "/wal/0000000100" in name:
            folder.delete(name)
    assert _list_older_keys(both) == []
    alone = run_archiver(tmp_path, NEW_KEY, server)
    assert (alone.status.series, alone.shipper is None) == (first, False)
    assert load_bytes(folder, alone.settings.keyring, LEDGER) == b"erased\n"
    assert load_bytes(folder, alone.settings.keyring, HISTORY) == b"x"


def test_a_key_that_went_too_early_changes_nothing(tmp_path: Path) -> None:
    make_archive(tmp_path)
    folder = FolderStorage(small_settings(tmp_path).folder)
    before = {name: (folder.root / name).read_bytes() for name in folder.list_sizes()}
    archiver = run_archiver(tmp_path, NEW_KEY)
    assert archiver.shipper is None
    assert "which is not among ENCRYPTION_KEYS" in archiver.status.failure
    assert before == {name: (folder.root / name).read_bytes() for name in folder.list_sizes()}


def test_the_copy_has_it_again_too(tmp_path: Path) -> None:
    make_archive(tmp_path)
    there = Elsewhere(tmp_path / "there")
    OffsiteCopy(small_settings(tmp_path), there).copy()
    run_archiver(tmp_path, f"{NEW_KEY},{KEY}")
    there.sent.clear()
    # Another process, as after a restart.
    settings = small_settings(tmp_path, ENCRYPTION_KEYS=f"{NEW_KEY},{KEY}")
    copy = OffsiteCopy(settings, there)
    copy.copy()
    assert {f"{SERIES}/owner", LEDGER, HISTORY} <= set(there.sent)
    assert not any("/wal/00000001" in name for name in there.sent)
    alone = replace(settings, keyring=read_keyring((NEW_KEY,), ""))
    assert load_bytes(there, alone.keyring, LEDGER) == b"erased\n"
    there.sent.clear()
    OffsiteCopy(settings, there).copy()
    assert LEDGER not in there.sent
    (there.root / LEDGER).write_bytes(b"half")
    OffsiteCopy(settings, there).copy()
    assert LEDGER in there.sent
    assert find_key_id(there, LEDGER) == settings.keyring.newest.id


def test_a_missing_file_has_no_key(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="is missing"):
        find_key_id(FolderStorage(tmp_path), "none")
