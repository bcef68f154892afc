"""The mutants are really wrong, a survivor counts against the score, and the rules' score is high.

The slow test asks a sample of the rules; `make mutants` a larger one, and what the database does.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tools.mutants.__main__ import (
    MIN_SCORE,
    ROOT,
    check_mutants,
    output_path,
    print_scores,
    run_tests,
    unnoticed,
)
from tools.mutants.by_hand import BREAKAGES, Breakage
from tools.mutants.mutation_suites import PARTS, MutationSuite
from tools.mutants.operators import IGNORED_NUMBERS, Mutant, apply_mutant, mutants_of

MODULE = "memories/lifecycle/decay.py"


@pytest.mark.conformance("Q09")
def test_each_mutant_is_another_program() -> None:
    source = (ROOT / MODULE).read_text(encoding="utf-8")
    # None: the operator found nothing there to replace.
    made = [text for m in mutants_of(ROOT, MODULE) if (text := apply_mutant(source, m)) is not None]
    assert len(made) > 20
    for text in made:
        assert text != source
        compile(text, MODULE, "exec")


def test_the_score_counts_survivors(capsys: pytest.CaptureFixture[str]) -> None:
    one = next(iter(mutants_of(ROOT, MODULE)))
    results: list[tuple[Mutant, bool]] = [(one, False)] * 3 + [(one, True)]
    assert print_scores(results) == 75.0
    assert "3 of 4 killed: 75.0 %" in capsys.readouterr().out


def test_the_pure_tests_are_found_without_django_and_without_services() -> None:
    """One import that asks for settings ends `make test-pure`, and each run of the mutants."""
    bare = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--collect-only",
            "-c",
            "tests/pure.ini",
            "--rootdir",
            ".",
        ],
        cwd=ROOT,
        env=bare | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "::" in done.stdout


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_source_and_every_test_of_a_part_exists(part: MutationSuite) -> None:
    """What has moved would be left out without a word."""
    found = {s: [str(p.relative_to(ROOT)) for p in ROOT.glob(s)] for s in part.sources}
    assert not [source for source, paths in found.items() if not paths]
    assert not [test for test in part.tests if not list(ROOT.glob(test))]
    assert set(part.left_out) <= {path for paths in found.values() for path in paths}


@pytest.mark.parametrize("breakage", BREAKAGES, ids=lambda one: one.words)
@pytest.mark.conformance("Q09")
def test_every_breakage_by_hand_still_applies(breakage: Breakage) -> None:
    source = (ROOT / breakage.module).read_text(encoding="utf-8")
    broken = breakage.applied_to(source)
    assert broken != source
    compile(broken, breakage.module, "exec")
    assert not [test for test in breakage.tests if not (ROOT / test.partition("::")[0]).exists()]


def test_a_breakage_that_stands_nowhere_or_twice_is_refused() -> None:
    one = Breakage("", "here.py", "a = 1", "a = 2", ())
    assert one.applied_to("a = 1\n") == "a = 2\n"
    for source in ("b = 1\n", "a = 1\na = 1\n"):
        with pytest.raises(ValueError, match="times"):
            one.applied_to(source)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.conformance("Q09")
def test_every_breakage_by_hand_is_noticed() -> None:
    assert unnoticed("") == []


def test_no_module_is_made_wrong_in_two_parts() -> None:
    found = Counter(module for part in PARTS for module in part.modules(ROOT))
    assert not [module for module, times in found.items() if times > 1]


def test_what_is_silent_stands_in_a_statement() -> None:
    texts = [(ROOT / module).read_text() for part in PARTS for module in part.modules(ROOT)]
    assert not [piece for piece in IGNORED_NUMBERS if not any(piece in text for text in texts)]


def test_tests_that_do_not_end_are_told_from_tests_that_fail(tmp_path: Path) -> None:
    """A busy machine stops them at the same place, and no assertion would be found."""
    folder = tmp_path / "copy"
    folder.mkdir()
    assert not run_tests(PARTS[0], [str(tmp_path)], folder, "mutant", 0.01)
    assert "Not at its end after 0 seconds" in output_path(folder).read_text()


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.conformance("Q09")
def test_most_mutants_of_the_rules_are_noticed() -> None:
    chosen = argparse.Namespace(only="", all=False, sample=60, seed=5, workers=2)
    pure = next(part for part in PARTS if part.name == "pure")
    assert print_scores(check_mutants(pure, chosen)) >= MIN_SCORE
