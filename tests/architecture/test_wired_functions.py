"""Every function that a lower app declares is connected, and no registry serves one subscriber.

A hook is a function that stores one of its parameters in a list, set or dict of its module, for
others to run or read later. Its subscribers are the calls of it in the product.
"""

import ast
import importlib
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured

from memories.jobs import organisation_run, run_jobs
from memories.jobs.models import JobType
from orgs import wired_functions
from orgs.wired_functions import check_wiring, wired
from robots.teams import teams
from tests.architecture.source import ROOT, is_migration, module_files, relative, syntax_tree

MAX_HOOKS = 8
STORING_METHODS = {"add", "append", "extend", "insert", "setdefault", "update"}
# What a cache stores, in contrast to a hook: values, by the annotation of the parameter.
VALUE_TYPES = {"bool", "bytes", "date", "datetime", "float", "int", "str", "UUID"}
DECLARATION_ALONE = """
import django
from orgs.wired_functions import wired

@wired
def left_out() -> None:
    raise NotImplementedError

django.setup()
"""


def _module(path: Path) -> str:
    return relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


# --- Wiring ---


def declared_functions() -> list[tuple[str, str]]:
    """(module, name) of every function with @wired."""
    return [
        (_module(path), node.name)
        for path in module_files()
        for node in _functions(syntax_tree(path))
        if any(ast.unparse(one) == "wired" for one in node.decorator_list)
    ]


def test_every_declared_function_is_connected() -> None:
    declared = declared_functions()
    assert len(declared) > 20
    found = [getattr(importlib.import_module(module), name) for module, name in declared]
    assert [one.name for one in found if one.function is one.declaration] == []
    check_wiring()


def test_a_declared_function_only_declares() -> None:
    """It has a docstring and raises, so a call of one that nobody connected is loud."""
    for path in module_files():
        for node in _functions(syntax_tree(path)):
            if any(ast.unparse(one) == "wired" for one in node.decorator_list):
                _, body = node.body
                assert ast.get_docstring(node), f"{relative(path)} {node.name}"
                assert ast.unparse(body) == "raise NotImplementedError", node.name


def test_one_that_is_not_connected_is_found_and_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    point = teams.before_team_removal
    monkeypatch.setattr(point, "function", point.declaration)
    with pytest.raises(ImproperlyConfigured, match=r"robots\.teams\.teams\.before_team_removal"):
        check_wiring()
    with pytest.raises(NotImplementedError):
        point(None, None)  # type: ignore[arg-type]  # it is not called


def test_nothing_is_connected_twice() -> None:
    with pytest.raises(ImproperlyConfigured, match="connected twice"):
        teams.before_team_removal.connect(lambda team, audience_id: None)
    with pytest.raises(ImproperlyConfigured, match="connected twice"):
        apps.get_app_config("config").ready()


@pytest.mark.slow
def test_a_process_with_one_left_out_does_not_start() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DECLARATION_ALONE],
        capture_output=True,
        check=False,
        cwd=ROOT,
        text=True,
    )
    assert done.returncode == 1
    assert "config/connect_apps.py does not connect __main__.left_out" in done.stderr


def test_a_connected_function_gets_what_the_caller_gives() -> None:
    point = wired(lambda first, *, second: "")
    try:
        point.connect(lambda first, *, second: f"{first} {second}")
        assert point("one", second="two") == "one two"
    finally:
        wired_functions._declared.remove(point)


def test_every_type_of_job_has_its_work() -> None:
    assert {*run_jobs._handlers, *organisation_run._handlers} == set(JobType)


# --- Hooks ---


def hooks() -> list[tuple[Path, str]]:
    """(file, name) of every public function that stores a parameter in its module."""
    return [
        (path, node.name)
        for path in module_files()
        if not is_migration(path)
        for node in _functions(syntax_tree(path))
        if not node.name.startswith("_")
        and _stores_parameter(node, _collections(syntax_tree(path)))
    ]


def _collections(tree: ast.Module) -> set[str]:
    """The names of the module's own lists, sets and dicts."""
    found: set[str] = set()
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        made = isinstance(value, ast.Call) and ast.unparse(value.func) in {
            "defaultdict", "dict", "list", "set",
        }  # fmt: skip
        if made or isinstance(value, ast.List | ast.Dict | ast.Set):
            found |= {one.id for one in targets if isinstance(one, ast.Name)}
    return found


def _stores_parameter(function: ast.FunctionDef, collections: set[str]) -> bool:
    inner = [one for one in ast.walk(function) if isinstance(one, ast.FunctionDef)]
    parameters = {
        one.arg
        for each in inner
        for one in (*each.args.posonlyargs, *each.args.args, *each.args.kwonlyargs)
        if one.annotation is None or not _names(one.annotation) <= {*VALUE_TYPES, "None"}
    }
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=args):
                stored = args if attr in STORING_METHODS and name in collections else []
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value):
                stored = [value] if name in collections else []
            case _:
                continue
        if any(_names(one) & (parameters | _derived(function, parameters)) for one in stored):
            return True
    return False


def _derived(function: ast.FunctionDef, parameters: set[str]) -> set[str]:
    """Inner functions that use a parameter, and the variables of loops over one."""
    found = {
        one.name
        for one in ast.walk(function)
        if isinstance(one, ast.FunctionDef) and one is not function and _names(one) & parameters
    }
    for one in ast.walk(function):
        if isinstance(one, ast.For) and _names(one.iter) & parameters:
            found |= _names(one.target)
    return found


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _subscribers(names: set[str]) -> Counter[str]:
    """How often the product calls each of these functions, or decorates with it."""
    found: Counter[str] = Counter()
    for path in module_files():
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func).rpartition(".")[2]
                found[called] += called in names
            elif isinstance(node, ast.FunctionDef):
                found.update(
                    one
                    for one in (ast.unparse(d).rpartition(".")[2] for d in node.decorator_list)
                    if one in names
                )
    return found


def test_hooks_are_few_and_each_has_several_subscribers() -> None:
    found = hooks()
    count = _subscribers({name for _, name in found})
    assert 3 <= len(found) <= MAX_HOOKS
    lonely = [f"{relative(path)} {name}" for path, name in found if count[name] < 2]
    assert lonely == []


HOOKS = (
    "_all: list[Hook] = []\ndef on(hook: Hook) -> Hook:\n    _all.append(hook)",
    "_all = {}\ndef on(kind: str, work: Work) -> None:\n    _all[kind] = (work, None)",
    "_all = {}\ndef on(works: Works) -> None:\n    _all.update(works)",
    """_all = {}
def on(kind: str, work: Work) -> None:
    def run() -> None:
        work()
    _all[kind] = run
""",
    """_all = []
def on(name: str) -> Register:
    def register(work: Work) -> Work:
        _all.append((name, work))
    return register
""",
)
NO_HOOKS = (
    "_at: dict[str, datetime] = {}\ndef at(now: datetime) -> None:\n    _at['a'] = now",
    "def on(hooks: list[Hook], hook: Hook) -> None:\n    hooks.append(hook)",
    "_made = {}\ndef get(name: str) -> Encoder:\n    _made[name] = load(name)",
)


@pytest.mark.parametrize("text", [*HOOKS, *NO_HOOKS])
def test_a_hook_is_found_in_each_form(text: str) -> None:
    tree = ast.parse(text)
    found = any(_stores_parameter(one, _collections(tree)) for one in _functions(tree))
    assert found is (text in HOOKS)


def test_no_app_imports_a_module_only_to_run_it() -> None:
    for path in ROOT.glob("*/apps.py"):
        assert "F401" not in path.read_text(encoding="utf-8"), path
