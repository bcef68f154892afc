"""Runs of the organisation's own work, and the registry of this work.

The worker does it, without any member's rights; the result has only counts and ids. A run may break
off anywhere and continue at its place, so every step must be idempotent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from memories.jobs.job_queue import JobTimeSlice, save_progress
from memories.jobs.models import Job

# The most seconds of work without a place in one turn; a task is ended after 540.
SINGLE_SLICE_SECONDS = 480.0


@dataclass(slots=True)
class OrganisationRun:
    """One turn of a job of the organisation.

    now: the time of the turn. place: where to continue; result: counts so far; both are stored with
    each step. shows: called with (done, total) at each step.
    """

    job: Job
    now: datetime
    turn: JobTimeSlice
    shows: Callable[[int, int], None] | None = None
    stopped: bool = False

    @property
    def organisation_id(self) -> UUID:
        """The id of the organisation."""
        return self.job.organisation_id

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the job."""
        parameters: dict[str, Any] = self.job.parameters
        return parameters

    @property
    def place(self) -> dict[str, Any]:
        """Where to continue. The work stores there what it needs."""
        place: dict[str, Any] = self.job.place
        return place

    @property
    def result(self) -> dict[str, Any]:
        """The counts of the work."""
        result: dict[str, Any] = self.job.result
        return result

    def count(self, **counts: int) -> None:
        """Add to the counts of the result."""
        for name, more in counts.items():
            self.result[name] = self.result.get(name, 0) + more

    def step(self, done: int, total: int) -> bool:
        """Store the progress after a step. Returns False if the work must stop now and return.

        Then it was cancelled, or its turn is over and it will continue at its place.
        """
        self.job.done, self.job.total = done, max(done, total)
        if self.shows:
            self.shows(self.job.done, self.job.total)
        self.stopped = not save_progress(None, self.job) or self.turn.over()
        return not self.stopped


OrganisationWork = Callable[[OrganisationRun], None]


class HasCounts(Protocol):
    """The result of work, in counts by name."""

    @property
    def figures(self) -> Mapping[str, int]: ...


class SingleSliceWork(Protocol):
    """Work without a place: it finds what is left by itself."""

    def __call__(
        self, organisation_id: UUID, /, *, now: datetime, keep_on: Callable[[int, int], bool]
    ) -> HasCounts: ...


_handlers: dict[str, tuple[OrganisationWork, float | None]] = {}


def register_organisation_job_handler(kind: str, work: OrganisationWork) -> None:
    """Register the work of a kind of organisation job; it is called once for each turn."""
    _handlers[kind] = (work, None)


def register_single_slice_handler(kind: str, work: SingleSliceWork) -> None:
    """Register work without a place, which runs in one turn of at most WHOLE seconds."""

    def run(run: OrganisationRun) -> None:
        done = work(run.organisation_id, now=run.now, keep_on=run.step)
        run.count(**done.figures)

    _handlers[kind] = (run, SINGLE_SLICE_SECONDS)


def run_time_slice(
    job: Job, *, now: datetime, turn: JobTimeSlice | None = None, shows: Any = None
) -> bool:
    """Run a leased job for a turn. Returns whether it is finished. turn: by default that of its
    kind."""
    work, seconds = _handlers[job.kind]
    if turn is None:
        turn = JobTimeSlice() if seconds is None else JobTimeSlice(seconds)
    run = OrganisationRun(job, now, turn, shows)
    work(run)
    return not run.stopped
