"""Jobs and dead letters of the organisation that support looks at, in words."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memories.insights import support_work
from memories.insights.support_work import OwedOverview
from memories.jobs.leases import BROKE_OFF
from memories.jobs.models import Job, JobKind, JobState
from memories.jobs.owed_work import OwedWork
from memories.views.jobs.jobs import STATES
from memories.views.jobs.organisation_words import day_of
from orgs.support.people import names_of
from orgs.views.support.gate import in_organisation
from orgs.views.support.tables import page_of
from robots.views.support import names_of as robots_named

TITLES = {
    JobKind.CHANGE: "Change of memories",
    JobKind.IMPORT: "Import of a file",
    JobKind.EXPORT: "Export of memories",
    JobKind.CONSOLIDATE: "Consolidation",
    JobKind.AGE: "Judging the tiers",
    JobKind.RETAIN: "Archiving what is past its time",
    JobKind.SUMMARISE: "Looking for full tiers",
    JobKind.ERASE: "Erasure",
    JobKind.LEARN: "Tending what personas learned",
}
FAILURES = {BROKE_OFF: "The worker ended in the middle of it", "": "No reason is known"}


@require_safe
@in_organisation("support.listed", "job")
def work(request: HttpRequest) -> HttpResponse:
    """What runs, waits and stopped, and memories that are not indexed."""
    organisation_id = request.look.organisation_id
    found, page = page_of(request, support_work.jobs_of(organisation_id))
    names = names_of(organisation_id, (job.member_id for job in found))
    owed = [
        {
            "title": "Indexing by meaning",
            "about": "Until then only their words find them.",
            "retry_url": reverse("support-embeddings-retry"),
        }
        | _owed(organisation_id, support_work.owed_embeddings(organisation_id)),
        {
            "title": "Questions to the language model",
            "about": "Until then the rules alone say who and when a memory is about.",
            "retry_url": reverse("support-answers-retry"),
        }
        | _owed(organisation_id, support_work.owed_answers(organisation_id)),
    ]
    context = {
        "jobs": [_job(job, names) for job in found],
        "page": page,
        "owed": owed,
        "waits": any(one["waiting"] for one in owed),
    }
    return render(request, "support/work.html", context)


def _job(job: Job, names: dict[UUID, str]) -> dict[str, Any]:
    label, tone = STATES[JobState(job.state)]
    return {
        "title": TITLES.get(JobKind(job.kind), job.kind),
        "for": names.get(job.member_id, "Somebody who is gone") if job.member_id else "",
        "period": day_of(job),
        "state": {"label": label, "tone": tone},
        "how_far": _how_far(job),
        "says": _says(job),
        "at": job.created_at,
        "id": job.id,
        "retry_url": reverse("support-job-retry", args=[job.id])
        if job.state == JobState.DEAD
        else "",
    }


def _how_far(job: Job) -> str:
    if not job.total:
        return ""
    if job.kind == JobKind.IMPORT:
        return f"{job.done / 1e3:,.0f} of {job.total / 1e3:,.0f} kB"
    return f"{job.done:,} of {job.total:,}"


def _says(job: Job) -> str:
    """Why it is where it is, as far as it shows."""
    match job.state:
        case JobState.RUNNING if job.leased_until and job.leased_until < timezone.now():
            return "Its worker was lost. Another one takes it by itself."
        case JobState.RUNNING:
            return "A worker is at it."
        case JobState.WAITING if job.attempts:
            return f"It broke off {times(job.attempts)} and waits to be tried again."
        case JobState.WAITING:
            return "It waits for its turn."
        case JobState.DEAD:
            return job.reason or "No reason is known."
    return job.reason


def times(number: int) -> str:
    """How often, in words."""
    return "once" if number == 1 else f"{number:,} times"


def _owed(organisation_id: UUID, found: OwedOverview) -> dict[str, Any]:
    robots = support_work.robots_of(organisation_id, found.newest)
    named = robots_named(organisation_id, robots.values())
    return {
        "waiting": found.waiting,
        "dead": found.dead,
        "rows": [_dead(row, named.get(robots.get(row.memory_id), "")) for row in found.newest],
    }


def _dead(row: OwedWork, robot: str) -> dict[str, Any]:
    return {
        "robot": robot,
        "url": reverse("support-memory", args=[row.memory_id]),
        "reason": FAILURES.get(row.reason, row.reason),
        "tried": times(row.attempts),
        "at": row.created_at,
    }


@require_POST
@in_organisation("support.job_retried", "job")
def retry_job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Let a stopped job go on."""
    now = timezone.now()
    job = support_work.retry_job(request.user, request.look.organisation_id, job_id, now=now)
    messages.success(request, f"{TITLES.get(JobKind(job.kind), job.kind)}: it is tried again.")
    return redirect("support-jobs")


@require_POST
@in_organisation("support.embeddings_retried", "pending")
def retry_embeddings(request: HttpRequest) -> HttpResponse:
    """Let what could not be indexed be tried again."""
    return _retried(request, support_work.retry_embeddings, "indexed")


@require_POST
@in_organisation("support.answers_retried", "pending")
def retry_answers(request: HttpRequest) -> HttpResponse:
    """Let the language model be asked again."""
    return _retried(request, support_work.retry_answers, "asked about")


def _retried(request: HttpRequest, retry: Callable[..., int], done: str) -> HttpResponse:
    """Try failed work on memories again, and say how many there are."""
    count = retry(request.user, request.look.organisation_id, now=timezone.now())
    number = f"{count:,} {'memory' if count == 1 else 'memories'}"
    messages.success(request, f"{number} will be {done} again.")
    return redirect("support-jobs")
