"""Which services write for somebody, and which audit actions they reach: read from the source.

An act is a public function of a service that takes the actor, principal or support
user for whom it acts. It writes
if it, or whatever it calls by name in the services, changes rows.
"""

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Surfaces, tables, and what knows nobody: rules of text, encoders, the client of a language model.
SURFACES = ("api", "views", "management", "migrations", "models", "evaluation")
SURFACES += ("embedding", "language", "llm")
SERVICE_FOLDERS = tuple(
    f"{app}/{folder.name}"
    for app in ("memories", "robots", "orgs", "personas")
    for folder in sorted((ROOT / app).iterdir())
    if folder.is_dir() and folder.name not in SURFACES and not folder.name.startswith("_")
)
READ_FOLDERS = (
    *SERVICE_FOLDERS,
    "orgs/audit.py",
)
WRITE_METHODS = {
    "bulk_create",
    "save",
    "create",
    "get_or_create",
    "update_or_create",
    "bulk_update",
}
ACTION_PATTERN = re.compile(r"^(?!app\.|memories\.[a-z]+_)[a-z]+\.(?:[a-z_]+|\*)$")
RECORDERS = {f"audit.record_{what}" for what in ("entry", "entries", "daily", "seldom")}
WRITE_STATEMENT = re.compile(r"\b(?:INSERT INTO|UPDATE \w+ |DELETE FROM)")


@dataclass(slots=True)
class Function:
    """What one function does itself. actions: what may be one, of the words that it hands on."""

    name: str
    act: bool
    writes: bool = False
    records: bool = False
    actions: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)


def source_files(rooms: tuple[str, ...]) -> list[Path]:
    return sorted(
        path
        for room in rooms
        for path in ([ROOT / room] if room.endswith(".py") else (ROOT / room).rglob("*.py"))
    )


@cache
def functions() -> dict[str, Function]:
    """Every function of the services by module and name, as memories.lifecycle.forget.forget."""
    found: dict[str, Function] = {}
    for path in source_files(READ_FOLDERS):
        module = module_of(path)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known, statements = _imported_names(tree, module), _write_statement_names(tree)
        acted = any(str(path.relative_to(ROOT)).startswith(room) for room in SERVICE_FOLDERS)
        for node in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
            one = _read_function(node, f"{module}.{node.name}", statements)
            one.act = acted and one.act and not node.name.startswith("_") and node in tree.body
            one.calls = {known.get(head, head) + rest for head, rest in map(_split, one.calls)}
            found[one.name] = one
    return found


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _split(name: str) -> tuple[str, str]:
    head, dot, rest = name.partition(".")
    return head, dot + rest


def _imported_names(tree: ast.Module, module: str) -> dict[str, str]:
    """What the names of a module stand for: what it imports and what it defines."""
    names = {n.name: f"{module}.{n.name}" for n in tree.body if isinstance(n, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    return names


@cache
def _reexports() -> dict[str, str]:
    """Where a name leads that a package only hands on: orgs.organisations.groups.add_to_group."""
    found: dict[str, str] = {}
    for path in source_files(READ_FOLDERS):
        if path.name == "__init__.py":
            tree, module = ast.parse(path.read_text(encoding="utf-8")), module_of(path)
            found |= {
                f"{module}.{name}": full for name, full in _imported_names(tree, module).items()
            }
    return found


def _write_statement_names(tree: ast.Module) -> set[str]:
    """Names of the module that hold statements which write, also those made of such a name."""
    found: set[str] = set()
    for node in [n for n in tree.body if isinstance(n, ast.Assign)]:
        inside = list(ast.walk(node.value))
        made_of = {n.id for n in inside if isinstance(n, ast.Name)} & found
        if made_of or any(WRITE_STATEMENT.search(_literal_text(inner)) for inner in inside):
            found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
    return found


def _read_function(node: ast.FunctionDef, name: str, statements: set[str]) -> Function:
    whom = [*node.args.args[:1], *node.args.kwonlyargs]
    kinds = {ast.unparse(one.annotation) for one in whom if one.annotation is not None}
    found = Function(name, act=bool(kinds & {"Actor", "Principal", "User"}))
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id in statements:
            found.writes = True
        if text := _literal_text(inner):
            found.writes |= bool(WRITE_STATEMENT.search(text))
            found.actions |= {text} if ACTION_PATTERN.match(text) else set()
        if isinstance(inner, ast.Name):
            found.calls.add(inner.id)  # also what is handed over to be called
        if isinstance(inner, ast.Call):
            _read_call(inner, found)
    return found


def _literal_text(node: ast.AST) -> str:
    """A text of the source; what is filled in later is a *."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(getattr(part, "value", "*")) if isinstance(part, ast.Constant) else "*"
                       for part in node.values)  # fmt: skip
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _read_call(call: ast.Call, found: Function) -> None:
    whole = ast.unparse(call.func)
    owner, _, name = whole.rpartition(".")
    found.calls.add(whole)
    if name in WRITE_METHODS and ("objects" in owner or name == "save"):
        found.writes = True
    if name in ("update", "delete") and ("objects" in owner or "filter(" in owner):
        found.writes = True
    found.records |= whole in RECORDERS


@cache
def reachable_effects(name: str) -> tuple[bool, frozenset[str]]:
    """(whether it writes, the actions that it may record), with all that it calls."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        here = waiting.pop()
        here = _reexports().get(here, here)
        if here in functions() and here not in seen:
            seen.add(here)
            waiting += functions()[here].calls
    known = [functions()[one] for one in seen]
    recorded = {a for f in known for a in f.actions} if any(f.records for f in known) else set()
    return any(f.writes for f in known), frozenset(recorded)


@cache
def writing_actions() -> dict[str, frozenset[str]]:
    """The actions that each writing act may record."""
    found = {}
    for name, function in functions().items():
        if function.act:
            writes, actions = reachable_effects(name)
            if writes:
                found[name] = actions
    return found
