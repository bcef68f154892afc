"""LangGraph's store: the tests of LangGraph's own stores, and those of ours (N18).

Both need packages that are no part of this project, so they run in an environment of their own.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.world import World

pytestmark = [
    pytest.mark.conformance("N18"), pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip
SUITES = Path(__file__).parent / "suites"
# Whose sdists hold the tests; each file, and what of it runs.
TESTS = {
    "checkpoint": ("langgraph-checkpoint==4.3.2", ["test_store.py"]),
    "postgres": ("langgraph-checkpoint-postgres==3.2.0", ["test_store.py"]),
}
NEEDED = ["pytest", "pytest-asyncio", "pytest-mock", "numpy", "psycopg[binary]"]
# Theirs, by names that a module of tests defines itself.
INSTEAD = "store, vector_store, clear_test_db, _create_vector_store"


def pip(*words: object, python: Path | str = sys.executable) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("pip reaches no packages here.")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the client, as its extra installs it, and LangGraph's stores."""
    folder = tmp_path_factory.mktemp("langgraph")
    venv.create(folder, with_pip=True)
    found = folder / "bin/python"
    extra = f"{ROOT / 'clients/python'}[langgraph]"
    pinned = [package for package, _ in TESTS.values()]
    pip("install", "-q", "--no-input", extra, *pinned, *NEEDED, python=found)
    return found


def run_tests(python: Path, folder: Path, world: World, address: str, *words: str) -> str:
    environment = {
        **os.environ,
        "COMMONMIND_URL": address,
        "COMMONMIND_KEY": world.here.keys["bolt"],
        "SUITE": str(folder),
        "EXPECTED_FAILURES": str(SUITES / "langgraph_expected_failures.txt"),
        "PYTHONPATH": str(SUITES),
    }
    for name in ("DJANGO_SETTINGS_MODULE", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        environment.pop(name, None)
    command = [
        str(python),
        "-m",
        "pytest",
        "-q",
        "-p",
        "langgraph_plugin",
        "-p",
        "no:cacheprovider",
    ]
    command += ["-o", "asyncio_mode=auto", "--rootdir", str(folder), "--tb=short", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("suite", sorted(TESTS))
def test_the_tests_of_langgraphs_own_stores_pass(
    python: Path, suite: str, lasting_world: World, address: str, tmp_path: Path
) -> None:
    package, files = TESTS[suite]
    pip("download", "-q", "--no-deps", "--no-binary", ":all:", "-d", tmp_path, package)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "sdist", filter="data")
    [found] = (tmp_path / "sdist").glob("*/tests")
    folder = tmp_path / suite
    folder.mkdir()
    found.rename(folder / "tests")
    for name in files:
        with (folder / "tests" / name).open("a", encoding="utf-8") as file:
            if suite == "postgres":
                file.write(f"\n\nfrom langgraph_plugin import {INSTEAD}  # noqa\n")
    said = run_tests(python, folder, lasting_world, address, *(f"tests/{name}" for name in files))
    assert " passed" in said


def test_our_own_tests_of_the_store_pass(
    python: Path, lasting_world: World, address: str, tmp_path: Path
) -> None:
    # Beside the tests of this project it would get their conftest.
    cases = shutil.copy(SUITES / "langgraph_cases.py", tmp_path / "test_cases.py")
    said = run_tests(python, tmp_path, lasting_world, address, str(cases))
    assert " passed" in said
