"""The slots for documents that are read at the same time, among real processes."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memories.ingestion.documents import parser_slots as module
from memories.ingestion.documents.parser_slots import (
    ParsersBusyError,
    parser_slot,
    sweep_slots,
)

ROOT = Path(module.__file__).parents[3]
_HOLDER = """
import sys
from pathlib import Path
from memories.ingestion.documents.parser_slots import ParsersBusyError, parser_slot
folder, organisation, slots, seconds = sys.argv[1:]
print("looks", flush=True)
try:
    with parser_slot(
        Path(folder), organisation, slots=int(slots), wait_seconds=float(seconds)
    ):
        print("has one", flush=True)
        sys.stdin.read()
except ParsersBusyError:
    print("busy", flush=True)
"""
Start = Callable[..., "Holder"]


class Holder:
    """A process that holds a slot until it is told to end."""

    def __init__(self, folder: Path, organisation: str, slots: int, seconds: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _HOLDER, str(folder), organisation, str(slots), str(seconds)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.line() == "looks"

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self, *, killed: bool = False) -> None:
        if killed:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    begun: list[Holder] = []

    def begin(organisation: str, slots: int = 4, seconds: float = 0) -> Holder:
        begun.append(Holder(tmp_path / "parsers", organisation, slots, seconds))
        return begun[-1]

    yield begin
    for one in begun:
        one.end(killed=True)


def test_one_organisation_has_at_most_half_and_all_have_what_there_is(start: Start) -> None:
    first, second = start("one"), start("one")
    assert [first.line(), second.line()] == ["has one", "has one"]
    assert start("one").line() == "busy"
    others = [start("two"), start("three")]
    assert [other.line() for other in others] == ["has one", "has one"]
    assert start("four").line() == "busy"
    first.end()
    assert start("one").line() == "has one"


@pytest.mark.parametrize("killed", [False, True])
def test_a_slot_is_free_when_its_process_ends_however_it_does(start: Start, killed: bool) -> None:
    holder = start("one", 2)
    assert holder.line() == "has one"
    assert start("one", 2).line() == "busy"
    holder.end(killed=killed)
    assert start("one", 2).line() == "has one"


def test_who_waits_gets_the_next_slot(start: Start) -> None:
    holder = start("one", 2)
    assert holder.line() == "has one"
    waiting = start("one", 2, 3_600)
    assert start("one", 2).line() == "busy"
    holder.end()
    assert waiting.line() == "has one"


def test_a_slot_is_given_back_also_where_reading_fails(tmp_path: Path) -> None:
    for _ in range(3):
        with pytest.raises(ValueError, match="damaged"), _slot(tmp_path, "one"):
            raise ValueError("damaged")
    with ExitStack() as both:
        both.enter_context(_slot(tmp_path, "one"))
        both.enter_context(_slot(tmp_path, "two"))
        with pytest.raises(ParsersBusyError):
            both.enter_context(_slot(tmp_path, "three"))
    assert not [one for one in Path("/proc/self/fd").iterdir() if tmp_path in _target(one).parents]


def _target(descriptor: Path) -> Path:
    try:
        return descriptor.readlink()
    except FileNotFoundError:
        # That of the list itself.
        return Path()


def _slot(folder: Path, organisation: str) -> AbstractContextManager[None]:
    return parser_slot(folder, organisation, slots=2, wait_seconds=0)


def test_files_of_machines_that_are_gone_are_removed(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    with _slot(tmp_path, "one"):
        assert sweep_slots(tmp_path, now=now) == 0
    assert sweep_slots(tmp_path / "nowhere", now=now) == 0
    assert sweep_slots(tmp_path, now=now + timedelta(days=2)) == len([0, 1, "all"])
    with _slot(tmp_path, "one"):
        pass
