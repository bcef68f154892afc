"""The daily job on what personas learned."""

from uuid import UUID

from memories.jobs.job_queue import WORKER
from memories.jobs.organisation_run import OrganisationRun
from orgs.cohort_types import COHORT_TYPES
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from personas.learning.block_capacity import enforce_block_capacity
from personas.learning.stale_entries import archive_stale_entries
from personas.learning.suggestion_job import BATCH_SIZE, create_suggestions

_ANY_MEMORY_SQL = """
SELECT 1 FROM orgs_audience a JOIN memories_memory m
    ON m.organisation_id = a.organisation_id AND m.audience_id = a.id AND m.status = 'active'
WHERE a.organisation_id = %(organisation)s AND a.kind = ANY(%(kinds)s::text[])
LIMIT 1
"""


def has_learned_anything(organisation_id: UUID) -> bool:
    """Whether any persona, industry or role of the organisation has memories."""
    with organisation_scope(organisation_id, using=WORKER):
        values = {"organisation": organisation_id, "kinds": list(COHORT_TYPES)}
        return bool(fetch_all(_ANY_MEMORY_SQL, values, WORKER))


def run_daily_learning(run: OrganisationRun) -> None:
    """Archive what is stale, make room in blocks, and suggest lessons.

    Results: faded, condensed, asked_about, suggested. Each part finds out what is left to do, so a
    run that broke off can simply be repeated.
    """
    told = {"faded": 0, "condensed": 0, "asked_about": 0, "suggested": 0}
    run.count(**told)

    def note(**now: int) -> bool:
        """Add to the counts of the run."""
        run.count(**{name: number - told[name] for name, number in now.items()})
        told.update(now)
        done = sum(told.values())
        return run.step(done, done)

    tenant, now = run.organisation_id, run.now
    archive_stale_entries(tenant, now=now, keep_on=lambda faded: note(faded=faded))
    if not run.stopped:
        enforce_block_capacity(
            tenant, now=now, keep_on=lambda done, asked: note(condensed=done, asked_about=asked)
        )
    while not run.stopped:
        made = create_suggestions(tenant, now=now)
        if not note(suggested=told["suggested"] + made) or made < BATCH_SIZE:
            break
