"""Whether a row with an end has expired: from the moment `expires_at` on. A row without one never
does.

The one rule for memories and keys, as a condition for querysets, as SQL, and for a value.
"""

from datetime import datetime

from django.db.models import Q


def not_expired_q(now: datetime, path: str = "") -> Q:
    """The condition that a row has not expired. path: the look-up that leads to it, as
    `memory__`."""
    return Q((f"{path}expires_at__isnull", True)) | Q((f"{path}expires_at__gt", now))


def not_expired_sql(
    row: str = "m", *, now: str = "%(now)s::timestamptz", column: str = "expires_at"
) -> str:
    """The same as SQL in parentheses. row: the alias of the table; now: an expression of SQL;
    column: with the end."""
    return f"({row}.{column} IS NULL OR {row}.{column} > {now})"


def has_expired(expires_at: datetime | None, now: datetime) -> bool:
    """The opposite for one value."""
    return expires_at is not None and expires_at <= now
