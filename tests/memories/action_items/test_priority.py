"""How pressing a task is, at the borders."""

from datetime import UTC, datetime, timedelta

import pytest

from memories.action_items.priority import priority

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.mark.conformance("Z21")
@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (timedelta(days=-400), "high"),
        (timedelta(0), "high"),
        (timedelta(days=3) - SECOND, "high"),
        (timedelta(days=3), "medium"),
        (timedelta(days=7), "medium"),
        (timedelta(days=7) + SECOND, "low"),
        (timedelta(days=365), "low"),
        (None, "low"),
    ],
)
def test_priority(left: timedelta | None, expected: str) -> None:
    assert priority(None if left is None else NOW + left, NOW) == expected
