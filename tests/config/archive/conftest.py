"""Archived servers from the wheel, each in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.archive.rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A server with an empty table `note`, and its archive, in which nothing is yet."""
    made = Rig(tmp_path)
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    """An archive that is only read: full, ten rows, incremental, ten, incremental, ten; its server
    is gone. `moments` are those behind each ten."""
    made = Rig(tmp_path_factory.mktemp("kept"))
    try:
        made.start()
        made.archive()
        for _ in range(3):
            made.moments.append(made.write(10))
            made.archive()
            made.bases.append(made.base())
        made.moments.append(made.write(1))
        made.archive()
        made.archiver.receiver.stop()
        made.server.stop()
        yield made
    finally:
        made.close()
