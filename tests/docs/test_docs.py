"""What the documents say is true: requests, variables, links, targets, commands."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands
from django.utils import timezone
from packaging.version import Version
from rest_framework.test import APIClient

from config.version import VERSION
from memories.ingestion.file_import.importer import parse_line
from orgs.database.rls import organisation_scope
from orgs.organisations.groups import create_group
from orgs.organisations.references import link_identity
from robots.models.teams import Team, TeamRobot
from tests.architecture.source import ROOT, module_files
from tests.world import NOW, World

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS]
EXAMPLE = re.compile(
    r"```http\n(?P<method>[A-Z]+) (?P<path>\S+)\n(?:\n(?P<body>\{.*?))?\n?```\n\n"
    r"→ (?P<status>\d{3})\n"
    r"(?:\n```json\n(?P<answer>.*?)\n```)?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    """A request of docs/api.md with the status and the part of the answer that it shows."""

    method: str
    path: str
    body: Any
    status: int
    answer: Any


def read(name: str) -> str:
    """A document of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def examples() -> Iterator[Example]:
    """The requests of docs/api.md, in order."""
    for found in EXAMPLE.finditer(read("docs/api.md")):
        body = json.loads(found["body"]) if found["body"] else None
        answer = json.loads(found["answer"]) if found["answer"] else None
        yield Example(found["method"], found["path"], body, int(found["status"]), answer)


def holds(shown: Any, given: Any) -> bool:
    """Whether the answer has what the document shows of it; it may have more fields."""
    if isinstance(shown, dict):
        return isinstance(given, dict) and all(
            name in given and holds(value, given[name]) for name, value in shown.items()
        )
    if isinstance(shown, list):
        return len(shown) == len(given) and all(map(holds, shown, given))
    return bool(shown == given)


@pytest.fixture
def aria(world: World) -> APIClient:
    """The robot of docs/api.md; a group that it does not know exists as well."""
    here = world.here
    with organisation_scope(here.id):
        link_identity(
            organisation_id=here.id,
            platform="telegram",
            identifier="mina",
            member_id=here.members["mina"].id,
            confirmed_at=NOW,
        )
        create_group(organisation_id=here.id, external_id="board", now=NOW)
    here.add_robot(
        "Aria of the guide",
        groups=("launch", "design"),
        scopes=("read", "write", "act_for", "manage"),
    )
    team = here.add_team("coding", "Aria of the guide", "bolt")
    with organisation_scope(here.id):
        Team.objects.filter(id=team.id).update(name="Coding")
        TeamRobot.objects.filter(team_id=team.id).update(status_at=timezone.now())
    return here.api("Aria of the guide")


def test_every_request_answers_as_documented(aria: APIClient) -> None:
    memory, served = "", {"{recall}": "", "{hit}": ""}
    wrong = []
    for example in examples():
        path = example.path.replace("{memory}", memory)
        content = json.dumps(example.body) if example.body is not None else ""
        if "{recent}" in content:
            newest = aria.get("/api/v1/memories").json()["results"][0]["id"]
            content = content.replace("{recent}", newest)
        for name, id_ in served.items():
            content = content.replace(name, id_)
        response = aria.generic(example.method, path, content, "application/json")
        given = json.loads(response.content) if response.content else None
        memory = memory or given["id"]
        if path == "/api/v1/recall" and response.status_code == 200 and given["results"]:
            served = {"{recall}": given["recall_id"], "{hit}": given["results"][0]["id"]}
        asked = f"{example.method} {path} {content}"
        if response.status_code != example.status:
            wrong.append(f"{asked}: {response.status_code} {given}")
        elif example.answer is not None and not holds(example.answer, given):
            wrong.append(f"{asked}: {example.answer} is not in {given}")
    assert wrong == []


def test_every_request_of_the_document_was_found() -> None:
    text = read("docs/api.md")
    assert len(list(examples())) == text.count("```http") > 30


def test_recall_finds_what_the_document_remembered(aria: APIClient) -> None:
    for example in examples():
        if example.path == "/api/v1/memories":
            aria.generic(example.method, example.path, json.dumps(example.body), "application/json")
        if example.path == "/api/v1/recall" and example.status == 200:
            answer = aria.post(example.path, example.body, format="json").json()
            assert answer["results"], example.body


def test_every_problem_of_the_table_exists() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in module_files())
    rows = re.findall(r"^\| (\d{3}) \| `([a-z-]+)` \|", read("docs/api.md"), re.MULTILINE)
    assert len(rows) > 10
    assert [code for _, code in rows if f'"{code}"' not in source] == []


def test_every_field_of_recall_is_documented() -> None:
    from memories.api.serializers.recall import FiltersSerializer, RecallSerializer

    text = read("docs/api.md")
    fields = {*RecallSerializer().fields, *FiltersSerializer().fields}
    assert {name for name in fields if f"`{name}`" not in text and f'"{name}"' not in text} == set()


# --- commands, targets ---


# What a release did is not what the present one does.
PRESENT = [name for name in NAMES if name != "CHANGELOG.md"]


@pytest.mark.parametrize("name", PRESENT)
def test_every_command_and_target_exists(name: str) -> None:
    text = read(name)
    commands = set(re.findall(r"manage\.py ([a-z]\w+)", text))
    assert commands <= set(get_commands())
    targets = set(re.findall(r"(?:`|^)make ([a-z-]+)", text, re.MULTILINE))
    assert targets <= set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))


def test_the_guides_name_what_people_need() -> None:
    assert "make run" in read("README.md")
    for command in ("create_organisation", "import_memories", "create_robot"):
        assert f"manage.py {command}" in read("docs/start.md")
    for command in ("create_member", "reset_password"):
        assert f"manage.py {command}" in read("docs/pages.md")
    assert len(read("README.md").splitlines()) <= 110, "two screens"


def test_every_page_can_be_reached_from_the_index() -> None:
    linked = set(re.findall(r"\]\(([\w./-]+\.md)", read("docs/index.md")))
    reached = {(ROOT / "docs" / target).resolve().relative_to(ROOT).as_posix() for target in linked}
    deeper = {name for name in NAMES if re.match(r"docs/(?:adr|architectures)/", name)}
    assert {name for name in NAMES if name not in reached | deeper} == {
        "README.md",
        "docs/index.md",
    }
    decisions = set(re.findall(r"\]\((\d+-[\w-]+\.md)\)", read("docs/adr/README.md")))
    assert decisions == {path.name for path in (ROOT / "docs/adr").glob("0*.md")}


def test_the_example_file_can_be_imported() -> None:
    lines = (ROOT / "docs/examples/standup.jsonl").read_bytes().splitlines()
    assert [parse_line(number, line).number for number, line in enumerate(lines, 1)] == [1, 2, 3]
    shown = json.loads(
        re.search(r'```json\n(\{"id": "standup-1".*?)\n```', read("docs/start.md"), re.S)[1]
    )
    assert set(shown) <= set(json.loads(lines[0]))


def test_the_version_is_the_newest_of_the_changelog() -> None:
    heads = re.findall(r"^## (.+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert heads[0] == "Unreleased"
    released, day = heads[1].split(" - ")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)
    # Between two releases it is that of the next, and says so.
    assert released == VERSION or (
        VERSION.endswith(".dev0") and Version(VERSION.removesuffix(".dev0")) > Version(released)
    )
    assert len(heads) == len(set(heads))


# --- links ---


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as they are made from the words."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("name", NAMES)
def test_every_internal_link_exists(name: str) -> None:
    path = ROOT / name
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if (
            not there.exists()
            or not there.is_relative_to(ROOT)
            or (anchor and anchor not in anchors(there.read_text(encoding="utf-8")))
        ):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("name", NAMES)
def test_paths_that_a_document_names_exist(name: str) -> None:
    # Only what looks like a file of the repository: `memories/embedding/export.py`, `docs/x.md`.
    top = "config|docs|memories|orgs|personas|robots|static|templates|tests"
    found = re.findall(rf"`((?:{top})/[\w./-]+)`", read(name))
    assert [file for file in found if not Path(ROOT / file).exists()] == []
