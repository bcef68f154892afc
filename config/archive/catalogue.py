"""What an archive has, by the names of its files: series, base backups and segments of the log.

A series is one unbroken history. A server that lost its place in the log, or that was restored,
begins another one, so that no two servers ever write the same name. Names:

    SERIES/base/ID/{data,manifest,files,info}   info is written last and makes the backup whole
    SERIES/wal/SEGMENT, SERIES/wal/N.history    as PostgreSQL calls them
    SERIES/ledger/BYTES                         the ledger of erasures, which only grows
    SERIES/state                                up to which moment all is here
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from config.archive.errors import ArchiveError

FULL, INCREMENTAL = "full", "incremental"
SEGMENT_NAME = re.compile(r"[0-9A-F]{24}")
HISTORY_NAME = re.compile(r"[0-9A-F]{8}\.history")
SERIES_NAME = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}")
_ADDRESSES = 1 << 32
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]{2,15}(Z|[+-][0-9:]{2,8})?)?")


@dataclass(frozen=True, slots=True)
class BaseBackup:
    """parent: the id of the backup that it adds to, empty for a full one. start_lsn, end_lsn:
    positions in the log; it holds together from end_lsn on. begun_at, ended_at: by the clock of the
    database server. size: bytes, as stored. secret_key: a fingerprint, as a manifest has it."""

    id: str
    kind: str
    parent: str
    system_id: str
    timeline: int
    start_lsn: int
    end_lsn: int
    segment_bytes: int
    begun_at: datetime
    ended_at: datetime
    server: str
    release: str
    size: int
    secret_key: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """For the file `info`."""
        times = {"begun_at": self.begun_at.isoformat(), "ended_at": self.ended_at.isoformat()}
        return json.dumps(asdict(self) | times).encode()

    @property
    def first_segment(self) -> int:
        """The number of the first segment that a recovery from it needs."""
        return self.start_lsn // self.segment_bytes

    @property
    def last_segment(self) -> int:
        """The number of the segment after which it holds together."""
        return max(self.end_lsn - 1, self.start_lsn) // self.segment_bytes


def parse_base(content: bytes) -> BaseBackup:
    """What `to_json` made. Raises ArchiveError."""
    try:
        told: dict[str, Any] = json.loads(content)
        times = {n: datetime.fromisoformat(told[n]) for n in ("begun_at", "ended_at")}
        known = {one.name for one in fields(BaseBackup)}
        return BaseBackup(**{n: v for n, v in (told | times).items() if n in known})
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ArchiveError(f"The description of a base backup is damaged ({error}).") from None


@dataclass(frozen=True, slots=True)
class SeriesState:
    """until: every change before this moment is in the archive. lsn: the position of it."""

    until: datetime
    lsn: int

    def to_json(self) -> bytes:
        """For the file `state`."""
        return json.dumps({"until": self.until.isoformat(), "lsn": self.lsn}).encode()


def parse_state(content: bytes) -> SeriesState:
    """What `to_json` made. Raises ArchiveError."""
    try:
        told = json.loads(content)
        return SeriesState(datetime.fromisoformat(told["until"]), int(told["lsn"]))
    except (ValueError, TypeError, KeyError) as error:
        raise ArchiveError(f"The state of the archive is damaged ({error}).") from None


@dataclass(frozen=True, slots=True)
class Series:
    """bases: in the order of the log. segments: names of segments and histories with their bytes.
    ledgers: names of ledgers, the newest last. state: None before the first base backup."""

    name: str
    bases: tuple[BaseBackup, ...]
    segments: Mapping[str, int]
    ledgers: tuple[str, ...]
    state: SeriesState | None

    def find_base(self, id_: str) -> BaseBackup:
        """The base backup with the id. Raises ArchiveError."""
        for base in self.bases:
            if base.id == id_:
                return base
        raise ArchiveError(f"The base backup {id_} is not in the series {self.name}.")

    def usable_bases(self) -> list[BaseBackup]:
        """Those whose chain is whole and behind which the log is whole up to where they hold
        together."""
        found = []
        for base in self.bases:
            has_log = self.last_whole_segment(base) >= base.last_segment
            if has_log and find_chain(self.bases, base) is not None:
                found.append(base)
        return found

    def last_whole_segment(self, base: BaseBackup) -> int:
        """The number of the last segment that is here without a gap since the base began; one less
        than its first one if that is missing."""
        numbers = {segment_number(name, base.segment_bytes) for name in self.log_segments()}
        number = base.first_segment
        while number in numbers:
            number += 1
        return number - 1

    def log_segments(self) -> list[str]:
        """The names of the segments, without histories, in their order."""
        return sorted(name for name in self.segments if SEGMENT_NAME.fullmatch(name))

    @property
    def range(self) -> tuple[datetime, datetime] | None:
        """The first and last moment that can be restored. None if there is none."""
        usable = self.usable_bases()
        if not usable or self.state is None:
            return None
        first = min(base.ended_at for base in usable)
        return (first, self.state.until) if first <= self.state.until else None


def segment_number(name: str, segment_bytes: int) -> int:
    """The number of a segment since the begin of the log, whatever its timeline."""
    per_log = _ADDRESSES // segment_bytes
    return int(name[8:16], 16) * per_log + int(name[16:24], 16)


def segment_label(number: int, timeline: int, segment_bytes: int) -> str:
    """The name of the segment, as PostgreSQL calls it."""
    log, rest = divmod(number, _ADDRESSES // segment_bytes)
    return f"{timeline:08X}{log:08X}{rest:08X}"


def parse_lsn(text: str) -> int:
    """A position such as 0/3000028, in bytes. Raises ValueError."""
    high, low = text.split("/")
    return (int(high, 16) << 32) + int(low, 16)


def find_chain(bases: Iterable[BaseBackup], base: BaseBackup) -> list[BaseBackup] | None:
    """From the full backup to this one; None if one of them is missing."""
    known = {one.id: one for one in bases}
    chain = [base]
    while chain[0].kind != FULL:
        parent = known.get(chain[0].parent)
        if parent is None or parent in chain:
            return None
        chain.insert(0, parent)
    return chain


def load_series(name: str, sizes: Mapping[str, int], load: Callable[[str], bytes]) -> Series:
    """The series of this name. sizes: files of the archive. load: reads one.

    Raises ArchiveError.
    """
    own = {
        n.removeprefix(f"{name}/"): size for n, size in sizes.items() if n.startswith(f"{name}/")
    }
    infos = [n for n in own if re.fullmatch(r"base/[^/]+/info", n)]
    bases = sorted((parse_base(load(f"{name}/{n}")) for n in infos), key=lambda b: b.start_lsn)
    segments = {
        n.removeprefix("wal/"): size
        for n, size in own.items()
        if n.startswith("wal/") and is_log_name(n.removeprefix("wal/"))
    }
    ledgers = sorted(n for n in own if n.startswith("ledger/"))
    state = parse_state(load(f"{name}/state")) if "state" in own else None
    return Series(name, tuple(bases), segments, tuple(f"{name}/{n}" for n in ledgers), state)


def is_log_name(name: str) -> bool:
    """Whether it is the name of a whole segment or of a history of timelines."""
    return bool(SEGMENT_NAME.fullmatch(name) or HISTORY_NAME.fullmatch(name))


def list_series(sizes: Mapping[str, int]) -> list[str]:
    """The names of all series, the oldest first."""
    return sorted({n.split("/")[0] for n in sizes if SERIES_NAME.fullmatch(n.split("/")[0])})


def base_place(name: str) -> str | None:
    """SERIES/base/ID of a file of a base backup, None for other files."""
    parts = name.split("/")
    return "/".join(parts[:3]) if len(parts) == 4 and parts[1] == "base" else None


def list_whole_bases(names: Iterable[str]) -> set[str]:
    """The places of the base backups whose description is there."""
    return {place for n in names if n.endswith("/info") and (place := base_place(n))}


def choose_series(series: Iterable[Series], at: datetime | None) -> Series:
    """The newest series from which the moment can be restored.

    Raises ArchiveError with the moments that can.
    """
    found = [(one, one.range) for one in series if one.range]
    for one, (first, last) in reversed(found):
        if at is None or first <= at <= last:
            return one
    if not found:
        raise ArchiveError("The archive has no base backup from which anything can be restored.")
    ranges = "; ".join(
        f"from {format_moment(first, up=True)} to {format_moment(last)}"
        for _, (first, last) in found
    )
    raise ArchiveError(
        f"{format_moment(at) if at else 'It'} cannot be restored. The archive holds every moment "
        f"{ranges}."
    )


def choose_base(series: Series, at: datetime | None) -> BaseBackup:
    """The last base backup that ended before the moment. Raises ArchiveError."""
    found = [base for base in series.usable_bases() if at is None or base.ended_at <= at]
    if not found:
        raise ArchiveError(f"The series {series.name} has no base backup before that moment.")
    return found[-1]


def format_moment(moment: datetime, *, up: bool = False) -> str:
    """A moment as people type it, in UTC, whole seconds. up: rounded up, not down."""
    if up and moment.microsecond:
        moment += timedelta(seconds=1)
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def parse_moment(text: str) -> datetime:
    """A moment that a person typed; without a zone it is in UTC. Raises ArchiveError."""
    plain = text.strip().replace(" UTC", "+00:00")
    try:
        # Of other texts, such as one long number, `fromisoformat` makes some moment.
        found = datetime.fromisoformat(plain if _MOMENT.fullmatch(plain) else "")
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ArchiveError(
            f"{text[:40]!r} is no moment. Type it like 2026-11-27 14:00, which is in UTC, or with "
            "its zone, like 2026-11-27 14:00+01:00."
        ) from None
