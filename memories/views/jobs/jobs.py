"""Jobs: their progress and failures, undo and retry."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from memories.curation import bulk_job
from memories.indexing.models import Pending
from memories.jobs.models import Job, JobKind, JobState
from memories.library import jobs
from memories.restatement.unanswered import ask_again, unanswered
from memories.views.jobs import arrivals, exports
from memories.views.jobs.organisation_words import counts, did, title_of
from memories.views.memory.bulk import how_many
from orgs.principals import Actor
from orgs.views.access import MODERATORS, WRITERS, members_only

TITLES = {
    "archive": "Archive memories",
    "forget": "Forget memories",
    "set": "Change memories",
    "share": "Change who may read memories",
}
EXPORT = "Export memories"
STATES = {
    JobState.WAITING: ("Waiting", "warn"),
    JobState.RUNNING: ("Running", "accent"),
    JobState.DONE: ("Done", "good"),
    JobState.DEAD: ("Stopped", "bad"),
    JobState.CANCELLED: ("Cancelled", ""),
}
OVER = (JobState.DONE, JobState.DEAD, JobState.CANCELLED)
SHOWN = 200


@require_safe
@members_only(*WRITERS)
def index(request: HttpRequest) -> HttpResponse:
    """The member's jobs, and memories that are still to be indexed."""
    found = jobs.standing(request.actor)
    curates = request.actor.role in MODERATORS
    context = {
        "jobs": [_row(job) for job in found.jobs],
        "pending": f"{found.pending:,}",
        "failed": f"{found.failed:,}",
        "dead": [_dead(row) for row in found.dead] if curates else [],
        "retry_url": reverse("embeddings-retry") if found.failed and curates else "",
        "unanswered": unanswered(request.actor) if curates else None,
        "curates": curates,
        "organisations": [_organisations_row(request.actor, one) for one in found.organisations],
    }
    return render(request, "memories/jobs/jobs.html", context)


def _dead(row: Pending) -> dict[str, Any]:
    """Work that is not tried any more; the reason is the kind of failure, never a text."""
    return {
        "memory": row.memory.content,
        "url": reverse("memory-page", args=[row.memory_id]),
        "reason": row.reason or "Unknown",
        "attempts": row.attempts,
        "at": row.created_at,
        "retry_url": reverse("embedding-retry", args=[row.memory_id]),
    }


def _row(job: Any) -> dict[str, Any]:
    label, tone = STATES[JobState(job.state)]
    return {
        "url": reverse("job", args=[job.id]),
        "title": _title(job),
        "at": job.created_at,
        "state": {"label": label, "tone": tone},
        "problems": len(job.problems),
    }


def _title(job: Any) -> str:
    if job.kind == JobKind.IMPORT:
        return f"Import {job.file or 'a file'}"
    title = EXPORT if job.kind == JobKind.EXPORT else TITLES.get(job.action, "Change memories")
    return f"{title} ({job.total:,})"


@require_safe
@vary_on_headers("HX-Target")
@members_only(*WRITERS)
def job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """One job; while it runs the page asks again by itself."""
    found = jobs.job_of(request.actor, job_id)
    part = "#progress" if request.htmx.target == "job" else ""
    return render(
        request,
        f"memories/jobs/job.html{part}",
        _context(request.actor, found) | _led_to(request, found),
    )


def _led_to(request: HttpRequest, found: Job) -> dict[str, Any]:
    """Where to look at what it did, and of an import who reads it."""
    if found.member_id is None:
        return {"see_url": reverse("review"), "see_label": "Review", "tiers_url": reverse("tiers")}
    if found.kind == JobKind.EXPORT:
        return exports.file_context(request.actor, found)
    if found.kind != JobKind.IMPORT:
        return {"see_url": reverse("library"), "see_label": "See the memories"}
    return arrivals.context(request, found) if found.state in OVER else {}


def _context(actor: Actor, found: Job) -> dict[str, Any]:
    over = found.state in OVER
    change = found.parameters.get("change", {}).get("action", "")
    undone = "undoing" in found.parameters
    title = TITLES.get(change, "Change")
    title = {JobKind.IMPORT: "Import a file", JobKind.EXPORT: EXPORT}.get(found.kind, title)
    if found.member_id is None:
        title = title_of(found)
    return {
        "job": found,
        "title": f"Undo: {title.lower()}" if undone else title,
        "file": found.parameters.get("name", ""),
        "state": _state(found),
        "over": over,
        "text": _how_far(found),
        "result": _result(found),
        "problems": found.problems[:SHOWN],
        "more_problems": max(0, len(found.problems) - SHOWN),
        "job_url": reverse("job", args=[found.id]),
        "undo_url": reverse("job-undo", args=[found.id])
        if found.state == JobState.DONE and found.result.get("undo")
        else "",
        **_actions(actor, found),
    }


def _state(found: Job) -> dict[str, str]:
    label, tone = STATES[JobState(found.state)]
    return {"label": "Stopping" if found.cancel_asked_at else label, "tone": tone}


def _actions(actor: Actor, found: Job) -> dict[str, str]:
    """What can be done to it now, each with its address or without any."""
    wished = found.cancel_asked_at is not None
    can = {
        "cancel": found.state in (JobState.WAITING, JobState.RUNNING)
        and not wished
        and jobs.may_cancel(actor, found),
        "resume": found.state == JobState.CANCELLED,
        "retry": found.state == JobState.DEAD,
    }
    return {
        f"{name}_url": reverse(f"job-{name}", args=[found.id]) if may else ""
        for name, may in can.items()
    }


def _organisations_row(actor: Actor, found: Job) -> dict[str, Any]:
    return {
        "id": found.id,
        "url": reverse("job", args=[found.id]),
        "title": title_of(found),
        "at": found.created_at,
        "state": _state(found),
        "open": found.state not in OVER,
        "done": found.done,
        "total": found.total or 1,
        "text": _how_far(found),
        "did": did(found.result),
        "reason": found.reason,
        **_actions(actor, found),
    }


def _how_far(found: Job) -> str:
    if found.kind == JobKind.IMPORT:
        unit, size = ("MB", 1e6) if found.total >= 1e6 else ("kB", 1e3)
        return f"{found.done / size:.1f} of {found.total / size:.1f} {unit}"
    if found.member_id is None:
        return f"{found.done:,} of {found.total:,} steps" if found.total else "Not begun yet"
    return f"{found.done:,} of {how_many(found.total)}"


def _result(found: Job) -> list[tuple[str, str]]:
    if found.kind == JobKind.IMPORT:
        names = ("imported", "already", "skipped", "groups", "members")
        words = ("New", "There already", "Not taken", "New groups", "New people")
        return [
            (word, f"{found.result.get(name, 0):,}")
            for name, word in zip(names, words, strict=True)
        ]
    if found.member_id is None:
        return counts(found.result)
    if found.kind == JobKind.EXPORT:
        return [("Memories in the file", f"{found.done:,}")]
    return [
        ("Done", f"{found.done - len(found.problems):,}"),
        ("Not changed", f"{len(found.problems):,}"),
    ]


@require_POST
@members_only()
def undo(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Take a change back; what somebody changed since stays."""
    outcome = bulk_job.undo(request.actor, job_id, now=timezone.now())
    if outcome.job.total > bulk_job.AT_ONCE:
        return redirect("job", outcome.job.id)
    text = f"Undone for {how_many(outcome.changed)}."
    if outcome.skipped:
        text += f" {how_many(outcome.skipped)} had changed since, or cannot go back, and stayed."
    messages.success(request, text)
    return redirect("me" if request.GET.get("back") == "me" else "library")


@require_POST
@members_only(*WRITERS)
def retry(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Go on with work that stopped."""
    jobs.retry(request.actor, job_id)
    return redirect("job", job_id)


@require_POST
@members_only(*WRITERS)
def cancel(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Stop work; what is done stays done."""
    jobs.cancel(request.actor, job_id)
    return redirect("job", job_id)


@require_POST
@members_only(*WRITERS)
def resume(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Go on with cancelled work at its place."""
    jobs.resume(request.actor, job_id)
    return redirect("job", job_id)


@require_POST
@members_only(*MODERATORS)
def begin_consolidation(request: HttpRequest) -> HttpResponse:
    """Make a run of consolidation now, instead of at its day."""
    return redirect("job", jobs.begin_consolidation(request.actor, now=timezone.now()).id)


@require_POST
@members_only(*MODERATORS)
def retry_embeddings(request: HttpRequest, memory_id: UUID | None = None) -> HttpResponse:
    """Try again to index what failed, one or all, as far as the asker may read it."""
    count = jobs.retry_embeddings(request.actor, now=timezone.now(), memory_id=memory_id)
    messages.success(request, f"{how_many(count)} will be indexed again.")
    return redirect("jobs")


@require_POST
@members_only(*MODERATORS)
def ask_model_again(request: HttpRequest) -> HttpResponse:
    """Let the language model be asked again about what it never answered."""
    count = ask_again(request.actor, now=timezone.now())
    messages.success(request, f"{how_many(count)} will be asked about again.".capitalize())
    return redirect("jobs")
