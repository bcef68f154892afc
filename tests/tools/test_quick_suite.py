"""Which tests `make test` leaves out, and that none is left out twice or for ever."""

import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests import conftest
from tools import quick_suite
from tools.quick_suite import KEPT, LONG_TESTS, ROOT, RunTime, choose_long, read_long_tests

REPORT = """<testsuites><testsuite name="pytest" time="600.5">
<testcase classname="tests.a.test_b" name="test_c[1-x.y]" time="2.5" />
<testcase classname="tests.a.test_b" name="test_c[2]" time="1.5" />
<testcase classname="tests.a.test_b" name="test_d" time="0.25"><skipped /></testcase>
</testsuite></testsuites>"""


def test_the_times_are_those_of_a_function(tmp_path: Path) -> None:
    (tmp_path / "times.xml").write_text(REPORT)
    times, wall = quick_suite.read_report(tmp_path / "times.xml")
    assert times == {
        "tests/a/test_b.py::test_c": RunTime(4.0, 2),
        "tests/a/test_b.py::test_d": RunTime(0.25, 1),
    }
    assert wall == 600.5


def test_what_costs_most_for_each_case_is_left_out_first() -> None:
    kept = next(iter(KEPT))
    times = {
        "many": RunTime(30, 100), "one": RunTime(9, 1), "two": RunTime(10, 2),
        kept: RunTime(50, 1),
    }  # fmt: skip
    assert choose_long(times, 99) == {}
    assert [*choose_long(times, 98)] == ["one"]
    assert [*choose_long(times, 90)] == ["one"]
    assert [*choose_long(times, 89)] == ["one", "two"]
    assert [*choose_long(times, 1)] == ["one", "two", "many"], "what is kept is kept"


def test_a_run_without_the_long_ones_keeps_them_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "long.csv"
    monkeypatch.setattr(quick_suite, "LONG_TESTS", path)
    quick_suite.write_long_tests(path, {"tests/a/test_b.py::test_e": RunTime(90.04, 3)})
    (tmp_path / "times.xml").write_text(REPORT)
    # 4.25 s took 600.5: in 390 fit 2.76.
    assert quick_suite.main([str(tmp_path / "times.xml")]) == 0
    assert read_long_tests(path) == {
        "tests/a/test_b.py::test_c": RunTime(4.0, 2),
        "tests/a/test_b.py::test_e": RunTime(90.0, 3),
    }


def test_the_list_names_tests_that_there_are() -> None:
    listed = read_long_tests(LONG_TESTS)
    assert listed
    for test in listed:
        place, _, name = test.partition("::")
        source = (ROOT / place).read_text()
        assert re.search(rf"^def {name}\(", source, re.M), f"{test}: take it off the list"
    assert [test for test in listed if test.startswith(tuple(KEPT))] == []
    for begin in KEPT:
        place, _, name = begin.partition("::")
        assert (ROOT / place).exists()
        assert f"def {name}" in ((ROOT / place).read_text() if name else "def ")


def test_each_case_of_a_listed_test_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "_long_tests", lambda: {"tests/a/test_b.py::test_c"})
    marked = []
    for name in ("test_c", "test_c[x]", "test_cd", "test_c2[x]"):
        item = Mock(nodeid=f"tests/a/test_b.py::{name}")
        conftest.pytest_itemcollected(item)
        marked += [name] * item.add_marker.called
    assert marked == ["test_c", "test_c[x]"]
