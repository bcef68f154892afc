"""What pruning deletes and what it leaves, on archives of small files."""

from pathlib import Path

import pytest

from config.archive.retention import load_all_series, prune
from config.archive.storage.folder_storage import FolderStorage
from tests.config.archive.files import (
    SERIES,
    small_settings,
    store,
    store_base,
    store_log,
    store_state,
)
from tests.config.archive.test_schedule import DAY, START, daily

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
