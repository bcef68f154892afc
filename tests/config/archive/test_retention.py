"""What pruning deletes and what it leaves, on archives of small files."""

import contextlib
import json
from pathlib import Path
from typing import cast

import pytest

from config.archive.archiver import Archiver
from config.archive.errors import ArchiveError
from config.archive.retention import OffsiteCopy, load_all_series, prune
from config.archive.storage.folder_storage import FolderStorage
from config.archive.storage.offsite_storage import OffsiteStorage
from tests.config.archive.files import (
    SERIES,
    Elsewhere,
    StandIn,
    names_of,
    small_settings,
    store,
    store_base,
    store_log,
    store_state,
)
from tests.config.archive.test_schedule import DAY, START, base, daily

pytestmark = pytest.mark.conformance("O21")


def test_the_last_state_stays_while_base_backups_go_on_without_the_log(tmp_path: Path) -> None:
    """The log stops on day 10, and base backups are made for another 25 days."""
    settings = small_settings(tmp_path, ARCHIVE_KEEP_DAYS="5")
    storage, made = FolderStorage(settings.folder), daily(35)
    store(settings, f"{SERIES}/owner")
    store_log(settings, range(100))
    store_state(settings, START + 10 * DAY)
    for day, one in enumerate(made):
        store_base(settings, one)
        prune(settings, storage, SERIES, one.ended_at)
        [found] = load_all_series(settings, storage)
        if day >= 10:
            assert found.range, f"nothing can be restored on day {day}"
            assert found.range[1] == START + 10 * DAY
    assert found.usable_bases() == [made[9]], "the last one that has its log"
    assert found.log_segments() == sorted(f"{1:08X}{0:08X}{n:08X}" for n in range(90, 100))


@pytest.mark.parametrize("is_first", [False, True])
def test_a_base_backup_that_was_killed_is_deleted_in_both_storages(
    tmp_path: Path, is_first: bool
) -> None:
    """It holds what may be erased since, and nothing would ever delete it."""
    settings, there = small_settings(tmp_path), Elsewhere(tmp_path / "there")
    store(settings, f"{SERIES}/owner")
    if not is_first:
        store_base(settings, base(0))
        store_log(settings, range(1))
    whole = names_of(settings)
    store_base(settings, base(1), files=["data", "manifest"])
    half = settings.folder / SERIES / "base" / "b2" / ".data.unfinished"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"x")
    # An earlier version of the copy sent it.
    there.upload(f"{SERIES}/base/b1/data", settings.folder / SERIES / "base" / "b1" / "data")
    copy = OffsiteCopy(settings, cast("OffsiteStorage", there))
    assert copy.copy() == 0
    assert there.sent[1:] == sorted(whole, key=lambda name: (name.endswith("/info"), name))
    for storage in (FolderStorage(settings.folder), there):
        prune(settings, storage, SERIES, START + 2 * DAY)
        assert set(storage.list_sizes()) == whole
    assert not half.exists()


def test_a_base_backup_on_its_way_is_left_alone(tmp_path: Path) -> None:
    """One that is being made, and one that is being sent."""
    settings, there = small_settings(tmp_path), Elsewhere(tmp_path / "there")
    store(settings, f"{SERIES}/owner")
    store_base(settings, base(0))
    sent = f"{SERIES}/base/b0/data"
    there.upload(sent, settings.folder / sent)
    prune(settings, there, SERIES, START + DAY)
    assert set(there.list_sizes()) == {sent}
    store_base(settings, base(1), files=["data"])
    storage, names = FolderStorage(settings.folder), names_of(settings)
    with (
        storage.lock("base", "x"),
        pytest.raises(ArchiveError, match="is being made: nothing is deleted"),
    ):
        prune(settings, storage, SERIES, START + 2 * DAY)
    assert names_of(settings) == names


class Breaking(FolderStorage):
    """Deletes so many files; then it is killed, or refuses."""

    def __init__(self, root: Path, left: int, error: type[BaseException]) -> None:
        super().__init__(root)
        self.left, self.error = left, error

    def delete(self, name: str) -> None:
        if self.left == 0:
            raise self.error
        self.left -= 1
        super().delete(name)


@pytest.mark.parametrize("left", range(7))
@pytest.mark.parametrize("error", [KeyboardInterrupt, ArchiveError])
def test_an_archive_goes_on_after_a_pruning_that_broke_off(
    tmp_path: Path, left: int, error: type[BaseException]
) -> None:
    """Of a series whose time is over the owner stays until all else is gone."""
    settings, old = small_settings(tmp_path), "20260101T120000Z-abcdef"
    for series in (old, SERIES):
        owner = json.dumps({"system_id": "1"}).encode()
        store(settings, f"{series}/owner", owner)
    store_log(settings, range(3), old)
    store_state(settings, START - 300 * DAY, old)
    store(settings, f"{old}/ledger/1")
    store_base(settings, base(0))
    store_log(settings, range(1))
    storage = Breaking(settings.folder, left, error)
    with contextlib.suppress(KeyboardInterrupt, ArchiveError):
        prune(settings, storage, SERIES, START + DAY)
    assert any(name.startswith(old) for name in names_of(settings)) == (left < 6)
    archiver = Archiver(settings, StandIn(), environ={})
    archiver._open()
    assert archiver.shipper
    prune(settings, FolderStorage(settings.folder), SERIES, START + DAY)
    assert not any(name.startswith(old) for name in names_of(settings))
