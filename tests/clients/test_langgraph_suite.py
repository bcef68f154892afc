"""LangGraph's store: the tests of LangGraph's own stores, and those of ours (N18)."""

import shutil
from pathlib import Path

import pytest

from tests.clients.external_suites import SUITES, make_environment, run_tests, take_tests
from tests.world import World

pytestmark = [
    pytest.mark.conformance("N18"), pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip
# Whose sdists hold the tests; each file, and what of it runs.
TESTS = {
    "checkpoint": ("langgraph-checkpoint==4.3.2", ["test_store.py"]),
    "postgres": ("langgraph-checkpoint-postgres==3.2.0", ["test_store.py", "test_async_store.py"]),
}
NEEDED = ["pytest", "pytest-asyncio", "pytest-mock", "numpy", "psycopg[binary]"]
# Theirs, by names that a module of tests defines itself.
INSTEAD = "store, vector_store, clear_test_db, _create_vector_store"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the client, as its extra installs it, and LangGraph's stores."""
    pinned = [package for package, _ in TESTS.values()]
    return make_environment(tmp_path_factory.mktemp("langgraph"), "langgraph", *pinned, *NEEDED)


@pytest.mark.parametrize("suite", sorted(TESTS))
def test_the_tests_of_langgraphs_own_stores_pass(
    python: Path, suite: str, lasting_world: World, address: str, tmp_path: Path
) -> None:
    package, files = TESTS[suite]
    folder = tmp_path / suite
    folder.mkdir()
    take_tests(package, tmp_path).rename(folder / "tests")
    for name in files:
        with (folder / "tests" / name).open("a", encoding="utf-8") as file:
            if suite == "postgres":
                file.write(f"\n\nfrom langgraph_plugin import {INSTEAD}  # noqa\n")
    chosen = [f"tests/{name}" for name in files]
    run_tests(python, folder, lasting_world, address, *chosen, plugin="langgraph")


def test_our_own_tests_of_the_store_pass(
    python: Path, lasting_world: World, address: str, tmp_path: Path
) -> None:
    # Beside the tests of this project it would get their conftest.
    cases = shutil.copy(SUITES / "langgraph_cases.py", tmp_path / "test_cases.py")
    run_tests(python, tmp_path, lasting_world, address, str(cases), plugin="langgraph")
