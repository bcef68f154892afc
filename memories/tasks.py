"""Celery tasks: ids in, one service call each. A message is a hint and may come twice."""

from uuid import UUID

from celery import shared_task
from django.utils import timezone

from memories.indexing import embed_worker, model_switch, organisation_indexes
from memories.ingestion.file_import import previews, upload_files
from memories.insights.operations import remove_old
from memories.jobs import runner
from memories.jobs.hints import send_job, send_now
from memories.jobs.queue import forgotten_hints
from memories.lifecycle import beat, daily_jobs
from memories.lifecycle.consolidation import promote_patterns as consolidation_promote_patterns
from memories.lifecycle.consolidation.pattern_evidence import every_organisation
from memories.restatement import llm_worker
from memories.retrieval.served import remove_old_recalls
from memories.snapshots.export_job import EXPORTS
from orgs.organisations.remove import remove_organisation, unfinished

# One task works for a limited time and then lets other organisations have their turn.
ROUNDS = 20
# Seconds for which one run deletes what is left of removed organisations.
REMOVING = 240.0


@shared_task(name="memories.embed_pending")
def embed_pending(*, organisation_id: str, **_: object) -> int:
    """Embed the pending memories of an organisation; queue another run if there are more."""
    done = 0
    for _round in range(ROUNDS):
        taken = embed_worker.embed_pending(UUID(organisation_id), now=timezone.now())
        done += taken
        # What failed waits for the next hint; what broke off comes one by one.
        if taken < embed_worker.BATCH and not embed_worker.broke_off(
            UUID(organisation_id), timezone.now()
        ):
            return done
    send_now("memories.embed_pending", UUID(organisation_id))
    return done


@shared_task(name="memories.sweep_embeddings")
def sweep_embeddings(**_: object) -> int:
    """Find work whose hint was lost."""
    owed = embed_worker.organisations_owed(timezone.now())
    for organisation_id in owed:
        send_now("memories.embed_pending", organisation_id)
    return len(owed)


@shared_task(name="memories.sweep_models")
def sweep_models(**_: object) -> int:
    """Find memories without vectors of the current model: all of them after ENCODER was changed."""
    owed = 0
    for organisation_id in every_organisation():
        if found := model_switch.owe_missing(organisation_id, now=timezone.now()):
            send_now("memories.embed_pending", organisation_id)
        owed += found
    return owed


@shared_task(name="memories.restate_pending")
def restate_pending(*, organisation_id: str, **_: object) -> int:
    """Send some waiting turns to the language model; queue another run if there are more."""
    taken = llm_worker.restate_pending(UUID(organisation_id), now=timezone.now())
    if taken:
        send_now("memories.restate_pending", UUID(organisation_id))
    return taken


@shared_task(name="memories.sweep_restatements")
def sweep_restatements(**_: object) -> int:
    """Find turns whose hint was lost, or that are to be tried again."""
    owed = llm_worker.organisations_owed(timezone.now())
    for organisation_id in owed:
        send_now("memories.restate_pending", organisation_id)
    return len(owed)


@shared_task(name="memories.age_due")
def age_due(*, organisation_id: str, **_: object) -> int:
    """Move the memories of one organisation that are due to move between tiers."""
    done = beat.age_due(UUID(organisation_id), now=timezone.now())
    return done.promoted + done.demoted


@shared_task(name="memories.sweep_ages")
def sweep_ages(**_: object) -> int:
    """Find organisations of which a tier is to be looked at again."""
    now = timezone.now()
    due = [one for one in every_organisation() if beat.is_due(one, now=now)]
    for organisation_id in due:
        send_now("memories.age_due", organisation_id)
    return len(due)


@shared_task(name="memories.sweep_daily_jobs")
def sweep_daily_jobs(**_: object) -> int:
    """Write the day's runs of each organisation that has none yet."""
    now = timezone.now()
    due = [one for one in every_organisation() if daily_jobs.is_due(one, now=now)]
    return sum(len(daily_jobs.make_due(one, now=now)) for one in due)


@shared_task(name="memories.maintain_indexes")
def maintain_indexes(**_: object) -> list[str]:
    """Give large organisations their indexes; one run at a time is enough."""
    return organisation_indexes.maintain_indexes()


@shared_task(name="memories.run_job")
def run_job(**_: object) -> bool:
    """Run a job of a member, with the member's present rights, or one of the organisation.

    The message only says that there is work; the rows decide which job is next.
    """
    return runner.take_turn()


@shared_task(name="memories.sweep_jobs")
def sweep_jobs(**_: object) -> int:
    """Find jobs whose hint was lost or whose worker died."""
    found = forgotten_hints(timezone.now())
    for organisation_id, job_id, member_id in found:
        send_job(organisation_id, job_id, member_id)
    return len(found)


@shared_task(name="memories.sweep_uploads")
def sweep_uploads(**_: object) -> int:
    """Remove uploaded and exported files that no job needs any more."""
    now = timezone.now()
    return upload_files.sweep(now=now) + EXPORTS.sweep(now=now) + previews.sweep(now=now)


@shared_task(name="memories.sweep_operations")
def sweep_operations(**_: object) -> int:
    """Remove what the log of operations and the records of recalls keep no longer."""
    now = timezone.now()
    return sum(
        remove_old(one, now=now) + remove_old_recalls(one, now=now) for one in every_organisation()
    )


@shared_task(name="memories.promote_patterns")
def promote_patterns(*, organisation_id: str, **_: object) -> int:
    """Bring one organisation's cross-group memories up to date."""
    done = consolidation_promote_patterns.promote_patterns(
        UUID(organisation_id), now=timezone.now()
    )
    return done.made + done.changed + done.withdrawn


@shared_task(name="memories.sweep_patterns")
def sweep_patterns(**_: object) -> int:
    """Queue the promotion of patterns in every organisation, because hints can be lost."""
    organisations = every_organisation()
    for organisation_id in organisations:
        send_now("memories.promote_patterns", organisation_id)
    return len(organisations)


@shared_task(name="memories.sweep_removals")
def sweep_removals(**_: object) -> int:
    """Go on deleting organisations that were closed, the longest closed first."""
    for organisation_id in (left := unfinished(using="worker")):
        if not remove_organisation(organisation_id, now=timezone.now(), seconds=REMOVING):
            break
    return len(left)
