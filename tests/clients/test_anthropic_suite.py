"""The memory tool: the tests of the one that Anthropic's SDK has for a folder (N21)."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.clients.external_suites import make_environment, run_tests, take_tests
from tests.world import World

pytestmark = [
    pytest.mark.conformance("N21"), pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip
GUIDE = ROOT / "docs/agents/memory-tool.md"
PACKAGE = "anthropic==2.14.0"
NEEDED = ["pytest", "pytest-asyncio"]
TESTS = "lib/tools/memory_tools/test_filesystem.py"
INSTEAD = (
    "BetaLocalFilesystemMemoryTool, BetaAsyncLocalFilesystemMemoryTool, "
    "get_directory_snapshot, Path"
)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the client, as its extra installs it, and the SDK."""
    return make_environment(tmp_path_factory.mktemp("anthropic"), "anthropic", PACKAGE, *NEEDED)


def test_the_program_of_the_guide_runs(python: Path, lasting_world: World, address: str) -> None:
    [program] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    environment = {"COMMONMIND_URL": address, "COMMONMIND_KEY": lasting_world.here.keys["bolt"]}
    done = subprocess.run(
        [str(python), "-c", program], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0] == "File created successfully at: /memories/tea.md"
    assert "16B\t/memories/tea.md" in said
    assert said[-1] == "Successfully deleted /memories/tea.md"


def test_the_tests_of_the_sdks_own_tool_pass(
    python: Path, lasting_world: World, address: str, tmp_path: Path
) -> None:
    text = (take_tests(PACKAGE, tmp_path) / TESTS).read_text(encoding="utf-8")
    assert text.count("\nclass TestBeta") == 2
    folder = tmp_path / "memory_tools"
    folder.mkdir()
    text += f"\n\nfrom anthropic_plugin import {INSTEAD}  # noqa\n"
    (folder / "test_filesystem.py").write_text(text, encoding="utf-8")
    said = run_tests(
        python, folder, lasting_world, address, "test_filesystem.py", plugin="anthropic"
    )
    [passed] = re.findall(r"(\d+) passed", said)
    assert int(passed) > 60
