"""A run of the organisation's own work, as the work sees it, and which work there is.

The worker does it, with no member's rights: what it reads stays with the rows, and its result holds
counts and ids. A run may break off anywhere and begin again at its place, so work must be such that
a step made twice does nothing the second time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from memories.jobs.models import Job
from memories.jobs.queue import JobTurn, progress

# Seconds that work without a place may take before it begins again; a task ends after 540.
WHOLE = 480.0


@dataclass(slots=True)
class OrganisationRun:
    """One turn of a job of the organisation.

    now: the moment of the turn. place: where it goes on. result: what it did so far, in counts;
    both are noted with each step. shows: hears done and total of each step.
    """

    job: Job
    now: datetime
    turn: JobTurn
    shows: Callable[[int, int], None] | None = None
    stopped: bool = False

    @property
    def organisation_id(self) -> UUID:
        """Whose work it is."""
        return self.job.organisation_id

    @property
    def parameters(self) -> dict[str, Any]:
        """What to do."""
        parameters: dict[str, Any] = self.job.parameters
        return parameters

    @property
    def place(self) -> dict[str, Any]:
        """Where to go on; the work puts there what it needs."""
        place: dict[str, Any] = self.job.place
        return place

    @property
    def result(self) -> dict[str, Any]:
        """What it did; the work counts there."""
        result: dict[str, Any] = self.job.result
        return result

    def count(self, **counts: int) -> None:
        """Add to the counts of the result."""
        for name, more in counts.items():
            self.result[name] = self.result.get(name, 0) + more

    def step(self, done: int, total: int) -> bool:
        """Note that so much is done. False: stop now, between two steps, and return.

        It was cancelled, or others have their turn; then it goes on from its place.
        """
        self.job.done, self.job.total = done, max(done, total)
        if self.shows:
            self.shows(self.job.done, self.job.total)
        self.stopped = not progress(None, self.job) or self.turn.over()
        return not self.stopped


OrganisationWork = Callable[[OrganisationRun], None]


class Counted(Protocol):
    """What work did, in counts by name."""

    @property
    def figures(self) -> Mapping[str, int]: ...


class CountedWork(Protocol):
    """Work that keeps no place: it finds by itself what is left."""

    def __call__(
        self, organisation_id: UUID, /, *, now: datetime, keep_on: Callable[[int, int], bool]
    ) -> Counted: ...


_work: dict[str, tuple[OrganisationWork, float | None]] = {}


def does_for_organisation(kind: str, work: OrganisationWork) -> None:
    """Register what a job of the organisation of this kind does, for one turn at a time."""
    _work[kind] = (work, None)


def does_whole(kind: str, work: CountedWork) -> None:
    """Register work without a place, which is made in one turn of at most WHOLE seconds."""

    def run(run: OrganisationRun) -> None:
        done = work(run.organisation_id, now=run.now, keep_on=run.step)
        run.count(**done.figures)

    _work[kind] = (run, WHOLE)


def do(job: Job, *, now: datetime, turn: JobTurn | None = None, shows: Any = None) -> bool:
    """Work on a job that is taken; whether it came to its end. turn: else as long as its kind."""
    work, seconds = _work[job.kind]
    if turn is None:
        turn = JobTurn() if seconds is None else JobTurn(seconds)
    run = OrganisationRun(job, now, turn, shows)
    work(run)
    return not run.stopped
