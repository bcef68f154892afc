"""Every block of code in docs/agents is run: here, or by the test that this table names."""

import re
import shlex
import tomllib
from collections import Counter
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.architecture.source import ROOT
from tests.clients.external_suites import make_environment, run_program
from tests.world import World

GUIDES = sorted((ROOT / "docs/agents").glob("*.md"))
FENCE = re.compile(r"^```(.*)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HERE = "tests/clients/test_guides.py"
# The blocks of a page that are run elsewhere, or compared there with what a program writes: how
# many of a language, and by which test.
RUN_BY = {
    ("bot.md", "python"): (1, "tests/robots/conversations/test_many_people.py"),
    ("google-adk.md", "python"): (1, "tests/clients/test_google_adk_suite.py"),
    ("langgraph.md", "python"): (1, HERE),
    ("mcp.md", "json"): (9, "tests/clients/test_setup.py"),
    ("mcp.md", "toml"): (1, "tests/clients/test_setup.py"),
    ("mcp.md", ""): (1, HERE),
    ("mem0.md", "python"): (1, "tests/clients/test_mem0_client.py"),
    ("memory-tool.md", "python"): (1, "tests/clients/test_anthropic_suite.py"),
    ("openai-agents.md", "python"): (2, "tests/clients/test_openai_agents_suite.py"),
}
# Of these two kinds every block is run here.
SHELL, INSTALLING = "sh", "console"


def blocks(language: str, page: str = "*") -> list[tuple[str, str]]:
    """(name of the page, text) of each block in a language."""
    return [
        (path.name, text)
        for path in GUIDES
        if page in ("*", path.name)
        for found, text in BLOCK.findall(path.read_text(encoding="utf-8"))
        if found == language
    ]


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_every_block_is_run_by_a_test(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = Counter(language for language, _ in BLOCK.findall(text))
    assert 2 * found.total() == len(FENCE.findall(text)), "a block in a form that is not read"
    here = {name for name in (SHELL, INSTALLING) if name in found}
    elsewhere = {
        language: count for (page, language), (count, _) in RUN_BY.items() if page == path.name
    }
    assert {name: count for name, count in found.items() if name not in here} == elsewhere
    for (page, _), (_, test) in RUN_BY.items():
        if page == path.name:
            assert path.name in (ROOT / test).read_text(encoding="utf-8"), test


@pytest.mark.parametrize(("page", "text"), blocks(SHELL), ids=lambda value: str(value)[:20])
def test_the_command_makes_a_robot(page: str, text: str, lasting_world: World) -> None:
    [command] = text.strip().splitlines()
    program, script, name, *options = shlex.split(command)
    assert (program, script, name) == (".venv/bin/python", "manage.py", "create_robot")
    assert (ROOT / script).exists()
    options[options.index("--organisation") + 1] = lasting_world.here.organisation.slug
    # Some of these robots are here already.
    name_at = options.index("--name") + 1
    options[name_at] += " of the guide"
    printed = StringIO()
    call_command(name, *options, stdout=printed)
    assert re.search(r"^key: cmk_\w+", printed.getvalue(), re.MULTILINE), page
    assert f"name: {options[name_at]}\n" in printed.getvalue()


@pytest.mark.parametrize(("page", "text"), blocks(INSTALLING), ids=lambda value: str(value)[:20])
def test_what_is_installed_is_an_extra_of_the_client(page: str, text: str) -> None:
    """The tests of each page install the same into an environment of their own."""
    install, address, key = text.strip().splitlines()
    [extra] = re.fullmatch(r"pip install './clients/python\[([\w-]+)\]'", install).groups()  # type: ignore[union-attr]
    project = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text(encoding="utf-8"))
    assert extra in project["project"]["optional-dependencies"], page
    assert (address, key) == (
        "export COMMONMIND_URL=http://127.0.0.1:8000", "export COMMONMIND_KEY=cmk_...",
    )  # fmt: skip


def test_the_command_of_codex_says_what_the_file_says() -> None:
    [(_, text)] = blocks("", "mcp.md")
    [(_, file)] = blocks("toml", "mcp.md")
    export, command = text.replace("\\\n", "").strip().splitlines()
    variable = export.removeprefix("export ").partition("=")[0]
    program, mcp, add, name, *options = shlex.split(command)
    assert (program, mcp, add) == ("codex", "mcp", "add")
    assert dict(zip(options[::2], options[1::2], strict=True)) == {
        "--url": tomllib.loads(file)["mcp_servers"][name]["url"],
        "--bearer-token-env-var": variable,
    }
    assert tomllib.loads(file)["mcp_servers"][name]["bearer_token_env_var"] == variable


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.conformance("N18")
def test_the_program_of_langgraph_runs(lasting_world: World, address: str, tmp_path: Path) -> None:
    [(_, program)] = blocks("python", "langgraph.md")
    python = make_environment(tmp_path / "venv", "langgraph")
    said = run_program(python, program, lasting_world.here.keys["bolt"], address).splitlines()
    assert said[0] == "{'text': 'Mina likes pizza.', 'stars': 5}"
    assert re.fullmatch(r"0?\.\d+ \('users', 'mina'\) food \{.*\}", said[1])
    assert said[2:] == ["[('users', 'mina')]"]
