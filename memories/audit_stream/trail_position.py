"""How far the trail of one organisation was told.

A position is the number of a writing transaction (docs/adr/0049-changes.md): what commits late is
told late, and is not missed. Ids tell roughly when an entry was written, so that a turn need not
look at the whole trail.
"""

from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

# The clocks of two machines may differ by as much.
CLOCKS = timedelta(hours=1)
_NIL = UUID(int=0)


@dataclass(frozen=True, slots=True)
class TrailPosition:
    """epoch: names the database, another one after a restore. position: all transactions below it
    were told. floor: no entry that was not told is older. before, before_at: the end of what the
    server had begun when the window before was opened.

    While a window is read: until, its end; top, opened_at: as of `before`; after: the last id that
    was told.
    """

    epoch: str
    position: int
    floor: datetime
    before: int
    before_at: datetime
    until: int = -1
    top: int = -1
    opened_at: datetime | None = None
    after: UUID = _NIL

    @classmethod
    def begin(cls, epoch: str, horizon: int, now: datetime) -> "TrailPosition":
        """Tells what is committed from now on."""
        return cls(epoch, horizon, now, horizon, now)

    @property
    def is_open(self) -> bool:
        return self.until >= 0

    def opened(self, epoch: str, horizon: int, top: int, now: datetime) -> "TrailPosition":
        """The beginning of a window up to the horizon. top: the first transaction that has not
        begun. In another database everything from the floor on is told again."""
        start = self if epoch == self.epoch else replace(self, epoch=epoch, position=0, before=0)
        return replace(
            start,
            until=max(horizon, start.position),
            top=top,
            opened_at=now,
            after=first_id(start.floor - CLOCKS),
        )

    def told(self, last: UUID) -> "TrailPosition":
        """The same window, told up to that id."""
        return replace(self, after=last)

    def closed(self) -> "TrailPosition":
        """Behind the window.

        The floor follows one window later: an entry in which an erasure hid a name meanwhile counts
        as written then, and is older by its id.
        """
        assert self.opened_at is not None  # noqa: S101 - for the type checker
        floor = self.before_at if self.until >= self.before else self.floor
        return TrailPosition(
            self.epoch, self.until, max(floor, self.floor), self.top, self.opened_at
        )

    def to_json(self) -> dict[str, Any]:
        """For a column."""
        return {
            name: value if isinstance(value, int) or value is None else str(value)
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> "TrailPosition":
        """The reverse of `to_json`."""
        times = ("floor", "before_at", "opened_at")
        read = {name: kept[name] and datetime.fromisoformat(kept[name]) for name in times}
        return cls(**{**kept, **read, "after": UUID(kept["after"])})


def first_id(moment: datetime) -> UUID:
    """The lowest id (UUIDv7) of that moment, in milliseconds."""
    return UUID(int=max(0, int(moment.timestamp() * 1000)) << 80)
