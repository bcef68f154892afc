"""The package of the client: what it needs, what a type checker knows of it, that it installs."""

import ast
import json
import os
import re
import subprocess
import sys
import time
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from config.version import VERSION
from tests.architecture.source import ROOT, imports
from tests.clients.command_shell import Shell
from tests.world import World
from tools.release import LAST_RELEASE

pytestmark = pytest.mark.conformance("N11")
PACKAGE = ROOT / "clients/python"
# The clients are released with the server: their version is that of the last release, or of the
# next one as soon as it is made.
RELEASES = {json.loads((ROOT / LAST_RELEASE).read_text("utf-8"))["version"], VERSION}
SOURCE = PACKAGE / "src/commonmind"
PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted(SOURCE.rglob("*.py"))
# The module that needs an extra, by the extra; and what it imports of it.
EXTRAS = {
    "anthropic": ("anthropic.py", "anthropic"),
    "google-adk": ("google_adk.py", "google"),
    "langgraph": ("langgraph.py", "langgraph"),
    "openai-agents": ("openai_agents.py", "agents"),
}
TYPES = "tests/clients/typed_calls.py"


def test_it_needs_httpx_and_at_most_three_more() -> None:
    needed = {Requirement(one).name for one in PROJECT["dependencies"]}
    assert "httpx" in needed
    assert len(needed) <= 4
    server = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (PROJECT["name"], server["name"]) == ("commonmind", "commonmind-server")
    assert PROJECT["version"] in RELEASES


def test_it_imports_what_it_needs_and_nothing_of_the_server() -> None:
    needed = {Requirement(one).name for one in PROJECT["dependencies"]}
    allowed = {*sys.stdlib_module_names, *needed, "commonmind"}
    for path in MODULES:
        # For the type checker alone, which has it.
        checked = "typing_extensions" if "TYPE_CHECKING" in path.read_text() else ""
        extra = dict(EXTRAS.values()).get(path.name, "")
        foreign = {name.split(".")[0] for _, name in imports(path)} - allowed - {checked, extra}
        assert foreign == set(), path


def test_what_an_extra_brings_is_needed_by_its_module_alone() -> None:
    assert set(PROJECT["optional-dependencies"]) == set(EXTRAS)
    modules = {name for name, _ in EXTRAS.values()}
    for path in MODULES:
        if path.name not in modules:
            needs = {f"commonmind.{name.removesuffix('.py')}" for name in modules}
            assert not {name for _, name in imports(path)} & needs, path


def test_it_knows_nothing_newer_than_the_oldest_python_that_it_names() -> None:
    """As far as the grammar goes; `mypy` and `ruff` check the library by the same version."""
    [oldest] = re.findall(r"^>=3\.(\d+)$", PROJECT["requires-python"])
    for path in MODULES:
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, int(oldest)))
    mypy = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["tool"]["mypy"]
    ruff = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
    assert mypy["python_version"] == f"3.{oldest}"
    assert ruff["per-file-target-version"]["clients/python/**"] == f"py3{oldest}"


def test_its_files_stay_small() -> None:
    long = {p.name for p in MODULES if len(p.read_text(encoding="utf-8").splitlines()) > 450}
    assert long <= {"schema.py"}, "only what is generated may be long"
    assert (SOURCE / "py.typed").exists()


def check_types(source: Path) -> tuple[int, str]:
    """What mypy says of the client and of this file."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(PACKAGE / "pyproject.toml")]
    command += ["--cache-dir", str(ROOT / ".mypy_cache/client"), str(PACKAGE / "src"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.returncode, done.stdout


@pytest.mark.slow
def test_a_type_checker_finds_wrong_calls(tmp_path: Path) -> None:
    status, said = check_types(ROOT / TYPES)
    assert status == 0, said
    text = (ROOT / TYPES).read_text(encoding="utf-8")
    wrong = tmp_path / "wrong_calls.py"
    wrong.write_text(re.sub(r" +# type: ignore.*", "", text), encoding="utf-8")
    status, said = check_types(wrong)
    assert (status, said.count(": error:")) == (1, text.count("# type: ignore["))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_newcomer_installs_remembers_and_recalls_in_two_minutes(
    lasting_world: World, address: str, stranger: Shell, tmp_path: Path
) -> None:
    """As README says it, in an environment of their own; from what pip can reach."""
    programs = tmp_path / "venv/bin"
    environment = {**os.environ, **stranger.environment, "PYTHONPATH": ""}

    def run(*command: object, given: str = "") -> str:
        done = subprocess.run(
            [*map(str, command)],
            input=given, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False,
        )  # fmt: skip
        if done.returncode and "No matching distribution" in done.stderr:
            pytest.skip("pip reaches no packages here.")
        assert done.returncode == 0, done.stderr
        return done.stdout

    began = time.monotonic()
    venv.create(tmp_path / "venv", with_pip=True)
    run(programs / "python", "-m", "pip", "install", "--quiet", "--no-input", PACKAGE)
    run(programs / "commonmind", "login", address, given=lasting_world.here.keys["bolt"])
    run(programs / "commonmind", "remember", "The office closes at six on Fridays.")
    told = run(programs / "commonmind", "recall", "When does the office close?")
    assert time.monotonic() - began < 120
    assert "The office closes at six on Fridays." in told
    assert PROJECT["version"] in run(programs / "commonmind", "--version")
    asked = "from commonmind import Client; print(Client().me()['name'])"
    assert run(programs / "python", "-c", asked).strip() == "bolt"
