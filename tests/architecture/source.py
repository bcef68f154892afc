"""The repository's own files, for the tests that read them."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("config", "memories", "orgs", "personas", "robots")
TEXT_SUFFIXES = {
    ".cfg",
    ".css",
    ".csv",
    ".html",
    ".in",
    ".js",
    ".lock",
    ".md",
    ".py",
    ".sh",
    ".svg",
}
TEXT_SUFFIXES |= {".toml", ".txt", ".yaml", ".yml", ""}
# Made by tools or by running it; not part of the repository.
GENERATED = {".git", ".venv", "var", "node_modules", "__pycache__"}


def pure_modules() -> list[str]:
    """The modules and packages that hold rules without any service, as the import contract says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    [names] = [c["source_modules"] for c in contracts if c["name"].startswith("Rules are pure")]
    return list(names)


def relative(path: Path) -> str:
    """The path as it is written in the repository."""
    return path.relative_to(ROOT).as_posix()


def module_files(*packages: str) -> list[Path]:
    """Python files of these packages (all of the product when none is named), by path."""
    found = [p for name in packages or PACKAGES for p in (ROOT / name).rglob("*.py")]
    return sorted(p for p in found if "__pycache__" not in p.parts)


def is_migration(path: Path) -> bool:
    """Whether a module is a migration."""
    return "migrations" in path.parts


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def iter_text_files() -> Iterator[tuple[Path, str]]:
    """Every text file of the repository with its content."""
    for path in sorted(_iter_files(ROOT)):
        if path.suffix in TEXT_SUFFIXES:
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def _iter_files(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name in GENERATED or entry.name.endswith("_cache"):
            continue
        if entry.is_dir() and not entry.is_symlink():
            if not (entry / "pyvenv.cfg").exists():
                yield from _iter_files(entry)
        elif entry.is_file():
            yield entry


@cache
def imports(path: Path) -> list[tuple[int, str]]:
    """(line, absolute module) of every import of a module, wherever it stands."""
    found: list[tuple[int, str]] = []
    for node in _statements(syntax_tree(path).body):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append((node.lineno, node.module))
    return found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement; an import stands in no expression, and those are nine nodes of ten."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, part, []))
