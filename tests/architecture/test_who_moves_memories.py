"""What becomes of a memory is written in one place, `memories/state`: nobody else sets the columns.

Read from the syntax trees and from the texts of SQL. A row that is made anew (`Memory(...)`) is not
moved, and a filter by these columns writes nothing.
"""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.source import ROOT, is_migration, module_files, relative, syntax_tree

HOME = "memories/state/"
COLUMNS = {
    "status",
    "archived_at",
    "archived_for",
    "forgotten_at",
    "forgotten_by_subject",
    "restored_at",
    "superseded_by",
    "superseded_by_id",
    "valid_until",
}
# Where a write of these names is none of a stored memory. Function -> reason.
EXCEPTIONS = {
    "memories/curation/copy_and_merge.py:_insert_copy": "a copy that is not stored yet",
    "memories/ingestion/remember.py:_propose_to_subject": "a row that is not stored yet",
    "memories/webhooks/send_deliveries.py:record_result": "the status of an answer of HTTP",
    "robots/teams/failover.py:_set_status": "the status of a robot in a team",
}
UPDATE = re.compile(r"\bUPDATE\s+(?:ONLY\s+)?(?:public\.)?\"?memories_memory\b", re.IGNORECASE)
SETS = re.compile(
    rf"\b(?:{'|'.join(sorted(COLUMNS, key=len, reverse=True))})\"?\s*=", re.IGNORECASE
)
CONDITIONS = re.compile(r"\b(?:WHERE|FROM|RETURNING)\b", re.IGNORECASE)


def written_by_statement(text: str) -> bool:
    """Whether SQL sets one of the columns in memories."""
    for found in UPDATE.finditer(text):
        # What follows the assignments only compares.
        assignments = CONDITIONS.split(text[found.end() :], maxsplit=1)[0]
        if SETS.search(assignments):
            return True
    return bool(re.search(r"\bON CONFLICT\b", text)) and bool(
        re.search(r"\bINSERT INTO (?:public\.)?memories_memory\b", text)
    )


def _text(node: ast.AST) -> str:
    """The text of a string, of which an inserted value is one word."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or " inserted " for part in node.values)
    return ""


def _assigned(node: ast.AST) -> Iterator[str]:
    """The attributes that a statement assigns."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        yield from (part.attr for part in parts if isinstance(part, ast.Attribute))


def _named_in_call(node: ast.AST) -> Iterator[str]:
    """The columns that a call names as written: by `update`, `bulk_update`, `save` or `setattr`."""
    if not isinstance(node, ast.Call):
        return
    match getattr(node.func, "attr", getattr(node.func, "id", "")):
        case "update":
            yield from (one.arg for one in node.keywords if one.arg)
            dicts = [one.value for one in node.keywords if one.arg is None]
            yield from (
                _text(key)
                for one in dicts
                if isinstance(one, ast.Dict)
                for key in one.keys
                if key is not None
            )
        case "bulk_update" | "save" | "update_or_create" | "setattr":
            inside = [*node.args, *(one.value for one in node.keywords)]
            yield from (_text(part) for one in inside for part in ast.walk(one))


def _writes(node: ast.AST) -> bool:
    if COLUMNS & {*_assigned(node), *_named_in_call(node)}:
        return True
    return written_by_statement(_text(node))


def writers(tree: ast.AST, where: str) -> Iterator[str]:
    """The functions, as file:function, that write one of the columns themselves."""
    for node in ast.iter_child_nodes(tree):
        inner = (
            f"{where.partition(':')[0]}:{node.name}"
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            else where
        )
        if _writes(node):
            yield inner
        yield from writers(node, inner)


def test_memories_are_moved_in_one_place() -> None:
    found = {
        one
        for path in module_files("memories", "personas", "robots", "orgs")
        if not is_migration(path)
        for one in writers(syntax_tree(path), relative(path))
    }
    home = {one for one in found if one.startswith(HOME)}
    assert len(home) > 2, "the search finds nothing"
    assert found - home - set(EXCEPTIONS) == set(), f"what becomes of a memory is decided in {HOME}"
    assert set(EXCEPTIONS) - found == set(), "the list names what is gone"


def test_no_statement_of_a_file_moves_memories() -> None:
    files = [path for app in ("memories", "personas", "robots", "orgs")
             for path in (ROOT / app).rglob("*.sql")]  # fmt: skip
    assert len(files) > 10
    moving = [relative(path) for path in files if written_by_statement(path.read_text())]
    assert moving == []


@pytest.mark.parametrize(
    "code",
    [
        "row.status, row.updated_at = Status.ARCHIVED, now",
        "row.archived_at = now",
        "row.superseded_by_id = other",
        "rows.filter(id__in=ids).update(status='archived', updated_at=now)",
        "rows.update(**{'forgotten_at': now})",
        "Memory.objects.bulk_update(rows, ['updated_at', 'status'])",
        "row.save(update_fields=['valid_until'])",
        "setattr(row, 'restored_at', now)",
        "SQL = 'UPDATE memories_memory m SET updated_at = now(), status = %(s)s WHERE m.id = 1'",
        "SQL = f'UPDATE memories_memory SET archived_for = {name}'",
    ],
)
def test_the_search_sees(code: str) -> None:
    assert list(writers(ast.parse(code), "here")), code


@pytest.mark.parametrize(
    "code",
    [
        "rows.filter(status='active', archived_at=None)",
        "Memory(status='active', valid_until=None)",
        "found = row.status == 'active'",
        "SQL = 'UPDATE memories_memory SET updated_at = now() WHERE status = %(s)s'",
        "SQL = 'UPDATE memories_job SET status = 1'",
    ],
)
def test_the_search_lets_through(code: str) -> None:
    assert not list(writers(ast.parse(code), "here")), code
