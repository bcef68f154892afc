"""README.md and docs/start.md, word by word, in a fresh demo with the real model."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from config.embedded.servers.ports import choose_port
from config.embedded.startup_message import is_ready
from tests.config.embedded.conftest import PROJECT, SERVICE_VARIABLES
from tests.docs.test_docs import holds

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.conformance("W01")]
README, START = "README.md", "docs/start.md"
BLOCK = re.compile(r"^```(sh|python|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What a reader takes from the answer before, as the page tells them.
ID_PLACE = "<id from the answer>"
KEY_PLACE = "cmk_...   # the key that was printed"
# The client, as `pip install ./clients/python` would put it there (tests/clients/test_package.py).
CLIENT = PROJECT / "clients" / "python" / "src"


def blocks(name: str, *languages: str) -> list[str]:
    """The blocks of a page in these languages, in order; commands of `make` left out."""
    text = (PROJECT / name).read_text(encoding="utf-8")
    return [
        block
        for language, block in BLOCK.findall(text)
        if language in languages and not block.startswith("make ")
    ]


def block_with(name: str, words: str) -> str:
    """The one block that has these words."""
    [found] = [one for one in blocks(name, "sh", "python") if words in one]
    return found


class Newcomer:
    """Types what the pages say, into one shell environment, at the address of the test."""

    def __init__(self, data_dir: Path, home: Path, url: str, environ: dict[str, str]) -> None:
        self.data_dir, self.url, self.home = data_dir, url, home
        command = home / "bin" / "commonmind"
        command.parent.mkdir(parents=True)
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m commonmind "$@"\n')
        command.chmod(0o755)
        self.environ = {
            **environ,
            "DATA_DIR": str(data_dir),
            "DJANGO_SETTINGS_MODULE": "config.settings.local",
            "HOME": str(home),
            "PATH": f"{command.parent}:{environ['PATH']}",
            "PYTHONPATH": str(CLIENT),
        }
        self.demo = json.loads((data_dir / "demo.json").read_text())
        self.key = self.demo["robots"][0]["key"]

    def type(self, block: str, **replaced: str) -> str:
        """What a block prints; KEY stands as the page has set it. Fails if a command fails."""
        text = block.replace("http://127.0.0.1:8000", self.url)
        text = text.replace("var/demo.json", str(self.data_dir / "demo.json"))
        text = text.replace(".venv/bin/python", sys.executable)
        for before, after in replaced.items():
            text = text.replace(before, after)
        program = [sys.executable, "-c"] if "from commonmind import" in text else ["bash", "-euc"]
        done = subprocess.run(
            [*program, text],
            cwd=PROJECT,
            env={**self.environ, "KEY": self.key},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def until(look: Callable[[], Any], seconds: int = 90) -> Any:
    """What `look` gives once it is true, as the worker needs a moment."""
    end = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < end:
        time.sleep(0.5)
    return found


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Newcomer]:
    folder = tmp_path_factory.mktemp("first")
    data_dir, port = folder / "d", choose_port()
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(SERVICE_VARIABLES)
    }
    environ.pop("DJANGO_SETTINGS_MODULE", None)
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "config.embedded", "run"],
        cwd=PROJECT,
        env={**environ, "DATA_DIR": str(data_dir), "PORT": str(port)},
    )
    try:
        until(lambda: is_ready(url) or process.poll() is not None, 400)
        assert is_ready(url)
        yield Newcomer(data_dir, folder / "home", url, environ)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


@pytest.mark.parametrize("name", [README, START])
def test_the_first_answer_is_the_one_that_is_shown(newcomer: Newcomer, name: str) -> None:
    """Also how sure it is of itself."""
    shown = json.loads(re.sub(r"\.\.\.", "", blocks(name, "json")[0]))
    asked = block_with(README, '"query": "When does the Spinnaker')

    def given() -> dict[str, Any] | None:
        answer = json.loads(newcomer.type(asked))
        return answer if answer["confidence"] >= shown["confidence"] - 0.05 else None

    answer = until(given)
    assert answer is not None
    assert answer["answered"] == shown["answered"]
    assert abs(answer["confidence"] - shown["confidence"]) <= 0.05
    for one in shown["results"]:
        del one["robot"]["id"]
    assert holds(shown["results"], answer["results"])
    assert set(shown) <= set(answer)


def test_what_the_readme_tells_it_is_found_in_other_words(newcomer: Newcomer) -> None:
    told = json.loads(newcomer.type(block_with(README, '-d \'{"content"')))
    assert not told["deduplicated"], "a sentence that the demo has already shows nothing"
    in_python = newcomer.type(block_with(README, "client.remember"))
    assert in_python.split(" ", 1)[0] in ("yes", "unsure")
    assert "The ladder hangs beside the cutting table." in in_python
    asked = block_with(README, "commonmind recall")
    assert until(lambda: "behind the sail loft" in newcomer.type(asked))


def test_the_page_to_start_with_says_it_in_python_too(newcomer: Newcomer) -> None:
    said = newcomer.type(block_with(START, "client.recall"))
    assert said.startswith("yes The Spinnaker backpack goes on sale on 12 May")


def test_an_organisation_of_ones_own_as_the_page_says(newcomer: Newcomer) -> None:
    made = newcomer.type(block_with(START, "create_organisation Acme"))
    assert "Acme" in made
    key = re.search(r"cmk_[\w-]+", newcomer.type(block_with(START, "create_robot")))
    assert key is not None
    ask = block_with(START, '"query": "raise"')
    answer = json.loads(newcomer.type(ask, **{KEY_PLACE: key[0]}))
    assert answer["results"][0]["content"] == "I will ask for a raise after the release."
    of_tom = newcomer.type(ask, **{KEY_PLACE: key[0], "import:Noor": "import:Tom"})
    assert "raise after" not in of_tom

    newcomer.key = key[0]
    opened, *rest = re.split(r"^(?=curl)", block_with(START, "/conversations"), flags=re.M)[1:]
    conversation = json.loads(newcomer.type(opened))["id"]
    newcomer.type(rest[0], **{ID_PLACE: conversation})
    assert until(lambda: json.loads(newcomer.type(rest[1]))["results"])

    # Signed in with the password that `make run` printed.
    owner = newcomer.demo["owner"]
    with httpx.Client(base_url=newcomer.url, follow_redirects=True) as browser:
        form = browser.get("/accounts/login/")
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form.text)
        assert token is not None
        said = {"csrfmiddlewaretoken": token[1], "email": owner["email"]}
        browser.post(
            form.url,
            data=said | {"password": owner["password"]},
            headers={"Referer": str(form.url)},
        )
        assert "Acme" in browser.get("/organisations/").text
        assert browser.get("/organisations/acme/").url.path == "/"
