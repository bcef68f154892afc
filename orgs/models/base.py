"""What every tenant table shares."""

import secrets
import uuid
from datetime import UTC, datetime

from django.db import models
from uuid_utils.compat import uuid7

# The longest id that an identity provider gives.
MAX_PROVISIONED_ID = 200
_DAY = 24 * 60 * 60 * 1000  # in milliseconds


class TenantModel(models.Model):
    """A row that belongs to one organisation.

    Ids are made here (UUIDv7), never by the database, so that nothing has to be returned by an
    INSERT into an audience that the writer cannot read. The constraints between tenant tables
    are composite, (organisation, id), and are added by `orgs/sql/protection_v1.sql` and its like:
    Django's own foreign keys would let a row point into another organisation.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "orgs.Organisation",
        models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )

    class Meta:
        abstract = True


class TenantForeignKey(models.ForeignKey):
    """A reference to a row of the same organisation; the constraint is composite, in SQL."""

    def __init__(self, to: str, **kwargs: object) -> None:
        kwargs["on_delete"] = models.DO_NOTHING
        kwargs["db_constraint"] = False
        # Queries filter by the organisation first, so an index on the column alone is never used.
        kwargs.setdefault("db_index", False)
        kwargs.setdefault("related_name", "+")
        super().__init__(to, **kwargs)


def new_id() -> uuid.UUID:
    """A fresh time-ordered id."""
    return uuid7()


def day_of(moment: datetime) -> datetime:
    """The beginning of its day in UTC: all that is told of when something was taught."""
    return moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def day_id(moment: datetime, *, after: uuid.UUID | None = None) -> uuid.UUID:
    """A fresh id that tells the day of a moment and no finer time.

    A UUIDv7 of the day's beginning; `public.day_uuid` makes the like in the database. after: an id
    of that day below the new one. Those of one moment follow each other in the order in which they
    were made.
    """
    number = _next(moment, _number(after) if after else None)
    upper, lower = number >> 62, number & (1 << 62) - 1
    return uuid.UUID(int=first_of_day(moment).int | upper << 64 | lower)


def first_of_day(moment: datetime) -> uuid.UUID:
    """The lowest UUIDv7 of the beginning of a day."""
    milliseconds = int(day_of(moment).timestamp() * 1000)
    return uuid.UUID(int=milliseconds << 80 | 7 << 76 | 0b10 << 62)


def id_like(other: uuid.UUID, now: datetime) -> uuid.UUID:
    """A fresh id for a row about another one: where that id tells only a day, so does this."""
    tells_day = (other.int >> 80) % _DAY == 0
    return day_id(now) if tells_day else new_id()


def _number(id_: uuid.UUID) -> int:
    """The 74 bits of a UUIDv7 that are no time."""
    return (id_.int >> 64 & 0xFFF) << 62 | id_.int & (1 << 62) - 1


_last: tuple[datetime | None, int] = (None, 0)


def _next(moment: datetime, floor: int | None) -> int:
    """A number of 74 bits above the floor, and above the last one of this same moment."""
    global _last  # noqa: PLW0603 - one for the process, so that a batch keeps its order
    known, last = _last
    below = [one for one in (floor, last if known == moment else None) if one is not None]
    # By lot, so that nobody counts what lies between two; half of the numbers are left above.
    number = max(below) + secrets.randbelow(1 << 48) + 1 if below else secrets.randbits(73)
    _last = (moment, number)
    return number
