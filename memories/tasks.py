"""Celery tasks: ids in, one service call each. A message is a hint and may come twice."""

import time
from uuid import UUID

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from memories.audit_stream.stream_entries import stream_entries
from memories.browsing.change_feed.old_departures import delete_old_departures
from memories.context.connectors.subscriptions import start_due_fetches
from memories.curation.documents import import_document
from memories.indexing import (
    embed_worker,
    model_choice,
    model_switch,
    organisation_indexes,
)
from memories.indexing.search_index import list_outdated_word_indexes, rebuild_words
from memories.ingestion.documents.parser_slots import sweep_slots
from memories.ingestion.file_import import import_job, plan_import
from memories.ingestion.folder_import.subscriptions import start_due_folders
from memories.insights.operations import delete_old_operations
from memories.jobs import run_jobs, turns
from memories.jobs.job_queue import list_all_ready_jobs
from memories.jobs.worker_hints import notify_job_worker, send_hint
from memories.lifecycle import daily_jobs, tier_schedule
from memories.lifecycle.consolidation import promote_patterns as consolidation_promote_patterns
from memories.news.news_mail import send_due_mails
from memories.privacy.erasure.kept_answers import sweep_kept_answers
from memories.questions.record_question import delete_old_questions
from memories.restatement import llm_worker
from memories.restatement.restate import MISSING_BATCH_SIZE
from memories.restatement.restate import restate_missing as restate_missing_memories
from memories.retrieval.recall_log import remove_old_recalls
from memories.snapshots.export_job import EXPORTS
from memories.webhooks.delivery_log import delete_old_deliveries
from memories.webhooks.owners import list_open_endpoints
from memories.webhooks.read_feeds import read_feeds
from memories.webhooks.send_deliveries import send_due
from orgs.accounts.old_sessions import delete_old_sessions
from orgs.members.settle_accounts import compare_all_copies, settle_due_copies
from orgs.organisations.organisation_removal import remove_organisation
from orgs.organisations.quotas import add_up_usage
from orgs.placement.all_organisations import list_organisation_ids, list_removed_ids

# One task works for a limited time and then lets other organisations have their turn.
MAX_ROUNDS = 20
# The kind of turns of runs that embed.
EMBEDDING = "embedding"
# Seconds for which one run deletes what is left of removed organisations.
REMOVAL_SECONDS = 240.0
# Seconds for which one run sends webhooks.
WEBHOOK_SECONDS = 15.0
# Seconds for which one run deletes the removed model of an organisation.
SECOND_MODEL_SECONDS = 40.0


@shared_task(name="memories.embed_pending")
def embed_pending(*, organisation_id: str, turn: str = "", **_: object) -> int:
    """Embed the pending memories of an organisation for a short time; queue another run if there
    are more. turn: the one that is gone on with. Nothing if all turns of the organisation are
    taken."""
    whose = UUID(organisation_id)
    number = int(turn) if turn else turns.acquire_turn(EMBEDDING, whose)
    if number is None:
        return 0
    turns.renew_turn(EMBEDDING, whose, number)
    done, until, is_left = 0, time.monotonic() + turns.TURN_SECONDS, False
    try:
        done, is_left = _embed_until(whose, until)
    finally:
        if is_left:
            send_hint("memories.embed_pending", whose, turn=number)
        elif turns.release_turn(EMBEDDING, whose, number):
            send_hint("memories.embed_pending", whose)
    return done


def _embed_until(organisation_id: UUID, until: float) -> tuple[int, bool]:
    """(how many were embedded, whether more may be left). until: by time.monotonic()."""
    done = 0
    while True:
        taken = embed_worker.embed_pending(organisation_id, now=timezone.now())
        done += taken
        # What failed waits for the next hint; what broke off comes one by one.
        if taken < embed_worker.BATCH_SIZE and not embed_worker.has_expired_leases(
            organisation_id, timezone.now()
        ):
            return done, False
        if time.monotonic() > until:
            return done, True


@shared_task(name="memories.sweep_embeddings")
def sweep_embeddings(**_: object) -> int:
    """Find work whose hint was lost."""
    owed = embed_worker.list_organisations_with_work(timezone.now())
    for organisation_id in owed:
        send_hint("memories.embed_pending", organisation_id)
    return len(owed)


@shared_task(name="memories.sweep_models")
def sweep_models(**_: object) -> int:
    """Find memories without vectors of the current model: all of them after ENCODER was changed;
    and have those restated that have no restatement."""
    owed = 0
    for organisation_id in list_organisation_ids():
        send_hint("memories.restate_missing", organisation_id)
        if found := model_switch.enqueue_missing_vectors(organisation_id, now=timezone.now()):
            send_hint("memories.embed_pending", organisation_id)
        owed += found
    return owed


@shared_task(name="memories.sweep_second_models")
def sweep_second_models(**_: object) -> int:
    """Queue the jobs that fill second models whose memories came to lack vectors; and delete, for a
    limited time, what is left of removed models. Returns how many jobs were queued."""
    queued = 0
    for organisation_id in model_switch.list_unfilled_organisations():
        queued += model_switch.enqueue_missing(organisation_id, now=timezone.now())
    for organisation_id in model_choice.list_uncleaned_organisations():
        model_choice.clean_up(organisation_id, seconds=SECOND_MODEL_SECONDS)
    return queued


@shared_task(name="memories.restate_pending")
def restate_pending(*, organisation_id: str, **_: object) -> int:
    """Send some waiting turns to the language model; queue another run if there are more."""
    taken = llm_worker.restate_pending(UUID(organisation_id), now=timezone.now())
    if taken:
        send_hint("memories.restate_pending", UUID(organisation_id))
    return taken


@shared_task(name="memories.sweep_restatements")
def sweep_restatements(**_: object) -> int:
    """Find turns whose hint was lost, or that are to be tried again."""
    owed = llm_worker.organisations_with_due_turns(timezone.now())
    for organisation_id in owed:
        send_hint("memories.restate_pending", organisation_id)
    return len(owed)


@shared_task(name="memories.restate_missing")
def restate_missing(*, organisation_id: str, **_: object) -> int:
    """Restate memories of an organisation that have no restatement; queue another run if there are
    more."""
    done = 0
    for _round in range(MAX_ROUNDS):
        found = restate_missing_memories(UUID(organisation_id), now=timezone.now())
        done += found
        if found < MISSING_BATCH_SIZE:
            return done
    send_hint("memories.restate_missing", UUID(organisation_id))
    return done


@shared_task(name="memories.age_due")
def move_due_tiers(*, organisation_id: str, **_: object) -> int:
    """Move the memories of one organisation that are due to move between tiers."""
    done = tier_schedule.move_due_tiers(UUID(organisation_id), now=timezone.now())
    return done.promoted + done.demoted


@shared_task(name="memories.sweep_ages")
def sweep_tiers(**_: object) -> int:
    """Find organisations of which a tier is to be looked at again."""
    now = timezone.now()
    due = [one for one in list_organisation_ids() if tier_schedule.is_due(one, now=now)]
    for organisation_id in due:
        send_hint("memories.age_due", organisation_id)
    return len(due)


@shared_task(name="memories.sweep_daily_jobs")
def sweep_daily_jobs(**_: object) -> int:
    """Write the day's runs of each organisation that has none yet."""
    now = timezone.now()
    due = [one for one in list_organisation_ids() if daily_jobs.is_due(one, now=now)]
    return sum(len(daily_jobs.enqueue_due(one, now=now)) for one in due)


@shared_task(name="memories.maintain_indexes")
def maintain_indexes(**_: object) -> list[str]:
    """Give large organisations their indexes; one run at a time is enough."""
    return organisation_indexes.maintain_indexes()


@shared_task(name="memories.run_job")
def run_job(*, job_id: str = "", **_: object) -> bool:
    """Run a job of a member or a robot, with their present rights, or one of the organisation.

    The message only says that there is work; the rows decide which job is next.
    """
    return run_jobs.run_next_job(UUID(job_id) if job_id else None)


@shared_task(name="memories.sweep_jobs")
def sweep_jobs(**_: object) -> int:
    """Find jobs whose hint was lost or whose worker died."""
    found = list_all_ready_jobs(timezone.now())
    for organisation_id, job_id, member_id, _ in found:
        notify_job_worker(organisation_id, job_id, member_id)
    return len(found)


@shared_task(name="memories.sweep_uploads")
def sweep_uploads(**_: object) -> int:
    """Remove uploaded and exported files that no job needs any more."""
    now = timezone.now()
    uploads = import_job.sweep(now=now) + EXPORTS.sweep(now=now)
    return (
        uploads
        + plan_import.sweep_previews(now=now)
        + sweep_slots(import_document.parsers_folder(), now=now)
    )


@shared_task(name="memories.sweep_news_mail")
def sweep_news_mail(**_: object) -> int:
    """Send their news to the members who want them by mail; returns how many mails went."""
    now = timezone.now()
    return sum(send_due_mails(one, now=now) for one in list_organisation_ids())


@shared_task(name="memories.sweep_operations")
def sweep_operations(**_: object) -> int:
    """Remove what the log of operations, the feed of changes, the records of recalls, the log of
    webhooks, the answers for calls that are sent again and the questions for curators keep no
    longer, and sessions that are over."""
    now = timezone.now()
    return delete_old_sessions(now=now) + sum(
        delete_old_operations(one, now=now)
        + delete_old_departures(one, now=now)
        + delete_old_deliveries(one, now=now)
        + remove_old_recalls(one, now=now)
        + delete_old_questions(one, now=now)
        + sweep_kept_answers(one, now=now)
        for one in list_organisation_ids()
    )


@shared_task(name="memories.sweep_usage")
def sweep_usage(**_: object) -> int:
    """Add up what writers left about how much their organisations keep."""
    return sum(map(add_up_usage, list_organisation_ids()))


@shared_task(name="memories.sweep_words")
def sweep_words(**_: object) -> int:
    """Index the words of all memories anew where an organisation's language was changed, or where
    the words are of an older release."""
    now = timezone.now()
    return sum(rebuild_words(one, now=now) for one in list_outdated_word_indexes())


@shared_task(name="memories.promote_patterns")
def promote_patterns(*, organisation_id: str, **_: object) -> int:
    """Bring one organisation's cross-group memories up to date."""
    done = consolidation_promote_patterns.promote_patterns(
        UUID(organisation_id), now=timezone.now()
    )
    return done.made + done.changed + done.withdrawn


@shared_task(name="memories.sweep_patterns")
def sweep_patterns(**_: object) -> int:
    """Find organisations whose patterns are to be looked at again: what several groups show may be
    new, and the hint that evidence is gone can be lost."""
    now = timezone.now()
    due = [
        one
        for one in list_organisation_ids()
        if consolidation_promote_patterns.is_due(one, now=now)
    ]
    for organisation_id in due:
        send_hint("memories.promote_patterns", organisation_id)
    return len(due)


@shared_task(name="memories.sweep_account_copies")
def sweep_account_copies(**_: object) -> int:
    """Look at copies of accounts on other database servers that something may have left behind."""
    return settle_due_copies()


@shared_task(name="memories.compare_account_copies")
def compare_account_copies(**_: object) -> int:
    """Find copies of accounts that are not as they should be, such as a restore brings back."""
    return compare_all_copies()


@shared_task(name="memories.sweep_removals")
def sweep_removals(**_: object) -> int:
    """Go on deleting organisations that were closed, the longest closed first."""
    for organisation_id in (left := list_removed_ids(using="worker")):
        if not remove_organisation(organisation_id, now=timezone.now(), seconds=REMOVAL_SECONDS):
            break
    return len(left)


@shared_task(name="memories.sweep_audit_stream")
def sweep_audit_stream(**_: object) -> int:
    """Tell the syslog server, if there is one, what was added to the audit trail."""
    server = settings.AUDIT_SYSLOG_SERVER
    return stream_entries(server, now=timezone.now()) if server else 0


@shared_task(name="memories.sweep_webhooks")
def sweep_webhooks(**_: object) -> int:
    """Write down what the webhooks are owed, and send what is due, all organisations together.
    Returns how many attempts were made."""
    now = timezone.now()
    have = [one for one in list_organisation_ids() if list_open_endpoints(one)]
    for organisation_id in have:
        read_feeds(organisation_id, now=now)
    return send_due(have, seconds=WEBHOOK_SECONDS) if have else 0


@shared_task(name="memories.sweep_subscriptions")
def sweep_subscriptions(**_: object) -> int:
    """Enqueue a job for each subscription that is due. Returns how many."""
    now = timezone.now()
    return start_due_fetches(now) + start_due_folders(now)
