"""Real servers in a folder of their own, deleted afterwards."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.embedded.private_files import read_json
from config.embedded.servers.postgres import Postgres
from config.embedded.servers.server_folders import delete_server_folder
from config.embedded.servers.valkey import Valkey

PROJECT = Path(__file__).resolve().parents[3]
SERVICE_VARIABLES = (
    "DATABASE_",
    "REDIS_URL",
    "COMMONMIND_",
    "POSTGRES_PORT",
    "VALKEY_PORT",
    "DATA_DIR",
)


def delete_outside_folders(folder: Path) -> None:
    """Delete what the servers had to keep outside the folder."""
    for name in ("postgres", "valkey"):
        if home := read_json(folder / f"{name}.json").get("home"):
            delete_server_folder(Path(home))


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A DATA_DIR of the test's own."""
    folder = tmp_path / "data"
    yield folder
    delete_outside_folders(folder)


@pytest.fixture(scope="module")
def module_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    """One cluster for the tests of a module, as safe as a real one."""
    server = Postgres(tmp_path_factory.mktemp("postgres") / "data")
    yield server
    server.stop()
    delete_outside_folders(server.data_dir)


@pytest.fixture
def postgres(module_server: Postgres) -> Postgres:
    """The module's cluster, running, whatever the test before did to it."""
    module_server.start()
    return module_server


@pytest.fixture
def valkey(data_dir: Path) -> Iterator[Valkey]:
    """A running server of its own, as safe as a real one."""
    server = Valkey(data_dir)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def clean_environment() -> dict[str, str]:
    """The environment without the services that surround the test run."""
    return {
        name: value for name, value in os.environ.items() if not name.startswith(SERVICE_VARIABLES)
    }


@pytest.fixture
def embedded(
    data_dir: Path, clean_environment: dict[str, str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``python -m config.embedded`` with the arguments given, on the test's DATA_DIR."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "config.embedded", *arguments],
            cwd=PROJECT,
            env={**clean_environment, "DATA_DIR": str(data_dir), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
