"""What tests of folders share."""

from pathlib import Path
from typing import Any

import pytest

from tests.world import Tenant, World


@pytest.fixture
def here(lasting_world: World, settings: Any, tmp_path: Path) -> Tenant:
    """An organisation whose rows other connections see, with a folder on the server."""
    settings.DATA_DIR = tmp_path / "data"
    settings.IMPORT_FOLDER = str(tmp_path / "imports")
    (tmp_path / "imports" / lasting_world.here.organisation.slug).mkdir(parents=True)
    return lasting_world.here


@pytest.fixture
def folder(here: Tenant, settings: Any) -> Path:
    """The folder that Ada names."""
    path = Path(settings.IMPORT_FOLDER) / here.organisation.slug / "chats"
    path.mkdir()
    return path
