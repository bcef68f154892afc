"""The priority of a task by its due date. Pure."""

from datetime import datetime, timedelta

HIGH, MEDIUM, LOW = PRIORITIES = ("high", "medium", "low")
HIGH_BELOW, MEDIUM_UP_TO = timedelta(days=3), timedelta(days=7)


def priority(due_at: datetime | None, now: datetime) -> str:
    """high if it is due in less than 3 days or overdue, medium up to 7 days, else low.

    Without a due date it is low.
    """
    if due_at is None:
        return LOW
    left = due_at - now
    if left < HIGH_BELOW:
        return HIGH
    return MEDIUM if left <= MEDIUM_UP_TO else LOW
