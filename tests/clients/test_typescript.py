"""The client in TypeScript: generated from the description, type-checked, against the product."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.version import VERSION
from tests.architecture.source import ROOT
from tests.architecture.test_house import REGISTRIES
from tests.world import World
from tools.release import LAST_RELEASE

PACKAGE = ROOT / "clients/typescript"
# The clients are released with the server: their version is that of the last release, or of the
# next one as soon as it is made.
RELEASES = {json.loads((ROOT / LAST_RELEASE).read_text("utf-8"))["version"], VERSION}
pytestmark = pytest.mark.conformance("N25")


def test_its_lock_names_no_registry_and_all_that_the_package_names() -> None:
    lock = (PACKAGE / "package-lock.json").read_text(encoding="utf-8")
    assert not re.search("|".join(rf"\b{name}\.{end}\b" for name, end in REGISTRIES), lock)
    locked = json.loads(lock)["packages"]
    assert [name for name, one in locked.items() if "resolved" in one] == []
    assert [name for name, one in locked.items() if name and "integrity" not in one] == []
    project = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    for name, version in {**project["dependencies"], **project["devDependencies"]}.items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert project["version"] == locked[""]["version"]
    assert project["version"] in RELEASES


def test_the_whole_check_of_a_change_builds_it() -> None:
    assert re.search(r"make client-typescript", (ROOT / ".ci/run").read_text(encoding="utf-8"))


def run(folder: Path, *command: object, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode and re.search("ENOTFOUND|ECONNREFUSED|ETIMEDOUT|E40[34]", done.stderr):
        pytest.skip("npm reaches no packages here.")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the client, built as `make client-typescript` does it."""
    if shutil.which("npm") is None:
        pytest.skip("There is no Node; the client in TypeScript is left out.")
    folder = tmp_path_factory.mktemp("typescript") / "client"
    shutil.copytree(
        PACKAGE, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "*.json~")
    )
    run(ROOT, sys.executable, "-m", "tools.client_types", folder / "openapi.json")
    run(folder, "npm", "ci")
    run(folder, "npm", "run", "build")
    return folder


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_is_generated_and_type_checked(built: Path) -> None:
    """Wrong calls in test/types.ts have to be errors, and are: `@ts-expect-error`."""
    assert (built / "dist/index.d.ts").exists()
    text = (built / "test/types.ts").read_text(encoding="utf-8")
    expected = text.count("// @ts-expect-error")
    assert expected >= 5
    (built / "test/types.ts").write_text(text.replace("@ts-expect-error", ""), encoding="utf-8")
    wrong = subprocess.run(
        ["npm", "run", "check"], cwd=built, capture_output=True, text=True, check=False
    )
    # Other tests build the same folder.
    (built / "test/types.ts").write_text(text, encoding="utf-8")
    assert wrong.stdout.count("error TS") == expected, wrong.stdout


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_remembers_recalls_and_repeats(built: Path, lasting_world: World, address: str) -> None:
    key = lasting_world.here.keys["bolt"]
    said = run(built, "node", "test/live.mjs", COMMONMIND_URL=address, COMMONMIND_KEY=key)
    assert said.strip() == "all as it should be"
    example = re.search(r"```ts\n(.*?)```", (built / "README.md").read_text(), re.DOTALL)
    assert example
    text = example[1].replace('from "commonmind"', 'from "../src/index.js"')
    (built / "test/readme.ts").write_text(text.replace("http://127.0.0.1:8000", address))
    run(
        built,
        "npx",
        "tsc",
        "--outDir",
        "ran",
        "--project",
        "tsconfig.check.json",
        "--noEmit",
        "false",
    )
    told = run(built, "node", "ran/test/readme.js", COMMONMIND_KEY=key)
    assert told.splitlines()[0] == "The office closes at six on Fridays."
