"""What is made wrong, and which tests are to notice.

What is pure is said elsewhere and only read here: the tests in tests/pure.ini, the rules in the
contract "Rules are pure" of pyproject.toml. With them go the stages of retrieval that compute
without Django but stand beside some that need it.
"""

import configparser
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = "Rules are pure"


def pure_tests() -> tuple[str, ...]:
    """The test paths of tests/pure.ini."""
    found = configparser.ConfigParser(interpolation=None)
    found.read(ROOT / "tests" / "pure.ini", encoding="utf-8")
    return tuple(found["pytest"]["testpaths"].split())


def pure_rules() -> tuple[str, ...]:
    """The modules of the contract as globs; a package stands for everything in it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    contract = next(one for one in contracts if one["name"].startswith(CONTRACT))
    paths = [name.replace(".", "/") for name in contract["source_modules"]]
    return tuple(f"{p}/**/*.py" if (ROOT / p).is_dir() else f"{p}.py" for p in paths)


DATABASE_TESTS = (
    # The fast ones first: most mutants need no other.
    "tests/memories/retrieval/strategies",
    "tests/memories/retrieval/ranking",
    "tests/memories/retrieval/candidates",
    "tests/memories/indexing/test_context_windows.py",
    "tests/memories/retrieval/test_pipeline.py",
    "tests/memories/retrieval/test_strategies.py",
    "tests/memories/retrieval/test_levels_and_zones.py",
    "tests/memories/retrieval/test_partitions.py",
    "tests/memories/retrieval/test_large.py",
    "tests/memories/knowledge_graph/test_write_graph.py",
    "tests/quality",
)


@dataclass(frozen=True, slots=True)
class MutationSuite:
    """Modules with one way to test them. sample: how many mutants unless somebody says."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    sample: int
    left_out: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def modules(self, root: Path) -> list[str]:
        """Paths below the root."""
        found = {str(p.relative_to(root)) for s in self.sources for p in root.glob(s)}
        return sorted(m for m in found if not m.endswith("__init__.py") and m not in self.left_out)

    def tests_for(self, module: str) -> tuple[str, ...]:
        """The tests, those that are named like the module first."""
        name = f"test_{Path(module).stem}.py"
        own = [t if t.endswith(".py") else f"{t}/{name}" for t in self.tests]
        own = [t for t in own if Path(t).name == name]
        here = [t for t in own if (ROOT / t).exists()]
        return (*here, *self.tests)

    def every_test(self) -> tuple[str, ...]:
        return self.tests


PARTS = (
    MutationSuite(
        name="pure",
        sources=(
            *pure_rules(),
            "memories/retrieval/candidates/candidate_features.py",
            "memories/retrieval/candidates/search_conditions.py",
            "memories/retrieval/candidates/scan_rows.py",
            "memories/retrieval/candidates/readable_row_count.py",
            "memories/retrieval/ranking/cues.py",
            "memories/retrieval/ranking/cues.py",
            "memories/retrieval/ranking/rank_pass.py",
            "memories/evaluation/measures/metrics.py",
        ),
        tests=pure_tests(),
        sample=320,
        options=("-c", "tests/pure.ini", "--rootdir", "."),
        environment={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    ),
    MutationSuite(
        name="database",
        sources=(
            "memories/retrieval/candidates/search.py",
            "memories/retrieval/ranking/merge_duplicates.py",
            "memories/retrieval/candidates/graph_walk.py",
            "memories/retrieval/candidates/query_words.py",
            "memories/retrieval/strategies/*.py",
            "memories/indexing/context_windows.py",
        ),
        tests=DATABASE_TESTS,
        sample=30,
        # Pure.
        left_out=("memories/retrieval/strategies/query_complexity.py",),
        options=("-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not slow"),
    ),
)
