"""The erasure ledger: nothing lost, whoever writes and wherever a line breaks off."""

import multiprocessing
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from orgs.database.erasure_ledger import (
    LedgerEntry,
    append_entry,
    merge_entries,
    missing_entries,
    read_entries,
)


def act(number: int, day: int = 1, **fields: str) -> LedgerEntry:
    known = {"organisation": "o", "what": "memory", "target": f"t{number}"}
    at = f"2026-03-{day:02}T00:00:00+00:00"
    return LedgerEntry(**{"id": f"a{number}", "at": at, **known, **fields})  # type: ignore[typeddict-item]


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "ledger"
    assert read_entries(path) == []
    append_entry(act(1), path)
    some_id = UUID(int=7)
    at = datetime(2026, 3, 2, tzinfo=UTC)
    append_entry({**act(2), "target": some_id, "at": at}, path)
    assert read_entries(path) == [act(1), act(2, day=2, target=str(some_id))]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_torn_line_hides_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "ledger"
    append_entry(act(1), path)
    with path.open("ab") as file:
        file.write(b'{"id": "a2", "organ')
    assert read_entries(path) == [act(1)]
    append_entry(act(3), path)
    assert read_entries(path) == [act(1), act(3)]
    assert "line 2" in caplog.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": ""},
        {"target": "x" * 201},
        {"at": "yesterday"},
        {"at": "2026-03-01T00:00:00"},
        {"text": "what was said"},
        {"what": 3},
    ],
)
def test_only_ids_go_in(tmp_path: Path, wrong: dict[str, object]) -> None:
    path = tmp_path / "ledger"
    with pytest.raises(ValueError, match="erasure"):
        append_entry({**act(1), **wrong}, path)
    assert not path.exists()
    path.write_text('{"id": "a1"}\n')
    with pytest.raises(ValueError, match="line 1"):
        read_entries(path)


def test_joined_each_act_stands_once_in_the_order_of_time() -> None:
    one, two, three = act(1, day=3), act(2, day=1), act(3, day=2)
    east = act(4, at="2026-03-01T01:00:00+02:00")
    assert merge_entries([one, two], [two, three, east]) == [east, two, three, one]
    assert merge_entries([], []) == []
    assert merge_entries([one], [act(1, day=9)]) == [one], "the first one's words"
    assert missing_entries([one, two], [two, three]) == [three]


def _many(path: Path, first: int) -> None:
    for number in range(first, first + 50):
        append_entry(act(number), path)


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    spawn = multiprocessing.get_context("fork")
    writers = [spawn.Process(target=_many, args=(path, first)) for first in (0, 50)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(one["id"] for one in read_entries(path)) == sorted(f"a{n}" for n in range(100))
