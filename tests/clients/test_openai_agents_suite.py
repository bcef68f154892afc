"""The session for the OpenAI Agents SDK: the tests of the SDK's own, ours, and the guide."""

import re
import shutil
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.clients.external_suites import (
    SUITES,
    make_environment,
    run_program,
    run_tests,
    take_tests,
)
from tests.config.transport.web_process import serving
from tests.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
GUIDE = ROOT / "docs/agents/openai-agents.md"
PACKAGE = "openai-agents==0.24.0"
NEEDED = ["pytest", "pytest-asyncio", "inline-snapshot"]
TESTS = ["test_session.py", "test_session_limit.py"]
# In the place of OpenAI's models: it answers, or it calls a tool first.
MODEL = """
import agents
from agents.models.multi_provider import MultiProvider
from agents.testing import ScriptedModel, assistant_message, function_call

agents.set_tracing_disabled(True)
model = ScriptedModel({steps})
MultiProvider.get_model = lambda self, name: model
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the client, as its extra installs it, and the SDK."""
    folder = tmp_path_factory.mktemp("openai_agents")
    return make_environment(folder, "openai-agents", PACKAGE, *NEEDED)


@pytest.fixture(scope="module")
def programs() -> list[str]:
    """Those of the guide: with a session, with tools."""
    text = GUIDE.read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(found) == 2
    return found


def test_the_session_of_the_guide_remembers(
    python: Path, programs: list[str], lasting_world: World, address: str
) -> None:
    steps = "[[assistant_message('Hello.')], [assistant_message('It is Mina.')]]"
    program = MODEL.format(steps=steps) + programs[0] + "\nprint(model.calls[-1].input[0])\n"
    said = run_program(python, program, lasting_world.here.keys["bolt"], address).splitlines()
    assert said[:2] == ["Hello.", "It is Mina."]
    assert "My name is Mina." in said[2]


def test_the_agent_of_the_guide_is_given_the_tools(
    python: Path, programs: list[str], lasting_world: World, tmp_path: Path
) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "The office closes at six on Fridays.")
    call = "function_call('search_memories', {'query': 'office'}, call_id='1')"
    steps = f"[[{call}], [assistant_message('At six.')]]"
    program = MODEL.format(steps=steps) + programs[1] + "\nprint(model.calls[-1].input[-1])\n"
    with serving(tmp_path) as web:
        address = f"http://127.0.0.1:{web.port}"
        said = run_program(python, program, here.keys["bolt"], address)
    assert said.startswith("At six.\n")
    assert "closes at six on Fridays" in said


def test_the_tests_of_the_sdks_own_session_pass(
    python: Path, lasting_world: World, address: str, tmp_path: Path
) -> None:
    folder = tmp_path / "openai_agents"
    folder.mkdir()
    take_tests(PACKAGE, tmp_path).rename(folder / "tests")
    for name in TESTS:
        with (folder / "tests/memory" / name).open("a", encoding="utf-8") as file:
            file.write("\n\nfrom openai_agents_plugin import SQLiteSession  # noqa\n")
    chosen = [f"tests/memory/{name}" for name in TESTS]
    said = run_tests(python, folder, lasting_world, address, *chosen, plugin="openai_agents")
    [passed] = re.findall(r"(\d+) passed", said)
    assert int(passed) > 50


def test_our_own_tests_of_the_session_pass(
    python: Path, lasting_world: World, address: str, tmp_path: Path
) -> None:
    # Beside the tests of this project it would get their conftest.
    cases = shutil.copy(SUITES / "openai_agents_cases.py", tmp_path / "test_cases.py")
    run_tests(python, tmp_path, lasting_world, address, str(cases))
