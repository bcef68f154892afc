"""`make mutants`: change a line so that it is wrong, and see whether a test notices.

A sample of the mutants of the pure rules (with the tests that need no services) and of what the
database does (with a few tests that need them), drawn by a seed that is printed. The work is done
in copies of the project; nothing here is touched. `make mutants ARGS="--all"` runs every one.

It prints the score of each module, each part and all, and fails if a part or all is under 85 %.
Breakages by hand come last, every one of them (tools.mutants.by_hand): a permission, an expiry, a
lease. All of those must be noticed.

The samples are so small that it ends within 20 minutes on two idle cores. What is never made wrong,
because no test could notice, is said in tools.mutants.operators.

cosmic-ray makes the mutants. Its own runner starts a session for each, and mutmut 3 changes nothing
outside functions, where the constants are.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tools.mutants.by_hand import BREAKAGES, Breakage
from tools.mutants.mutation_suites import PARTS, MutationSuite
from tools.mutants.operators import Mutant, apply_mutant, mutants_of

ROOT = Path(__file__).resolve().parents[2]
COPIED = (
    "config", "memories", "orgs", "personas", "robots", "tests", "tools", "static", "templates",
    "docs",
)  # fmt: skip
MIN_SCORE = 85.0
HAND = "hand"
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "-x",
    "-q",
    "--no-header",
    "--tb=line",
    "-p",
    "no:randomly",
)


def copy_project(folder: Path) -> Path:
    """The project once more, without data."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in COPIED:
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    for name in ("pyproject.toml", "manage.py"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def run_tests(
    part: MutationSuite, tests: Sequence[str], folder: Path, name: str, timeout: float
) -> bool:
    """Whether the tests pass there. What never ends has not passed."""
    words = [*PYTEST, *part.options, *tests]
    environment = {**os.environ, **part.environment, "PYTEST_XDIST_WORKER": name}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(folder)}
    # Weights that are there stay there; each run looks whether its template is the right one.
    environment["DATA_DIR"] = str((ROOT / os.environ.get("DATA_DIR", "var/test")).resolve())
    environment["PYTEST_XDIST_TESTRUNUID"] = f"{os.getpid()}-{time.monotonic_ns()}"
    with output_path(folder).open("wb") as output:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        return process.wait(timeout) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        with output_path(folder).open("a", encoding="utf-8") as output:
            output.write(f"\nNot at its end after {timeout:.0f} seconds: stopped.\n")
        return False


def output_path(folder: Path) -> Path:
    """What the last tests in a copy have said."""
    return folder.with_suffix(".log")


def survives(part: MutationSuite, mutant: Mutant, folder: Path, timeout: float) -> bool:
    """Whether no test notices the mutant."""
    path = folder / mutant.module
    source = path.read_text(encoding="utf-8")
    changed = apply_mutant(source, mutant)
    if changed is None:
        return False
    try:
        path.write_text(changed, encoding="utf-8")
        return run_tests(
            part, part.tests_for(mutant.module), folder, f"mutant{folder.name}", timeout
        )
    finally:
        path.write_text(source, encoding="utf-8")


def sample_mutants(part: MutationSuite, chosen: argparse.Namespace) -> tuple[list[Mutant], int]:
    """The sample, and how many mutants there are."""
    modules = [m for m in part.modules(ROOT) if chosen.only in m]
    everything = [mutant for module in modules for mutant in mutants_of(ROOT, module)]
    size = len(everything) if chosen.all else min(chosen.sample or part.sample, len(everything))
    return random.Random(chosen.seed).sample(everything, size), len(everything)  # noqa: S311


def check_mutants(part: MutationSuite, chosen: argparse.Namespace) -> list[tuple[Mutant, bool]]:
    """(mutant, whether it survived) of the sample."""
    sample, whole = sample_mutants(part, chosen)
    say(f"{part.name}: {len(sample)} of {whole} mutants, seed {chosen.seed}")
    if not sample:
        return []
    copies: Queue[Path] = Queue()
    base = ROOT / "var" / "mutants"
    for n in range(chosen.workers):
        copies.put(copy_project(base / part.name / str(n)))
    first = copies.get()
    started = time.monotonic()
    if not run_tests(part, part.every_test(), first, f"mutant{first.name}", 600):
        say(output_path(first).read_text(encoding="utf-8", errors="replace")[-2_000:])
        sys.exit(f"{part.name}: the tests fail, or do not end, without any mutant (see above)")
    timeout = 10 + 4 * (time.monotonic() - started)
    copies.put(first)

    def one(mutant: Mutant) -> tuple[Mutant, bool]:
        folder = copies.get()
        try:
            left = survives(part, mutant, folder, timeout)
        finally:
            copies.put(folder)
        if left:
            say(f"  survived: {mutant}")
        return mutant, left

    with ThreadPoolExecutor(chosen.workers) as pool:
        return list(pool.map(one, sample))


def is_unnoticed(breakage: Breakage, folder: Path) -> bool:
    """Whether the named tests pass with the breakage."""
    path = folder / breakage.module
    source = path.read_text(encoding="utf-8")
    try:
        path.write_text(breakage.applied_to(source), encoding="utf-8")
        database = next(part for part in PARTS if part.name == "database")
        return run_tests(database, breakage.tests, folder, f"mutant{folder.name}", 600)
    finally:
        path.write_text(source, encoding="utf-8")


def unnoticed(only: str) -> list[Breakage]:
    """The breakages by hand that no test notices, of modules whose path has `only` in it."""
    chosen = [one for one in BREAKAGES if only in one.module]
    say(f"by hand: {len(chosen)} breakages")
    folder = copy_project(ROOT / "var" / "mutants" / HAND / "0") if chosen else ROOT
    left = [one for one in chosen if is_unnoticed(one, folder)]
    for one in left:
        say(f"  unnoticed: {one.module}: {one.words}")
    say(f"  {len(chosen) - len(left)} of {len(chosen)} noticed")
    return left


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_scores(results: Sequence[tuple[Mutant, bool]]) -> float:
    """Print the score of each module and of all; returns the latter in percent."""
    by_module: dict[str, Counter[bool]] = defaultdict(Counter)
    for mutant, left in results:
        by_module[mutant.module][left] += 1
    for module, count in sorted(by_module.items()):
        say(f"  {module}: {count[False]} of {count.total()} killed")
    killed = sum(count[False] for count in by_module.values())
    score = 100 * killed / len(results) if results else 100.0
    say(f"  {killed} of {len(results)} killed: {score:.1f} %")
    return score


def main() -> None:
    words = argparse.ArgumentParser(prog="make mutants")
    words.add_argument("--part", choices=[*(part.name for part in PARTS), HAND], action="append")
    words.add_argument("--sample", type=int, help="how many mutants of each part")
    words.add_argument("--all", action="store_true", help="every mutant")
    words.add_argument("--only", default="", help="modules whose path has this in it")
    words.add_argument("--seed", type=int, default=11)
    words.add_argument("--workers", type=int, default=2)
    chosen = words.parse_args()
    results = []
    scores = {}
    for part in PARTS:
        if not chosen.part or part.name in chosen.part:
            found = check_mutants(part, chosen)
            scores[part.name] = print_scores(found)
            results += found
    by_hand = unnoticed(chosen.only) if not chosen.part or HAND in chosen.part else []
    say("all parts")
    scores["all parts"] = print_scores(results)
    if by_hand:
        sys.exit(f"{len(by_hand)} breakages by hand are not noticed")
    if low := [name for name, score in scores.items() if score < MIN_SCORE]:
        sys.exit(f"under {MIN_SCORE:.0f} % killed: {', '.join(low)}")


if __name__ == "__main__":
    main()
