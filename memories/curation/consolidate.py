"""A run of consolidation: judge every tier, compare all active memories again, decide what needs
nobody, merge duplicates.

A repeated or resumed run moves nothing twice (`age`) and asks nobody twice about a pair
(`near_duplicates`). A step that was done but not noted before a crash is missing from the counts.
"""

from uuid import UUID

from memories.curation.copy_and_merge import run_auto_merge
from memories.curation.decide_by_policy import run_policy_decisions
from memories.jobs.organisation_run import OrganisationRun
from memories.lifecycle.consolidation.near_duplicates import propose_pairs
from memories.lifecycle.llm_checks.pair_questions import check_pairs_with_llm
from memories.lifecycle.publish_uses import publish_uses
from memories.lifecycle.tier_moves import WORKER, iter_move_batches
from memories.review.models import ProposalCause
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.organisation_models import find_serving_model
from orgs.database.rls import organisation_scope

# Memories whose neighbours are searched in one transaction.
COMPARE_BATCH_SIZE = 100
_NO_ID = UUID(int=0)


def run_tier_moves(run: OrganisationRun) -> None:
    """Judge every tier. Results: looked, promoted, demoted, and moves {"from to reason": n}."""
    run.count(looked=0, promoted=0, demoted=0)
    publish_uses(run.organisation_id, now=run.now)
    _move_tiers(run, run.place.setdefault("total", _count_memories(run.organisation_id)))


def run_consolidation(run: OrganisationRun) -> None:
    """Judge every tier, search pairs, and merge equal ones if the policy says so.

    Results: those of `run_tier_moves`, the numbers of proposed duplicates and contradictions, and
    how many of these a policy decided. A run of one audience (`audience` in its parameters) only
    searches and decides pairs there; tiers have their own schedule.
    """
    if "audience" in run.parameters:
        run.count(duplicates=0, contradictions=0)
        run.place.setdefault("after", str(_NO_ID))
        only = _audience_filter(run)
        if "total" not in run.place:
            run.place["total"] = _count_memories(run.organisation_id, status=Status.ACTIVE, **only)
        if _compare_all(run, run.place["total"]) and not run.stopped:
            run_policy_decisions(run)
        return
    run.count(looked=0, promoted=0, demoted=0, duplicates=0, contradictions=0)
    publish_uses(run.organisation_id, now=run.now)
    if "total" not in run.place:
        active = _count_memories(run.organisation_id, status=Status.ACTIVE)
        run.place["total"] = _count_memories(run.organisation_id) + active
    total = run.place["total"]
    if _move_tiers(run, total) and _compare_all(run, total) and not run.stopped:
        run_policy_decisions(run)
        if not run.stopped:
            run_auto_merge(run)


def _audience_filter(run: OrganisationRun) -> dict[str, str]:
    """The condition for the audience of a run; empty for all audiences."""
    audience = run.parameters.get("audience")
    return {"audience_id": audience} if audience else {}


def _move_tiers(run: OrganisationRun, total: int) -> bool:
    """Judge the memories that are not judged yet. Returns whether all are."""
    if run.place.get("aged"):
        return True
    after = UUID(run.place.get("after", str(_NO_ID)))
    for last, done in iter_move_batches(run.organisation_id, now=run.now, after=after):
        moves = run.result.setdefault("moves", {})
        for (before, tier, reason), number in done.moves.items():
            name = f"{before} {tier} {reason}"
            moves[name] = moves.get(name, 0) + number
        run.count(looked=done.looked, promoted=done.promoted, demoted=done.demoted)
        run.place["after"] = str(last)
        if not run.step(run.job.done + done.looked, total):
            return False
    run.place.update(aged=True, after=str(_NO_ID))
    return True


def _compare_all(run: OrganisationRun, total: int) -> bool:
    """Compare the memories that are not compared yet. Returns whether all are."""
    organisation_id = run.organisation_id
    model = find_serving_model(organisation_id, using=WORKER)
    while True:
        with organisation_scope(organisation_id, using=WORKER):
            rows = (
                Memory.objects.using(WORKER)
                .filter(
                    organisation_id=organisation_id, status=Status.ACTIVE, id__gt=run.place["after"]
                )
                .filter(**_audience_filter(run))
            )
            ids = list(rows.order_by("id").values_list("id", flat=True)[:COMPARE_BATCH_SIZE])
            if not ids:
                return True
            found = propose_pairs(organisation_id, ids, model=model, now=run.now, using=WORKER)
        run.count(
            duplicates=found[ProposalCause.DUPLICATE],
            contradictions=found[ProposalCause.CONTRADICTION],
        )
        # Outside of transactions. If it stops the run, the batch is given again.
        check_pairs_with_llm(run, ids)
        if run.stopped:
            return False
        run.place["after"] = str(ids[-1])
        if not run.step(run.job.done + len(ids), total):
            return False


def _count_memories(organisation_id: UUID, **which: str) -> int:
    with organisation_scope(organisation_id, using=WORKER):
        rows = Memory.objects.using(WORKER).filter(organisation_id=organisation_id, **which)
        return rows.count()
