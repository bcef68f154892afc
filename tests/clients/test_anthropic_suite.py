"""The memory tool: the tests of the one that Anthropic's SDK has for a folder (N21)."""

import re
from pathlib import Path

import pytest

from tests.clients.external_suites import make_environment, run_tests, take_tests
from tests.world import World

pytestmark = [
    pytest.mark.conformance("N21"), pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip
PACKAGE = "anthropic==2.14.0"
NEEDED = ["pytest", "pytest-asyncio"]
TESTS = "lib/tools/memory_tools/test_filesystem.py"
INSTEAD = (
    "BetaLocalFilesystemMemoryTool, BetaAsyncLocalFilesystemMemoryTool, "
    "get_directory_snapshot, Path"
)


def test_the_tests_of_the_sdks_own_tool_pass(
    lasting_world: World, address: str, tmp_path: Path
) -> None:
    python = make_environment(tmp_path / "venv", "anthropic", PACKAGE, *NEEDED)
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
