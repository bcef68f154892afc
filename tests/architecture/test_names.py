"""Words that are ours alone do not come back into names.

An act is called by the usual verb of the field (`get_`, `list_`, `create_`, `archive_`), a class by
a noun, and nothing by an adverb or a preposition.
"""

import ast
import re

import pytest

from tests.architecture.source import is_migration, module_files, relative, syntax_tree

VERBS = {"bring", "bury", "give", "hear", "hold", "keep", "know", "lend", "let", "say", "take"}
VERBS |= {"tell"}
ADVERBS = {"along", "anew", "apart", "aside", "beside", "together"}
METAPHORS = {"door", "farewell", "house", "shelf"}
PARTICIPLES = {"Bare", "Born", "Found", "Gated", "Judged", "Kept", "Served", "Told"}
# The usual word of a token bucket, and of a budget.
USUAL = {("orgs/limits/token_buckets.py", "take"), ("memories/language/text_limits.py", "take")}


def faults(tree: ast.AST) -> list[str]:
    """The names of functions and classes that have such a word."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            words = node.name.strip("_").split("_")
            if words[0] in VERBS or {*words} & (ADVERBS | METAPHORS):
                found.append(node.name)
        elif isinstance(node, ast.ClassDef):
            words = [word.lower() for word in re.findall(r"[A-Z][a-z]*", node.name)]
            if node.name.strip("_") in PARTICIPLES or {*words} & (ADVERBS | METAPHORS):
                found.append(node.name)
    return found


def test_no_name_of_the_product_has_one() -> None:
    found = {
        (relative(path), name)
        for path in module_files()
        if not is_migration(path)
        for name in faults(syntax_tree(path))
    }
    assert found - USUAL == set()
    assert found >= USUAL, "not needed any more"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("def keep_hits(): ...", "keep_hits"),
        ("class Robot:\n    def _tell(self): ...", "_tell"),
        ("async def rows_beside(): ...", "rows_beside"),
        ("class Kept: ...", "Kept"),
        ("class TurnsTogether: ...", "TurnsTogether"),
    ],
)
def test_the_search_sees(code: str, name: str) -> None:
    assert faults(ast.parse(code)) == [name]
    assert faults(ast.parse("def select_hits(): ...\nclass KeptHit: ...")) == []
