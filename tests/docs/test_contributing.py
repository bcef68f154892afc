"""CONTRIBUTING.md is true: its paths, names and targets, and the change that it walks through."""

import re

from tests.architecture.source import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# What a run makes, and what the machine has: not in the repository.
MADE = ("var/", ".venv", "/")


def paths() -> set[str]:
    """Whatever between backticks, or in a command, looks like a file or a folder."""
    quoted = re.findall(r"`([\w.-]+(?:/[\w.-]+)*/?)`", TEXT)
    typed = re.findall(
        r"(?<![\w./-])((?:tests|tools|memories|personas|robots|orgs|config|docs)/[\w./-]+)", TEXT
    )
    named = {one for one in quoted if "/" in one or re.search(r"\.(?:py|md|toml|yml)$", one)}
    return {one for one in {*named, *typed} if not one.startswith(MADE)}


def test_every_path_exists() -> None:
    named = {one.rstrip(".") for one in paths()}
    missing = {one for one in named if not (ROOT / one).exists()}
    # A file without its folder is named as an example of a good name.
    assert {one for one in missing if "/" in one or not list(ROOT.glob(f"*/**/{one}"))} == set()
    assert len(named) > 50


def test_every_name_stands_in_the_file_that_is_given_for_it() -> None:
    named = re.findall(r"`(\w+)`\s+(?:in|from|)\s*\(?`([\w/]+\.py)`", TEXT)
    assert len(named) >= 2
    absent = [
        (name, path)
        for name, path in named
        if not re.search(rf"^(?:def |class )?{name}\b", (ROOT / path).read_text(), re.MULTILINE)
    ]
    assert absent == []


def test_every_target_exists() -> None:
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", TEXT, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"run", "test", "test-pure", "lint"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


def test_the_change_that_is_walked_through_is_still_there() -> None:
    blocks = re.findall(r"```diff\n\+\+\+ (\S+)\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 3
    for path, diff in blocks:
        source = (ROOT / path).read_text(encoding="utf-8")
        added = [line[1:] for line in diff.splitlines() if line.startswith("+")]
        assert added
        assert "\n".join(added[-3:]) in source
        assert [line for line in added if line not in source] == []


def test_the_page_is_short() -> None:
    assert len(TEXT.split()) < 1300


def test_the_hooks_run_the_tools_of_make_lint() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert lint
    tools = re.findall(
        r"(ruff check|ruff format --check|mypy|lint-imports|deptry|djade --check|makemigrations)",
        lint[1],
    )
    assert len(tools) == len(lint[1].splitlines()), "a tool that this test does not know"
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    entries = re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE)
    assert [tool for tool in tools if not any(tool in entry for entry in entries)] == []
    assert len(entries) == len(tools)
    assert "://" not in hooks
    assert hooks.count("language: system") == len(entries)
