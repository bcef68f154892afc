"""A plugin of pytest: which of the tests that others wrote are expected to fail, and why.

EXPECTED_FAILURES is a file of lines "folder/file.py::test: reason" and SUITE the folder.
"""

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is expected to fail has to fail; `?` is before what may and `-` before what is not run;
    each has a reason."""
    folder = Path(os.environ["SUITE"])
    lines = Path(os.environ["EXPECTED_FAILURES"]).read_text(encoding="utf-8").splitlines()
    reasons = dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))
    for item in items:
        name = f"{folder.name}/{item.path.name}::{item.name.partition('[')[0]}"
        for mark, strict in (("", True), ("? ", False)):
            if reason := reasons.get(mark + name):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=strict))
        if reason := reasons.get(f"- {name}"):
            item.add_marker(pytest.mark.skip(reason=reason))
