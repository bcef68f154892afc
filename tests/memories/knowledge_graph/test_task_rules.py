"""Until when and by whom, as a text says it."""

from datetime import date

import pytest

from memories.knowledge_graph.task_rules import ASSIGNED_TO_SPEAKER, find_assignee, find_due_date

# A Monday.
SAID = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Send it by tomorrow", "2026-03-03"),
        ("call Bob tomorrow", "2026-03-03"),
        ("fix it by Friday", "2026-03-06"),
        ("fix it by Monday", "2026-03-09"),
        ("before Friday", "2026-03-05"),
        ("the report is due in 3 days", "2026-03-05"),
        ("Anna will answer until 3 May", "2026-05-03"),
        ("by the end of May 3rd, 2027", "2027-05-03"),
        ("reply by 1 Jan", "2027-01-01"),
        ("no later than 2026-04-01", "2026-04-01"),
        ("by Friday, I mean by 2026-03-06", "2026-03-06"),
        # Not certain, no day, or behind us.
        ("by Friday or by Monday", None),
        ("by next week", None),
        ("by 31 June", None),
        ("by 2026-13-40", None),
        ("by 2020-01-01", None),
        ("before 0001-01-01", None),
        ("by 9999-12-31", None),
        ("on the way by car", None),
        ("stand by Fridayish", None),
    ],
)
def test_until_when(text: str, day: str | None) -> None:
    assert find_due_date(text, SAID) == (date.fromisoformat(day) if day else None)


def test_at_the_ends_of_the_calendar() -> None:
    assert find_due_date("before 0001-01-01", date.min) is None
    assert find_due_date("by Friday", date.max) is None
    assert find_due_date("by 9999-12-31", date.max) == date.max


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Anna will send it", "Anna Meyer"),
        ("anna meyer needs to send it", "Anna Meyer"),
        ("Bob to call them", "Bob"),
        ("I'll do it", ASSIGNED_TO_SPEAKER),
        ("I have to do it", ASSIGNED_TO_SPEAKER),
        ("We will do it", None),
        ("Anna will not do it", None),
        ("Call Anna to say so", None),
        ("Eva will do it", None),
        ("Kim will do it", None),
        ("Kim Lee will do it", "Kim Lee"),
        ("", None),
    ],
)
def test_by_whom(text: str, who: str | None) -> None:
    assert find_assignee(text, ["Anna Meyer", "Bob", "Kim Lee", "Kim Park"]) == who


def test_two_of_one_name_are_nobody() -> None:
    assert find_assignee("Anna will send it", ["Anna", "anna"]) is None
