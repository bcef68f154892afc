"""What is made wrong, and which tests are to notice."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PURE_TESTS = (
    "tests/memories/policies",
    "tests/robots/conversations/test_message_rules.py",
    "tests/memories/retrieval/pure",
    "tests/memories/evaluation/test_metrics.py",
)
DATABASE_TESTS = (
    "tests/memories/retrieval/test_pipeline.py",
    "tests/memories/retrieval/test_strategies.py",
    "tests/memories/retrieval/test_levels_and_zones.py",
    "tests/memories/retrieval/test_partitions.py",
    "tests/memories/retrieval/test_large.py",
    "tests/memories/knowledge_graph/test_write_graph.py",
    "tests/quality",
)


@dataclass(frozen=True, slots=True)
class Part:
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
        own = [f"{t}/{name}" for t in self.tests if not t.endswith(".py")]
        here = [t for t in own if (Path(__file__).resolve().parents[2] / t).exists()]
        return (*here, *self.tests)

    def every_test(self) -> tuple[str, ...]:
        return self.tests


PARTS = (
    Part(
        name="pure",
        sources=(
            "memories/policies/*.py",
            "robots/policies/*.py",
            "memories/retrieval/candidates/columns.py",
            "memories/retrieval/candidates/filters.py",
            "memories/retrieval/ranking/fusion.py",
            "memories/retrieval/candidates/merge.py",
            "memories/retrieval/ranking/rank.py",
            "memories/retrieval/candidates/readable_rows.py",
            "memories/retrieval/ranking/cues.py",
            "memories/evaluation/metrics.py",
        ),
        tests=PURE_TESTS,
        sample=320,
        options=("-c", "tests/pure.ini", "--rootdir", "."),
        environment={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    ),
    Part(
        name="database",
        sources=(
            "memories/retrieval/candidates/search.py",
            "memories/retrieval/ranking/same_answer.py",
            "memories/retrieval/candidates/graph_walk.py",
            "memories/retrieval/candidates/question_words.py",
            "memories/retrieval/strategies/*.py",
            "memories/indexing/context_windows.py",
        ),
        tests=DATABASE_TESTS,
        sample=30,
        options=("-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not slow"),
    ),
)
