"""A file is restored by a command, line by line, and says which lines were not taken."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import CommandError, call_command

from memories.curation.edit_memory import edit_memory
from memories.snapshots import restore_file as module
from memories.snapshots.read_snapshot import export_snapshot, load_page
from orgs.models.audit import AuditEntry
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant, World


@pytest.fixture
def here(lasting_world: World, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    monkeypatch.setattr(module, "BATCH_SIZE", 2)
    return lasting_world.here


def told(here: Tenant, path: Path, *, who: str = "mina", **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command(
        "restore_snapshot",
        str(path),
        organisation=here.organisation.slug,
        email=email(here, who),
        stdout=out,
        stderr=io.StringIO(),
        json=True,
        **({"mode": "replace"} | options),
    )
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def email(here: Tenant, who: str) -> str:
    return f"{who}@{here.organisation.slug}.example"


def contents(who: Actor) -> list[str]:
    return [line["content"] for line in load_page(who, {}, None, limit=9, now=NOW)[0]["memories"]]


def filled(here: Tenant, path: Path) -> list[Any]:
    """Three memories of Mina, in a file."""
    mina = here.person("mina")
    made = [here.remember(mina, f"{n}.", visibility="private").id for n in range(3)]
    path.write_bytes(b"".join(lines for _, lines in export_snapshot(mina, {}, now=NOW)[1]))
    return made


@pytest.mark.conformance("G33")
def test_the_commands_write_a_file_and_put_it_back(
    here: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = filled(here, tmp_path / "x")

    class Out(io.StringIO):
        buffer = io.BytesIO()

    monkeypatch.setattr(sys, "stdout", Out())
    names = {"organisation": here.organisation.slug, "email": email(here, "mina")}
    call_command("export_memories", **names, stdout=sys.stdout, stderr=io.StringIO())
    path = tmp_path / "memories.jsonl"
    path.write_bytes(Out.buffer.getvalue())
    assert [orjson.loads(line).get("content") for line in path.read_bytes().splitlines()] == [
        None, "0.", "1.", "2.",
    ]  # fmt: skip
    mina = here.person("mina")
    edit_memory(mina, made[1], {"content": "Changed."}, now=NOW)
    dry = told(here, path, dry_run=True)
    assert (dry["dry_run"], dry["replaced"]) == (True, 3)
    assert contents(mina) == ["0.", "Changed.", "2."]
    assert told(here, path, mode="keep")["kept"] == 3
    assert told(here, path)["replaced"] == 3
    assert contents(mina) == ["0.", "1.", "2."]
    with resolve_principal(mina).scope():
        entries = AuditEntry.objects.filter(action="snapshot.restored").order_by("id")
        assert [one.detail for one in entries] == [
            {"mode": "keep", "kept": 3},
            {"mode": "replace", "replaced": 3},
        ]


def test_bad_lines_are_named_and_the_others_restored(here: Tenant, tmp_path: Path) -> None:
    path, mina = tmp_path / "x", here.person("mina")
    made = filled(here, path)
    for id_ in made:
        edit_memory(mina, id_, {"importance": 0.9}, now=NOW)
    head, first, second, third = path.read_bytes().splitlines()
    long = b'{"content": "' + b"a" * 10_000_000 + b'"}'
    path.write_bytes(b"\n".join([head, b"{", first, long, b"", second, b"\xff", third[:40]]))
    found = told(here, path)
    assert (found["replaced"], found["refused"]) == (2, 4)
    assert [one["line"] for one in found["problems"]] == [2, 4, 7, 8]
    lines = load_page(mina, {}, None, limit=9, now=NOW)[0]["memories"]
    assert [line["importance"] for line in lines] == [0.5, 0.5, 0.9]


@pytest.mark.parametrize(
    "head", [b"", b"{}", b"[]", b"\xff", b'{"format": "commonmind-snapshot", "version": 9}']
)
def test_a_file_that_is_none_changes_nothing(here: Tenant, tmp_path: Path, head: bytes) -> None:
    path = tmp_path / "x"
    filled(here, path)
    path.write_bytes(b"\n".join([head, *path.read_bytes().splitlines()[1:]]))
    with pytest.raises(CommandError):
        told(here, path)


def test_a_file_of_another_organisation_changes_nothing(
    lasting_world: World, tmp_path: Path
) -> None:
    world = lasting_world
    path = tmp_path / "x"
    filled(world.there, path)
    with pytest.raises(CommandError, match="another organisation"):
        told(world.here, path)
    assert contents(world.here.person("mina")) == []


def test_nobody_restores_as_somebody_who_is_not_there(here: Tenant, tmp_path: Path) -> None:
    path = tmp_path / "x"
    filled(here, path)
    for who in ("nobody", "vera"):
        with pytest.raises(CommandError):
            told(here, path, who=who)
    with pytest.raises(CommandError, match="no file"):
        told(here, tmp_path / "nothing")
