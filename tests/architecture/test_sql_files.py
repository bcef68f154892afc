"""SQL of migrations that changes rows sees them: on an empty database nothing would be noticed.

Row-level security holds for the owner of a forced table too, and the owner has no policy. What a
migration reads there is empty, and what it inserts is refused, but only where there are rows.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

FILES = sorted(ROOT.glob("*/sql/*.sql"))
_BODY = re.compile(r"\$(\w*)\$.*?\$\1\$|\bRETURN .*?;", re.DOTALL)
_COMMENT = re.compile(r"--[^\n]*")
_FORCE = re.compile(r"ALTER TABLE (\w+) (NO )?FORCE ROW LEVEL SECURITY")
_NAMED = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|USING)\s+(?:public\.)?([a-z]+_[a-z_]+)\b")
# The owner reads these: a policy says so.
READ_BY_OWNER = {"orgs_organisation"}


def statements(text: str) -> Iterator[str]:
    """The statements of a file, without comments and without what functions do."""
    for one in _BODY.sub("", _COMMENT.sub("", text)).split(";"):
        if one.strip():
            yield " ".join(one.split())


def forced_tables() -> set[str]:
    texts = [file.read_text(encoding="utf-8") for file in FILES]
    return {name for text in texts for name, no in _FORCE.findall(text) if not no}


FORCED = forced_tables()


def faults(text: str) -> list[str]:
    """The statements that change or read rows of a table which is forced at that moment, and the
    tables that are left unforced."""
    found, opened = [], set()
    own = set(re.findall(r"ALTER TABLE (\w+) ENABLE ROW LEVEL SECURITY", text))
    closed = FORCED - own
    for statement in statements(text):
        for name, no in _FORCE.findall(statement):
            (closed.discard if no else closed.add)(name)
            (opened.add if no else opened.discard)(name)
        if re.match(r"(INSERT|UPDATE|DELETE|WITH)\b", statement):
            hidden = set(_NAMED.findall(statement)) & closed - READ_BY_OWNER
            found += [f"{name} is forced: {statement[:80]}" for name in sorted(hidden)]
    return found + [f"{name} is left without force" for name in sorted(opened)]


def test_there_are_files_that_change_rows() -> None:
    changing = [
        file
        for file in FILES
        if any(
            re.match(r"(INSERT|UPDATE|DELETE)\b", one)
            for one in statements(file.read_text(encoding="utf-8"))
        )
    ]
    assert len(changing) > 5
    assert len(FORCED) > 50


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_what_changes_rows_sees_them(file: Path) -> None:
    assert faults(file.read_text(encoding="utf-8")) == []


def test_a_careless_file_is_noticed() -> None:
    insert = "INSERT INTO orgs_usage (id) SELECT id FROM memories_memory;"
    opened = "ALTER TABLE orgs_usage NO FORCE ROW LEVEL SECURITY;"
    assert len(faults(insert)) == 2
    assert len(faults(opened + insert)) == 2, "one is forced, and one is left without force"
    both = opened + "ALTER TABLE memories_memory NO FORCE ROW LEVEL SECURITY;"
    closed = both.replace(" NO", "")
    assert faults(both + insert + closed) == []
    assert len(faults(both + closed + insert)) == 2
