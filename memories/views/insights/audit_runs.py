"""Entries of the trail under the day on which they were made, runs of one act folded."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

from orgs.views.time_formats import local_day

# A run of so many entries is one line that opens.
MIN_RUN = 3


@dataclass(frozen=True, slots=True)
class AuditRun:
    """Entries that follow each other: the same act, by the same, on the same day. They stand alone
    if there are fewer than MIN_RUN; `is_folded` if there are more."""

    entries: tuple[dict[str, Any], ...]

    @property
    def first(self) -> dict[str, Any]:
        return self.entries[0]

    @property
    def last(self) -> dict[str, Any]:
        return self.entries[-1]

    @property
    def is_folded(self) -> bool:
        return len(self.entries) >= MIN_RUN


@dataclass(frozen=True, slots=True)
class AuditDay:
    """A day of the reader's time zone, with its runs in the order of the entries."""

    day: date
    runs: tuple[AuditRun, ...]


def group_by_day(entries: Sequence[dict[str, Any]]) -> list[AuditDay]:
    """entries: as `present_entry` gives them, the newest first; each is in one run of one day."""
    return [AuditDay(day, tuple(_runs(list(some)))) for day, some in groupby(entries, key=_day_of)]


def _runs(entries: list[dict[str, Any]]) -> list[AuditRun]:
    runs: list[AuditRun] = []
    for _, some in groupby(entries, key=_act_of):
        same = tuple(some)
        if len(same) >= MIN_RUN:
            runs.append(AuditRun(same))
        else:
            runs.extend(AuditRun((one,)) for one in same)
    return runs


def _day_of(entry: dict[str, Any]) -> date:
    return local_day(entry["at"])


def _act_of(entry: dict[str, Any]) -> Hashable:
    return entry["who"], entry["robot"], entry["action"], str(entry["did"])
