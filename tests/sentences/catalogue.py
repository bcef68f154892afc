"""Find the sentences of the pages that state a number, a reader, an author or a state.

A sentence is found in the templates, and in the strings of the modules that make text for pages.
It is written as it stands, with `{}` for each value, `(s)` or `has/have` where a number decides the
form, and without tags.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.template.base import Lexer, TokenType

from tests.architecture.source import syntax_tree

ROOT = Path(__file__).parents[2]
# Modules that make text for pages, beside those of the folders called `views`.
TEXT_MODULES = (
    "memories/access/audience_summary.py",
    "memories/access/reader_list/reasons.py",
    "memories/review/models.py",
)
# Pages of the product's own design, of the console of support, and of allauth.
LEFT_OUT = ("design/", "account/", "mfa/", "socialaccount/", "admin/", "robots/oauth/")

_BREAK, _OPEN, _CLOSE = "\x00", "\x01", "\x02"
_BREAKING_TAGS = {"else", "elif", "for", "empty", "endfor", "block", "endblock", "partialdef"}
_INLINE = re.compile(
    r"</?(?:a|abbr|b|bdi|code|em|i|mark|small|span|strong|sub|svg|time|use)\b", re.IGNORECASE
)
_TAG = re.compile(r"<[^>]*>")
_SAID_ATTRIBUTE = re.compile(r"(?:title|aria-label|placeholder)=\"([^\"]*)\"")
_VALUE = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
_END = re.compile(r"(?<=[.!?])[”\")]*\s+")

# What asks, orders or names a page states nothing.
_ORDER = re.compile(
    r"(?:Add|Ask|Change|Choose|Decide|End|Export|Let|Open|See|Show|Write|What|Which|Who|Whose|Why)\b"
)
# What makes a value a number.
_NUMBER = re.compile(
    r"\|(?:intcomma|pluralize|length|floatformat)|:,|format_number\(|\b(?:count|number|total|times|more|most|days|"
    r"done|left|held|waiting|reports|turns)\b|_count\b|_label\(|\.people\b|\.robots\b|len\("
)
_READERS = re.compile(
    r"\b(?:can|may|would|newly|nobody|everybody|everyone|who|robots?|people|they|you|it|alone)\b"
    r"[^.]*\b(?:read|reads|see|sees|readable)\b|\bread by\b|\breaders\b",
    re.I,
)
_AUTHORS = re.compile(
    r"\b(?:wrote|writes|said|says|brought|learned|noted|told|suggests?|asks?|reworded|made by|"
    r"decided|by)\b",
    re.I,
)
_STATES = re.compile(
    r"\b(?:since|until|ends?|ended|revoked|expired|holds?|waits?|waiting|archived|forgotten|"
    r"protected|paused|retired|used|heard|stopped|moved|begun|done|over)\b",
    re.I,
)


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """A sentence and where it is: `where` is a path below the root."""

    where: str
    text: str


@cache
def find_statements() -> list[Statement]:
    """All of them, each once for a file."""
    found = {one for path in _templates() for one in statements_of_template(*path)}
    found |= {one for path in _modules() for one in statements_of_module(*path)}
    return sorted(found)


def _templates() -> Iterator[tuple[str, str]]:
    folder = ROOT / "templates"
    for path in sorted(folder.rglob("*.html")):
        name = path.relative_to(folder).as_posix()
        if not name.startswith(LEFT_OUT):
            yield f"templates/{name}", path.read_text(encoding="utf-8")


def _modules() -> Iterator[tuple[str, ast.Module]]:
    paths = [ROOT / name for name in TEXT_MODULES]
    for app in ("memories", "orgs", "personas", "robots"):
        paths += [path for path in (ROOT / app).rglob("*.py") if "views" in path.parts]
    for path in sorted(paths):
        yield path.relative_to(ROOT).as_posix(), syntax_tree(path)


def statements_of_template(where: str, source: str) -> Iterator[Statement]:
    """The statements of one template."""
    text, hidden = "", False
    for token in Lexer(source).tokenize():
        name = token.contents.partition(" ")[0]
        if token.token_type is TokenType.BLOCK and name in ("comment", "endcomment"):
            hidden = name == "comment"
        elif hidden or token.token_type is TokenType.COMMENT:
            continue
        elif token.token_type is TokenType.TEXT:
            text += token.contents
        elif token.token_type is TokenType.VAR:
            text += f"{_OPEN}{token.contents}{_CLOSE}"
        elif name == "include":
            told = "components/when.html" in token.contents
            text += f"{_OPEN}{token.contents}{_CLOSE}" if told else _BREAK
        elif name in _BREAKING_TAGS:
            text += _BREAK
    attributes = [one for tag in _TAG.findall(text) for one in _SAID_ATTRIBUTE.findall(tag)]
    plain = _TAG.sub(lambda tag: "" if _INLINE.match(tag[0]) else _BREAK, text)
    for part in (*plain.split(_BREAK), *attributes):
        yield from _statements(where, part)


def statements_of_module(where: str, tree: ast.Module) -> Iterator[Statement]:
    """The statements in the strings of one module, without its docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in docstrings or id(node) in inside:
            continue
        filled = _filled_texts(node)
        if filled:
            inside |= {id(one) for one in ast.walk(node) if isinstance(one, ast.Constant)}
            for text in filled:
                yield from _statements(where, text)
        elif isinstance(node, ast.JoinedStr):
            inside |= {id(one) for one in ast.walk(node)}
            yield from _statements(where, "".join(map(_part_of_string, node.values)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _statements(where, node.value)


_TRANSLATES = {"gettext", "lazy_text", "ngettext", "pgettext"}


def _filled_texts(node: ast.AST) -> list[str]:
    """The texts of `gettext("... %(name)s") % {"name": value}`, `lazy_text("...", name=value)` and
    of both forms of `ngettext`, with their values in place; none for another node."""
    values: dict[str, ast.expr] = {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        if isinstance(node.right, ast.Dict):
            values = {
                key.value: value
                for key, value in zip(node.right.keys, node.right.values, strict=True)
                if isinstance(key, ast.Constant)
            }
        calls = [one for one in ast.walk(node.left) if isinstance(one, ast.Call)]
    elif isinstance(node, ast.Call) and node.keywords:
        values = {one.arg: one.value for one in node.keywords if one.arg}
        calls = [node]
    else:
        return []
    texts = [
        argument.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in _TRANSLATES
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]
    return [_fill(text, values) for text in texts]


def _fill(text: str, values: dict[str, ast.expr]) -> str:
    def value(found: re.Match[str]) -> str:
        told = ast.unparse(values[found[1]]) if found[1] in values else found[1]
        return f"{_OPEN}{told}{_CLOSE}"

    return re.sub(r"%\((\w+)\)s", value, text).replace("%%", "%")


def _part_of_string(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        spec = ast.unparse(node.format_spec) if node.format_spec else ""
        return f"{_OPEN}{ast.unparse(node.value)}{':,' if ',' in spec else ''}{_CLOSE}"
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _statements(where: str, part: str) -> Iterator[Statement]:
    for sentence in _END.split(part):
        if states_something(sentence):
            yield Statement(where, " ".join(_VALUE.sub(_form, sentence).split()))


def states_something(sentence: str) -> bool:
    """Whether a sentence, its values between marks, states a number, a reader, an author or a
    state."""
    values = _VALUE.findall(sentence)
    words = _VALUE.sub(" ", sentence)
    # A form of an address, a class or a query is no sentence.
    if len(re.findall(r"[A-Za-z]{2,}", words)) < 2 or re.search(r"[=/{}<>_]|\b[A-Z]{4,}\b", words):
        return False
    plain = words.strip()
    if " " not in plain or plain.endswith(("?", "· Commonmind")) or _ORDER.match(sentence.strip()):
        return False
    if _READERS.search(words):
        return True
    if not values:
        return False
    return (
        any(_NUMBER.search(value) for value in values)
        or bool(_AUTHORS.search(words))
        or bool(_STATES.search(words))
    )


def _form(value: re.Match[str]) -> str:
    filter_ = re.search(r"\|pluralize(?::\"([^\"]*)\")?", value[1])
    if filter_ is None:
        return "{}"
    one, _, many = (filter_[1] or "").rpartition(",")
    return f"{one}/{many}" if one else "(s)"
