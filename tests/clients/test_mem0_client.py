"""mem0's own client, unmodified, in an environment of its own, against this server (N10).

`mem0ai` wants another protobuf than the product has, so it is installed beside it for this test.
"""

import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.world import World

pytestmark = [pytest.mark.conformance("N10"), pytest.mark.slow, pytest.mark.timeout(900)]
GUIDE = ROOT / "docs/agents/mem0.md"
CALLS = ROOT / "tests/clients/mem0_calls.py"
PACKAGE = "mem0ai==2.2.1"


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with mem0's client."""
    place = tmp_path_factory.mktemp("mem0") / "venv"
    venv.create(place, with_pip=True)
    command = [str(place / "bin/pip"), "install", "--quiet", "--no-input", PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("pip reaches no packages here.")
    assert done.returncode == 0, done.stderr
    return place / "bin/python"


def run(python: Path, program: str, key: str, address: str, home: Path) -> str:
    """What a program prints."""
    own = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "MEM0_DIR": str(home),
        "MEM0_TELEMETRY": "False",
        "COMMONMIND_KEY": key,
        "COMMONMIND_URL": address,
        "MEM0_HOST": f"{address}/mem0",
    }
    done = subprocess.run(
        [str(python), "-c", program],
        capture_output=True, text=True, env=own, cwd=home, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_of_the_guide_runs(
    python: Path, lasting_world: World, address: str, tmp_path: Path
) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert f"pip install {PACKAGE}" in text
    [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    said = run(python, program, lasting_world.here.keys["aria"], address, tmp_path)
    assert said.strip() == "I am a vegetarian and allergic to nuts."


def test_every_call_is_answered(
    python: Path, lasting_world: World, address: str, tmp_path: Path
) -> None:
    program = CALLS.read_text(encoding="utf-8")
    said = run(python, program, lasting_world.here.keys["aria"], address, tmp_path)
    assert said.strip() == "all calls answered"
