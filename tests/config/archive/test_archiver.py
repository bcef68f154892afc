"""The archiver with a server that is none: lost places in the log, keys, what broke off."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.archive.archiver import Archiver, load_one_series
from config.archive.catalogue import segment_label
from config.archive.errors import ArchiveError
from config.archive.storage import folder_storage
from tests.config.archive.files import SIZE, StandIn, small_settings

pytestmark = pytest.mark.conformance("O21")


@pytest.fixture
def server() -> StandIn:
    return StandIn()


@pytest.fixture
def archiver(tmp_path: Path, server: StandIn) -> Iterator[Archiver]:
    """Of an archive in which nothing is; its passes are run by hand."""
    made = Archiver(small_settings(tmp_path), server, environ={})
    yield made
    made.receiver.stop()
    if made._base is not None:
        made._base.join()


def pass_until(archiver: Archiver, series_is_not: str) -> None:
    """Run passes until another series is written."""
    end = time.monotonic() + 20
    while archiver.status.series == series_is_not:
        assert time.monotonic() < end, archiver.status
        archiver.receiver._not_before = 0
        archiver.run_once()
        time.sleep(0.02)


def end_receiver(archiver: Archiver) -> None:
    process = archiver.receiver._process
    assert process is not None
    process.kill()
    process.wait()


def test_a_slot_that_is_gone_while_it_runs_begins_a_series(
    archiver: Archiver, server: StandIn
) -> None:
    """As after a failover. A receiver that ends for another reason goes on with the series."""
    archiver.run_once()
    first = archiver.status.series
    end_receiver(archiver)
    archiver.run_once()
    assert archiver.receiver._process is None
    assert archiver.status.series == first
    archiver.receiver._not_before = 0
    archiver.run_once()
    server.has_slot = False
    end_receiver(archiver)
    pass_until(archiver, first)
    assert server.has_slot
    archiver.receiver._not_before = 0
    archiver.run_once()
    assert archiver.receiver._process is not None
    assert archiver.receiver._process.poll() is None, "it receives again"


def test_a_series_that_could_not_begin_begins_later(
    archiver: Archiver, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    archiver.run_once()
    first = archiver.status.series

    def refuse() -> None:
        raise ArchiveError("The database does not answer the archive (x).")

    with monkeypatch.context() as patched:
        patched.setattr(server, "drop_slot", refuse)
        server.has_slot = False
        end_receiver(archiver)
        archiver.run_once()
        archiver.run_once()
        assert archiver.shipper is None, "nothing else is done before"
        assert archiver.status.series == first
    pass_until(archiver, first)


def receive(archiver: Archiver, *numbers: int) -> list[str]:
    """Segments that were received, and of which the server keeps none any more."""
    names = [segment_label(number, 1, SIZE) for number in numbers]
    for name in names:
        (archiver.receiver.folder / name).write_bytes(b"x".ljust(SIZE, b"\0"))
    return names


@pytest.mark.parametrize("restarts", [False, True])
def test_what_was_received_before_the_place_was_lost_is_stored(
    archiver: Archiver, server: StandIn, restarts: bool
) -> None:
    archiver.run_once()
    first = archiver.status.series
    server.position = 3 * SIZE
    archiver.run_once()
    until = archiver._marks[-1][0]
    end_receiver(archiver)
    server.has_slot = False
    names = receive(archiver, 1, 2, 4)
    if restarts:
        archiver.shipper = None
        archiver._marks.clear()
    pass_until(archiver, first)
    old = load_one_series(archiver.settings, first)
    assert old.log_segments() == names[:2], "up to the gap"
    assert list(archiver.receiver.folder.iterdir()) == [], "the new one begins with nothing"
    assert load_one_series(archiver.settings, archiver.status.series).log_segments() == []
    if not restarts:
        assert old.state
        assert old.state.until == until, "every moment up to the end can be restored"


def test_a_full_disk_deletes_nothing_that_was_received(
    archiver: Archiver, server: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    archiver.run_once()
    first = archiver.status.series
    end_receiver(archiver)
    server.has_slot = False
    names = receive(archiver, 1)

    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(folder_storage.os, "fsync", fill)
        archiver.run_once()
        archiver.run_once()
        assert archiver.status.series == first
        assert (archiver.receiver.folder / names[0]).exists()
    pass_until(archiver, first)
    assert load_one_series(archiver.settings, first).log_segments() == names
