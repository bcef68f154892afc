"""Every example of docs/clients.md runs, in the order of the page, against the real server."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tests.architecture.source import ROOT
from tests.clients.command_shell import Shell
from tests.event_loop import in_own_thread
from tests.world import World

pytestmark = pytest.mark.conformance("N11")
PAGE = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# What is only shown: installing, and where the key comes from.
SHOWN = {"console": 3, "ts": 1}


def blocks(language: str) -> Iterator[str]:
    yield from (text for kind, text in BLOCKS if kind == language)


@pytest.fixture
def surroundings(lasting_world: World, address: str, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("COMMONMIND_URL", address)
    monkeypatch.setenv("COMMONMIND_KEY", lasting_world.here.keys["bolt"] + "\n")
    return lasting_world


def test_every_example_in_python_runs(surroundings: World) -> None:
    printed = io.StringIO()
    for number, text in enumerate(blocks("python"), 1):
        with redirect_stdout(printed):
            code = compile(text, f"docs/clients.md, example {number}", "exec")
            # One of them has a loop of its own.
            in_own_thread(exec, code, {})
    said = printed.getvalue()
    assert "The office closes at six on Fridays. Everyone in the organisation" in said
    assert "['The office opens at eight.'" in said
    assert "not-found [{'field': 'group'" in said
    assert "limit " in said
    assert "changed meanwhile; now it is " in said
    assert "\n7 " in said


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with the command `commonmind`, as it is installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "commonmind"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m commonmind "$@"\n')
    command.chmod(0o755)
    return folder


def test_every_example_of_the_command_line_runs(
    lasting_world: World, address: str, stranger: Shell, programs: Path, tmp_path: Path
) -> None:
    """In one folder, with one home, one block after the other; pipes count."""
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "clients/python/src"),
        "HOME": stranger.environment["HOME"],
        "LANG": "C.UTF-8",
        "URL": address,
        "KEY": lasting_world.here.keys["bolt"],
    }
    said = ""
    for text in blocks("sh"):
        done = subprocess.run(
            ["bash", "-e", "-c", text],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (text, done.stderr)
        said += done.stdout
    assert "\tThe office closes at six on Fridays.\t" in said
    assert "2 active" in said
    assert '{"recall_id": ' in said
    assert " replaced\n" in said
    assert '"content": "The press kit waits."' in said


def test_every_block_of_the_page_is_run_or_known() -> None:
    kinds = [kind for kind, _ in BLOCKS]
    assert kinds.count("python") >= 7
    assert kinds.count("sh") >= 3
    assert {kind: kinds.count(kind) for kind in set(kinds) - {"python", "sh"}} == SHOWN


def test_every_method_of_the_client_stands_on_the_page() -> None:
    from tests.clients.test_described_calls import METHODS_OF_CLIENT

    words = set(re.findall(r"(?<=[`.])\w+", PAGE))
    assert {name.rpartition(".")[2] for name in METHODS_OF_CLIENT} <= words


def test_the_example_in_typescript_is_the_one_that_is_run() -> None:
    """`test_typescript.py` runs that of the package's own page."""
    own = (ROOT / "clients/typescript/README.md").read_text(encoding="utf-8")
    assert list(blocks("ts")) == re.findall(r"^```ts\n(.*?)^```$", own, re.MULTILINE | re.DOTALL)


def test_every_command_and_option_of_the_page_exists() -> None:
    from commonmind.cli.main import commonmind

    part = PAGE[PAGE.index("## The command line") :]
    table = re.findall(r"^\| (`.*?) \| (.*) \|$", part, re.MULTILINE)
    named = {word for cell, _ in table for word in re.findall(r"`(\w+)`", cell)}
    assert named == set(commonmind.commands)
    options = {
        name
        for command in commonmind.commands.values()
        for one in (command, *getattr(command, "commands", {}).values())
        for parameter in one.params
        for name in parameter.opts
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", part)) <= {*options, "--help"}
