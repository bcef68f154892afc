"""Every example of docs/clients.md runs, in the order of the page, against the real server."""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout

import pytest

from tests.architecture.source import ROOT
from tests.world import World

pytestmark = pytest.mark.conformance("N11")
PAGE = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# What is only shown: installing, and where the key comes from.
SHOWN = {"console": 2}


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
            exec(compile(text, f"docs/clients.md, example {number}", "exec"), {})  # noqa: S102
    said = printed.getvalue()
    assert "The office closes at six on Fridays. Everyone in the organisation" in said
    assert "['The office opens at eight.'" in said
    assert "not-found [{'field': 'group'" in said
    assert "limit " in said
    assert "changed meanwhile; now it is " in said
    assert "\n7 " in said


def test_every_block_of_the_page_is_run_or_known() -> None:
    kinds = [kind for kind, _ in BLOCKS]
    assert kinds.count("python") >= 7
    assert {kind: kinds.count(kind) for kind in set(kinds) - {"python"}} == SHOWN


def test_every_method_of_the_client_stands_on_the_page() -> None:
    from tests.clients.test_described_calls import METHODS_OF_CLIENT

    words = set(re.findall(r"(?<=[`.])\w+", PAGE))
    assert {name.rpartition(".")[2] for name in METHODS_OF_CLIENT} <= words
