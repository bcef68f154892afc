"""How far somebody has read the feed of changes, and of whose memories they have a copy."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from struct import Struct, error
from typing import Literal
from uuid import UUID

# Bytes of an audience's mark. A thousand audiences make a cursor of seven thousand letters; that a
# new audience has the mark of one of them happens once in 10^9 times.
MARK_BYTES = 5
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HEAD = Struct(">B8sqqqqB16sI")
_VERSION = 1
_NIL = UUID(int=0)
Phase = Literal["changes", "made"]


def audience_mark(audience_id: UUID) -> bytes:
    """A short name of an audience."""
    return blake2b(audience_id.bytes, digest_size=MARK_BYTES).digest()


@dataclass(frozen=True, slots=True)
class FeedPosition:
    """What a cursor holds.

    epoch: names the database; another one after a restore (8 bytes). position, time: everything
    before them was told. audiences: marks of those whose memories were told. While a window is
    read: until, until_time are its end; gained: marks of audiences whose memories are told whole in
    it; phase, after: how far it was read, by ids of memories.
    """

    epoch: bytes
    position: int
    time: datetime
    audiences: frozenset[bytes] = frozenset()
    until: int = -1
    until_time: datetime = _EPOCH
    gained: frozenset[bytes] = frozenset()
    phase: Phase = "changes"
    after: UUID = _NIL

    @property
    def is_open(self) -> bool:
        """Whether a window is read."""
        return self.until >= 0

    def opened(self, until: int, now: datetime, readable: Iterable[bytes]) -> "FeedPosition":
        """The beginning of the window up to there, for who reads these audiences now."""
        return replace(
            self,
            until=max(until, self.position),
            until_time=max(now, self.time),
            audiences=self.audiences & frozenset(readable),
            gained=frozenset(readable) - self.audiences,
            phase="changes",
            after=_NIL,
        )

    def closed(self) -> "FeedPosition":
        """The place behind the window."""
        return FeedPosition(self.epoch, self.until, self.until_time, self.audiences | self.gained)

    def without(self, marks: frozenset[bytes]) -> "FeedPosition":
        """The same place of a copy that has nothing of these audiences."""
        return replace(self, audiences=self.audiences - marks, gained=self.gained - marks)

    def to_bytes(self) -> bytes:
        """For a cursor."""
        head = _HEAD.pack(
            _VERSION,
            self.epoch,
            self.position,
            _microseconds(self.time),
            self.until,
            _microseconds(self.until_time),
            self.phase == "made",
            self.after.bytes,
            len(self.audiences),
        )
        return head + b"".join([*sorted(self.audiences), *sorted(self.gained)])

    @classmethod
    def from_bytes(cls, data: bytes) -> "FeedPosition":
        """The reverse of `to_bytes`. Raises ValueError for anything else."""
        try:
            version, epoch, position, time, until, until_time, made, after, count = _HEAD.unpack(
                data[: _HEAD.size]
            )
        except error as wrong:
            raise ValueError("no position of the feed") from wrong
        if version != _VERSION:
            raise ValueError("a position of another release")
        marks = [data[at : at + MARK_BYTES] for at in range(_HEAD.size, len(data), MARK_BYTES)]
        return cls(
            epoch,
            position,
            _EPOCH + timedelta(microseconds=time),
            frozenset(marks[:count]),
            until,
            _EPOCH + timedelta(microseconds=until_time),
            frozenset(marks[count:]),
            "made" if made else "changes",
            UUID(bytes=after),
        )


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def ids_of_marks(marks: frozenset[bytes], known: Mapping[bytes, UUID]) -> list[UUID]:
    """The ids of the audiences with these marks, among the known ones."""
    return sorted(known[mark] for mark in marks if mark in known)
