"""One change for all memories that match filters: a dry run, then a job.

Which memories these are is fixed when the job is asked for. Each goes through the service for a
single memory (`bulk_change`), so nobody changes more than one by one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.browsing.memory_queries import filter_memories
from memories.curation.bulk_change import (
    BulkChange,
    BulkPreview,
    change_memories,
    preview_bulk_change,
)
from memories.jobs.job_queue import check_may_ask
from memories.jobs.models import Job
from orgs.principals import Actor, resolve_principal

# The most memories of one job, and how many a dry run shows.
MAX_MATCHES = 5_000
SHOWN = 10


class TooManyMatchesError(Exception):
    """More memories match than one job changes; nothing was changed."""

    def __init__(self) -> None:
        super().__init__(
            f"More than {MAX_MATCHES:,} memories match, and one call changes no more. Narrow the "
            "filters. Nothing was changed."
        )


@dataclass(frozen=True, slots=True)
class FilterPreview:
    """A dry run. matches: how many memories match."""

    matches: int
    preview: BulkPreview


def preview_by_filter(
    actor: Actor, filters: Mapping[str, Any], change: BulkChange, *, now: datetime
) -> FilterPreview:
    """What a change of all that matches would do; nothing is done. filters: as of a list of
    memories. Raises TooManyMatchesError."""
    ids = _matching_ids(actor, filters, now)
    return FilterPreview(len(ids), preview_bulk_change(actor, ids, change.action, sample=SHOWN))


def change_by_filter(
    actor: Actor, filters: Mapping[str, Any], change: BulkChange, *, now: datetime
) -> Job:
    """Have a job change all that matches. Raises TooManyMatchesError, and PermissionError for a
    robot that acts for a member."""
    check_may_ask(actor)
    ids = _matching_ids(actor, filters, now)
    return change_memories(actor, ids, change, now=now, always_job=True).job


def _matching_ids(actor: Actor, filters: Mapping[str, Any], now: datetime) -> list[UUID]:
    """Ids of the readable memories that match, newest first."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = filter_memories(principal, filters, now).order_by("-id")
        ids = list(rows.values_list("id", flat=True)[: MAX_MATCHES + 1])
    if len(ids) > MAX_MATCHES:
        raise TooManyMatchesError
    return ids
