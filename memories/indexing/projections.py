"""Switch an index layout of an organisation on or off, and say how far it is.

The strategies `partitioned` and `graph` need a layout each. It is switched on at once, so that what
is written from now on is in it; a job of the organisation fills it with what is there. Until it is
filled, a search in it finds less.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from memories.indexing.organisation_indexes import PROJECTION_OPERATIONS, set_projection_enabled
from memories.jobs.job_queue import notify_after_commit
from memories.jobs.models import Job, JobState, JobType
from memories.jobs.organisation_run import (
    OrganisationRun,
    build_job,
    ensure_curators_audience,
    find_curators_audience,
)
from memories.knowledge_graph.rebuild_graph import count_active, rebuild_batch
from orgs import audit
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.errors import NotFoundError
from orgs.models.organisations import Organisation, Projection
from orgs.principals import Actor, resolve_principal

if TYPE_CHECKING:
    from django.db.models import QuerySet

# The strategy of a recall that needs it.
STRATEGIES = {Projection.GRAPH.value: "graph", Projection.PARTITIONS.value: "partitioned"}
# Rows that the asker reads, so that a size tells of nothing else.
_SIZES_SQL = """
SELECT 'graph', (SELECT count(*) FROM memories_edge WHERE organisation_id = %(organisation)s)
    + (SELECT count(*) FROM memories_entity WHERE organisation_id = %(organisation)s)
UNION ALL
SELECT 'partitions', count(*) FROM memories_partition WHERE organisation_id = %(organisation)s
"""
_BUSY = (JobState.WAITING, JobState.RUNNING)


@dataclass(frozen=True, slots=True)
class ProjectionState:
    """One index layout. state: off, filling, ready or stopped (its job failed or was cancelled).
    rows: those that the asker reads. How far the filling is would count what they do not read."""

    name: str
    strategy: str
    enabled: bool
    state: str
    rows: int


def may_switch_projections(actor: Actor) -> bool:
    """Whether the actor switches layouts: who curates or administers."""
    return actor.moderates or actor.administers


def list_projections(actor: Actor) -> list[ProjectionState]:
    """The index layouts of the asker's organisation, by name."""
    principal = resolve_principal(actor)
    with principal.scope():
        enabled = Organisation.objects.get(id=actor.organisation_id).projections
        sizes: dict[str, int] = dict(fetch_all(_SIZES_SQL, {"organisation": actor.organisation_id}))
    jobs = _load_last_jobs(actor.organisation_id)
    return [
        _to_state(name, name in enabled, sizes[name], jobs.get(name)) for name in sorted(STRATEGIES)
    ]


def switch_projection(actor: Actor, name: str, *, on: bool, now: datetime) -> ProjectionState:
    """Switch a layout on and have it filled, or off and have its rows deleted. What is on and
    filled is filled anew. Raises NotFoundError for an unknown one, and PermissionError."""
    if name not in PROJECTION_OPERATIONS:
        raise NotFoundError("no such layout")
    if not may_switch_projections(actor):
        raise PermissionError("Only curators and admins switch index layouts.")
    audience_id = ensure_curators_audience(actor.organisation_id)
    with scope(Scope(organisation=actor.organisation_id, audiences=(audience_id,))):
        changed = set_projection_enabled(actor.organisation_id, name, on=on)
        waiting = _jobs(actor.organisation_id, name).filter(
            state=JobState.WAITING, parameters__on=on, done=0
        )
        if not waiting.exists():
            job = build_job(
                actor.organisation_id,
                JobType.PROJECT,
                audience_id,
                now,
                parameters={"projection": name, "on": on},
            )
            job.save(force_insert=True)
            notify_after_commit(job)
        if changed:
            audit.record_entry(
                "organisation.changed",
                actor=actor,
                now=now,
                target=actor.organisation_id,
                target_type="organisation",
                fields=["projections"],
            )
    return next(one for one in list_projections(actor) if one.name == name)


def run_projection(run: OrganisationRun) -> None:
    """The work of the job: fill or delete one layout. A later job that says otherwise wins."""
    name, on = run.parameters["projection"], run.parameters["on"]
    with organisation_scope(run.organisation_id):
        enabled = Organisation.objects.get(id=run.organisation_id).projections
    if (name in enabled) is not on:
        return
    if not on or name != Projection.GRAPH:
        operations = PROJECTION_OPERATIONS[name]
        if on:
            run.result["rows"] = operations.fill(run.organisation_id)
        else:
            operations.clear(run.organisation_id)
        run.step(1, 1)
        return
    total = run.place.setdefault("total", count_active(run.organisation_id))
    while True:
        last = run.place.get("last")
        found = rebuild_batch(run.organisation_id, UUID(last) if last else None)
        if not found:
            return
        run.place["last"] = str(found[-1])
        run.count(looked=len(found))
        if not run.step(run.result["looked"], total):
            return


def _jobs(organisation_id: UUID, name: str) -> "QuerySet[Job]":
    return Job.objects.filter(
        organisation_id=organisation_id, kind=JobType.PROJECT, parameters__projection=name
    )


def _load_last_jobs(organisation_id: UUID) -> dict[str, Job]:
    """The last job of each layout. How far a layout is no secret: everybody's searches use it."""
    with organisation_scope(organisation_id):
        audience_id = find_curators_audience(organisation_id)
    if audience_id is None:
        return {}
    with scope(Scope(organisation=organisation_id, audiences=(audience_id,))):
        found = {name: _jobs(organisation_id, name).order_by("-id").first() for name in STRATEGIES}
    return {name: job for name, job in found.items() if job is not None}


def _to_state(name: str, enabled: bool, rows: int, job: Job | None) -> ProjectionState:
    if not enabled:
        return ProjectionState(name, STRATEGIES[name], False, "off", rows)
    if job is None or not job.parameters["on"] or job.state == JobState.DONE:
        return ProjectionState(name, STRATEGIES[name], True, "ready", rows)
    state = "filling" if job.state in _BUSY else "stopped"
    return ProjectionState(name, STRATEGIES[name], True, state, rows)
