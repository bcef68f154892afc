"""Tags get their form where memories are made and edited, and nowhere else."""

import ast

from tests.architecture.source import module_files, relative, syntax_tree

MADE = {
    # From a draft, whose tags `remember_many` has brought to their form.
    "memories/ingestion/build_memory.py",
    # From a line, whose tags `lines.parse` has brought to their form.
    "memories/ingestion/file_import/importer.py",
    "memories/lifecycle/consolidation/summarise.py",
}


def test_only_these_make_memories_with_tags() -> None:
    found = {
        relative(path)
        for path in module_files()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Call)
        and "Memory" in map(ast.unparse, [node.func, *node.args[:1]])
        and any(keyword.arg == "tags" for keyword in node.keywords)
    }
    assert found == MADE


def test_nobody_assigns_tags_but_by_an_edit() -> None:
    found = {
        relative(path)
        for path in module_files()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.Attribute)
        and node.attr == "tags"
        and isinstance(node.ctx, ast.Store)
    }
    assert found == {"memories/migrations/0016_tags.py"}
