"""The memory service for Google's ADK, with the package itself, and the guide."""

import re
import shutil
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.clients.external_suites import SUITES, make_environment, run_program, run_tests
from tests.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
GUIDE = ROOT / "docs/agents/google-adk.md"
PACKAGE = "google-adk==2.13.0"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the client, as its extra installs it, and ADK."""
    folder = tmp_path_factory.mktemp("google_adk")
    return make_environment(folder, "google-adk", PACKAGE, "pytest", "pytest-asyncio")


@pytest.fixture
def chef(lasting_world: World) -> World:
    """The world with a robot as the guide makes it."""
    lasting_world.here.add_robot("chef", scopes=("read", "write", "act_for", "manage"))
    return lasting_world


def test_the_program_of_the_guide_runs(python: Path, chef: World, address: str) -> None:
    [program] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    said = run_program(python, program, chef.here.keys["chef"], address)
    assert said.strip() == "['I am allergic to walnuts.']"


def test_the_service_passes(python: Path, chef: World, address: str, tmp_path: Path) -> None:
    # Beside the tests of this project it would get their conftest.
    cases = shutil.copy(SUITES / "google_adk_cases.py", tmp_path / "test_cases.py")
    run_tests(python, tmp_path, chef, address, str(cases), robot="chef")
