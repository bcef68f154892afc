"""Days and times have one form: orgs/views/time_formats.py and components/when.html."""

import ast
import re
from pathlib import Path

from tests.architecture.source import ROOT, module_files, relative, syntax_tree

TEMPLATES = ROOT / "templates"
WHEN = TEMPLATES / "components" / "when.html"
# Pages of Django's admin, which has a form of its own.
ADMIN = TEMPLATES / "admin"
FILTERS = "date|time|timesince|timeuntil|naturaltime|naturalday"
FILTERED = re.compile(rf"\|\s*(?:{FILTERS})\b")
# A datetime that nobody formats: Django would, in a form of its own.
BARE = re.compile(r"\{\{\s*(?:\w+\.)*(?:\w+_at|at|since_when)\s*\}\}")
# `looked_at` of a plan is how many lines were looked at; a record of an export may hold a text.
NUMBERS = {"memories/jobs/import_plan.html": 1, "memories/privacy/export_rows.html": 1}
MOMENTS = "orgs/views/time_formats.py"
FORMS = {"date_format", "time_format", "timesince", "timeuntil", "naturaltime", "naturalday"}


def pages() -> list[Path]:
    found = [path for path in TEMPLATES.rglob("*.html") if ADMIN not in path.parents]
    return [path for path in found if path != WHEN]


def test_no_template_formats_a_time_itself() -> None:
    named = [str(path) for path in pages() if FILTERED.search(path.read_text())]
    assert named == [], "use components/when.html, or the filters of orgs/views/time_formats.py"


def test_no_template_writes_a_time_itself() -> None:
    assert [str(path) for path in pages() if "<time" in path.read_text()] == []


def test_no_template_shows_a_bare_time() -> None:
    found = {
        str(path.relative_to(TEMPLATES)): len(BARE.findall(path.read_text())) for path in pages()
    }
    assert {path: number for path, number in found.items() if number} == NUMBERS


def test_no_view_formats_a_time_itself() -> None:
    found = []
    for path in module_files():
        name = relative(path)
        if "/views/" not in name or name == MOMENTS:
            continue
        for node in ast.walk(syntax_tree(path)):
            names = {one.name for one in node.names} if isinstance(node, ast.ImportFrom) else set()
            called = node.attr if isinstance(node, ast.Attribute) else ""
            if names & FORMS or called in FORMS | {"strftime", "ctime"}:
                found.append(f"{name}: {names & FORMS or called}")
    assert found == []
