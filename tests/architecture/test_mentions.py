"""What a docstring or a comment names in backticks is there: a renamed function takes its mentions
along."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.architecture.source import (
    ROOT,
    is_migration,
    iter_text_files,
    module_files,
    relative,
    syntax_tree,
)

# Names of libraries, of the system and of examples.
ELSEWHERE = {"__isnull", "breakpoint()", "ctime", "days_fact", "deadlock_timeout", "msgid"}
ELSEWHERE |= {"prefetch_related", "real_estate", "to_representation"}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = re.compile(r"`([A-Za-z_][A-Za-z0-9_.]*(?:\(\))?)`")
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            assert isinstance(node.body[0], ast.Expr)
            assert isinstance(node.body[0].value, ast.Constant)
            yield node.body[0].value


def mentions_and_words(text: str, tree: ast.AST) -> tuple[set[str], set[str]]:
    """(the names in backticks, the words of the code without its docstrings and comments)."""
    found = list(docstrings(tree))
    begins = {(one.lineno, one.col_offset) for one in found}
    named = {name for one in found for name in _NAME.findall(str(one.value))}
    words: set[str] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            named |= set(_NAME.findall(token.string))
        elif token.start not in begins:
            words |= set(_WORD.findall(token.string))
    return named, words


def faults(files: dict[str, tuple[str, ast.AST]], other: set[str]) -> set[tuple[str, str]]:
    """(file, name) of what is named and is nowhere. other: words of files that are not Python."""
    read = {name: mentions_and_words(*file) for name, file in files.items()}
    there = other.union(*(words for _, words in read.values()))
    return {
        (name, one)
        for name, (named, _) in read.items()
        for one in named
        if one.removesuffix("()").rpartition(".")[2] not in there
    }


def test_every_name_in_backticks_is_there() -> None:
    files = [path for path in module_files() if not is_migration(path)]
    other = {part for path in files for part in _WORD.findall(relative(path))}
    for path, text in iter_text_files():
        if path.suffix not in (".py", ".md", ".csv"):
            other |= set(_WORD.findall(text))
    for path in ROOT.rglob("*.sql"):
        other |= set(_WORD.findall(path.read_text(encoding="utf-8")))
    read = {relative(one): (one.read_text(encoding="utf-8"), syntax_tree(one)) for one in files}
    found = faults(read, other)
    assert {one for one in found if one[1] not in ELSEWHERE} == set()
    assert {name for _, name in found} == ELSEWHERE, "not needed any more"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ('def get_it():\n    """As `get_them`."""', "get_them"),
        ("# See `orgs.rules.old_rule`.\nx = 1", "orgs.rules.old_rule"),
        ('class One:\n    """`One`, `gone()`, `x`."""\n    x: int', "gone()"),
    ],
)
def test_the_search_sees(code: str, name: str) -> None:
    assert faults({"a.py": (code, ast.parse(code))}, set()) == {("a.py", name)}


def test_words_of_a_path_count() -> None:
    code = '"""See `trail`."""'
    assert faults({"a.py": (code, ast.parse(code))}, {"trail"}) == set()
