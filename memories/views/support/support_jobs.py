"""Jobs and dead letters of the organisation that support looks at, in words."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from memories.insights import support_work
from memories.insights.support_work import PendingOverview
from memories.jobs.leases import LEASE_EXPIRED, PendingWork
from memories.jobs.models import Job, JobState, JobType
from memories.views.jobs.jobs_page import STATE_BADGES
from memories.views.jobs.organisation_job_presenter import job_day
from orgs.languages.page_text import format_number, lazy_text
from orgs.support.people import member_names
from orgs.views.support.support_access import organisation_page
from orgs.views.support.tables import paginate
from robots.views.support import robot_names as robots_named

JOB_TITLES = {
    JobType.CHANGE: lazy_text("Change of memories"),
    JobType.IMPORT: lazy_text("Import of a file"),
    JobType.EXPORT: lazy_text("Export of memories"),
    JobType.CONSOLIDATE: lazy_text("Consolidation"),
    JobType.AGE: lazy_text("Judging the tiers"),
    JobType.RETAIN: lazy_text("Archiving what is past its time"),
    JobType.SUMMARISE: lazy_text("Looking for full tiers"),
    JobType.ERASE: lazy_text("Erasure"),
    JobType.LEARN: lazy_text("Tending what personas learned"),
    JobType.ACCOUNTS: lazy_text("Remembering events and mails"),
    JobType.PROJECT: lazy_text("Filling or clearing an index layout"),
    JobType.RE_EMBED: lazy_text("Embedding by another model"),
}
FAILURE_LABELS = {
    LEASE_EXPIRED: lazy_text("The worker ended in the middle of it"),
    "": lazy_text("No reason is known"),
}


@require_safe
@organisation_page("support.listed", "job")
def support_jobs(request: HttpRequest) -> HttpResponse:
    """What runs, waits and stopped, and memories that are not indexed."""
    organisation_id = request.look.organisation_id
    found, page = paginate(request, support_work.support_jobs(organisation_id))
    names = member_names(organisation_id, (job.member_id for job in found))
    owed = [
        {
            "title": gettext("Indexing by meaning"),
            "about": gettext("Until then only their words find them."),
            "retry_url": reverse("support-embeddings-retry"),
        }
        | _owed_context(organisation_id, support_work.get_pending_embeddings(organisation_id)),
        {
            "title": gettext("Questions to the language model"),
            "about": gettext("Until then the rules alone say who and when a memory is about."),
            "retry_url": reverse("support-answers-retry"),
        }
        | _owed_context(organisation_id, support_work.get_pending_restatements(organisation_id)),
    ]
    context = {
        "jobs": [_job_row(job, names) for job in found],
        "page": page,
        "owed": owed,
        "waits": any(one["waiting"] for one in owed),
    }
    return render(request, "support/work.html", context)


def _job_row(job: Job, names: dict[UUID, str]) -> dict[str, Any]:
    label, tone = STATE_BADGES[JobState(job.state)]
    return {
        "title": JOB_TITLES.get(JobType(job.kind), job.kind),
        "for": _asker_label(job, names),
        "period": job_day(job),
        "state": {"label": label, "tone": tone},
        "how_far": _progress_label(job),
        "says": _state_sentence(job),
        "at": job.created_at,
        "id": job.id,
        "retry_url": reverse("support-job-retry", args=[job.id])
        if job.state == JobState.DEAD
        else "",
    }


def _asker_label(job: Job, names: dict[UUID, str]) -> str:
    """Who asked for it; empty for the organisation. Which robot it is stays with its people."""
    if job.member_id:
        return names.get(job.member_id, gettext("Somebody who is gone"))
    return "" if job.is_organisations else gettext("a robot")


def _progress_label(job: Job) -> str:
    if not job.total:
        return ""
    if job.kind == JobType.IMPORT:
        return f"{job.done / 1e3:,.0f} of {job.total / 1e3:,.0f} kB"
    return gettext("%(done)s of %(total)s") % {
        "done": format_number(job.done),
        "total": format_number(job.total),
    }


def _state_sentence(job: Job) -> str:
    """Why it is where it is, as far as it shows."""
    match job.state:
        case JobState.RUNNING if job.leased_until and job.leased_until < timezone.now():
            return gettext("Its worker was lost. Another one takes it by itself.")
        case JobState.RUNNING:
            return gettext("A worker is at it.")
        case JobState.WAITING if job.attempts:
            return gettext("It broke off %(attempts)s and waits to be tried again.") % {
                "attempts": times_label(job.attempts)
            }
        case JobState.WAITING:
            return gettext("It waits for its turn.")
        case JobState.DEAD:
            return job.reason or gettext("No reason is known.")
    return job.reason


def times_label(number: int) -> str:
    """How often, in words."""
    return (
        "once" if number == 1 else gettext("%(number)s times") % {"number": format_number(number)}
    )


def _owed_context(organisation_id: UUID, found: PendingOverview) -> dict[str, Any]:
    robots = support_work.robot_ids_by_memory(organisation_id, found.newest)
    named = robots_named(organisation_id, robots.values())
    return {
        "waiting": found.waiting,
        "dead": found.dead,
        "rows": [
            _failed_row(row, named.get(robots.get(row.memory_id), "")) for row in found.newest
        ],
    }


def _failed_row(row: PendingWork, robot: str) -> dict[str, Any]:
    return {
        "robot": robot,
        "url": reverse("support-memory", args=[row.memory_id]),
        "reason": FAILURE_LABELS.get(row.reason, row.reason),
        "tried": times_label(row.attempts),
        "at": row.created_at,
    }


@require_POST
@organisation_page("support.job_retried", "job")
def retry_job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Let a stopped job go on."""
    now = timezone.now()
    job = support_work.retry_job(request.user, request.look.organisation_id, job_id, now=now)
    messages.success(
        request,
        gettext("%(kind)s: it is tried again.")
        % {"kind": JOB_TITLES.get(JobType(job.kind), job.kind)},
    )
    return redirect("support-jobs")


@require_POST
@organisation_page("support.embeddings_retried", "pending")
def retry_embeddings(request: HttpRequest) -> HttpResponse:
    """Let what could not be indexed be tried again."""
    return _retry_and_redirect(request, support_work.retry_embeddings, gettext("indexed"))


@require_POST
@organisation_page("support.answers_retried", "pending")
def retry_answers(request: HttpRequest) -> HttpResponse:
    """Let the language model be asked again."""
    return _retry_and_redirect(request, support_work.retry_restatements, gettext("asked about"))


def _retry_and_redirect(request: HttpRequest, retry: Callable[..., int], done: str) -> HttpResponse:
    """Try failed work on memories again, and say how many there are."""
    count = retry(request.user, request.look.organisation_id, now=timezone.now())
    words = ngettext(
        "%(count)s memory will be %(done)s again.",
        "%(count)s memories will be %(done)s again.",
        count,
    )
    messages.success(request, words % {"count": format_number(count), "done": done})
    return redirect("support-jobs")
