"""Jobs: their progress and failures, undo and retry."""

from collections.abc import Mapping
from datetime import datetime, time
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from memories.browsing import job_pages
from memories.curation import bulk_change
from memories.indexing.models import Pending
from memories.ingestion.folder_import.subscriptions import FOLDER_KEY
from memories.jobs.models import Job, JobState, JobType
from memories.restatement.models import count_unanswered, drop_unanswered, retry_unanswered
from memories.views.jobs import imports
from memories.views.jobs.import_job_presenter import (
    import_progress_label,
    import_result_rows,
    import_source_links,
    import_title,
)
from memories.views.jobs.organisation_job_presenter import count_rows, job_title, result_sentence
from memories.views.memory.bulk_change import memory_count_label
from orgs.languages.page_text import format_number, inside_sentence, lazy_text
from orgs.principals import Actor
from orgs.views.page_access import MODERATOR_ROLES, WRITERS, members_only

CHANGE_TITLES = {
    "archive": lazy_text("Archive memories"),
    "forget": lazy_text("Forget memories"),
    "set": lazy_text("Change memories"),
    "share": lazy_text("Change who may read memories"),
}
EXPORT_TITLE = lazy_text("Export memories")
FIXED_TITLES: dict[str, str] = {
    JobType.EXPORT: EXPORT_TITLE,
    JobType.ACCOUNTS: lazy_text("Remember events and mails"),
}
STATE_BADGES = {
    JobState.WAITING: (lazy_text("Waiting"), "warn"),
    JobState.RUNNING: (lazy_text("Running"), "accent"),
    JobState.DONE: (lazy_text("Done"), "good"),
    JobState.DEAD: (lazy_text("Stopped"), "bad"),
    JobState.CANCELLED: (lazy_text("Cancelled"), ""),
}
KIND_LABELS = {
    JobType.CHANGE: lazy_text("Changes"),
    JobType.IMPORT: lazy_text("Imports"),
    JobType.EXPORT: lazy_text("Exports"),
    JobType.CONSOLIDATE: lazy_text("Consolidation"),
    JobType.AGE: lazy_text("Tiers"),
    JobType.RETAIN: lazy_text("Retention"),
    JobType.SUMMARISE: lazy_text("Full tiers"),
    JobType.ERASE: lazy_text("Erasures"),
    JobType.LEARN: lazy_text("Personas"),
    JobType.ACCOUNTS: lazy_text("Events and mails"),
    JobType.PROJECT: lazy_text("Index layouts"),
    JobType.RE_EMBED: lazy_text("Embedding models"),
}
MAX_PROBLEMS = 200


class JobFilterForm(forms.Form):
    """The filters in the address; what is not understood is ignored."""

    state = forms.ChoiceField(choices=JobState.choices, required=False)
    kind = forms.ChoiceField(choices=JobType.choices, required=False)
    since = forms.DateField(required=False)
    until = forms.DateField(required=False)


def _parse_filters(request: HttpRequest) -> dict[str, Any]:
    form = JobFilterForm(request.GET)
    form.is_valid()
    return {name: value for name, value in form.cleaned_data.items() if value}


def _to_times(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The filters with whole days as times."""
    ends, zone = {"since": time.min, "until": time.max}, timezone.get_current_timezone()
    times = {
        name: datetime.combine(chosen[name], at, zone)
        for name, at in ends.items()
        if name in chosen
    }
    return {**chosen, **times}


def _filter_context(chosen: Mapping[str, Any]) -> dict[str, Any]:
    options = {
        "state": [(state.value, STATE_BADGES[state][0]) for state in JobState],
        "kind": [(kind.value, KIND_LABELS[kind]) for kind in JobType],
    }
    return {
        "chosen": chosen,
        "choices": [
            {
                "name": name,
                "any": gettext("Any %(name)s") % {"name": gettext(name)},
                "options": [
                    {"value": value, "label": label, "selected": chosen.get(name) == value}
                    for value, label in found
                ],
            }
            for name, found in options.items()
        ],
    }


@require_safe
@vary_on_headers("HX-Target")
@members_only(*WRITERS)
def index(request: HttpRequest) -> HttpResponse:
    """The member's jobs, and memories that are still to be indexed; while jobs are open the rows
    are asked for again."""
    chosen = _parse_filters(request)
    found = job_pages.get_jobs_overview(request.actor, _to_times(chosen))
    curates = request.actor.role in MODERATOR_ROLES
    shown = [*found.jobs, *found.organisations]
    context = {
        **_filter_context(chosen),
        "is_open": any(not job.is_over for job in shown),
        "rows_url": f"{reverse('jobs')}?{urlencode(chosen)}",
        "jobs": [_job_row(request.actor, job) for job in found.jobs],
        "pending": format_number(found.pending),
        "failed": format_number(found.failed),
        "dead": [_failed_embedding_row(row) for row in found.dead] if curates else [],
        "retry_url": reverse("embeddings-retry") if found.failed and curates else "",
        "unanswered": count_unanswered(request.actor) if curates else None,
        "curates": curates,
        "organisations": [_organisation_job_row(request.actor, one) for one in found.organisations],
    }
    part = "#rows" if request.htmx.target == "job-rows" else ""
    return render(request, f"memories/jobs/jobs.html{part}", context)


def _failed_embedding_row(row: Pending) -> dict[str, Any]:
    """Work that is not tried any more; the reason is the kind of failure, never a text."""
    return {
        "memory": row.memory.content,
        "url": reverse("memory-page", args=[row.memory_id]),
        "reason": row.reason or gettext("Unknown"),
        "attempts": row.attempts,
        "at": row.created_at,
        "retry_url": reverse("embedding-retry", args=[row.memory_id]),
        "drop_url": reverse("embedding-drop", args=[row.memory_id]),
    }


def _job_row(actor: Actor, job: Any) -> dict[str, Any]:
    return _row(actor, job) | {
        "title": _job_title(job),
        "did": gettext("%(problems)s not taken") % {"problems": format_number(len(job.problems))}
        if job.problems
        else "",
    }


def _job_title(job: Any) -> str:
    if job.kind == JobType.IMPORT:
        return import_title(job)
    title = FIXED_TITLES.get(job.kind) or CHANGE_TITLES.get(job.action, gettext("Change memories"))
    return f"{title} ({format_number(job.total)})"


@require_safe
@vary_on_headers("HX-Target")
@members_only(*WRITERS)
def job(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """One job; while it runs the page asks again by itself."""
    found = job_pages.get_job(request.actor, job_id)
    part = "#progress" if request.htmx.target == "job" else ""
    return render(
        request,
        f"memories/jobs/job.html{part}",
        _job_context(request.actor, found) | _result_links(request, found),
    )


def _result_links(request: HttpRequest, found: Job) -> dict[str, Any]:
    """Where to look at what it did, and of an import who reads it."""
    if found.is_organisations:
        return {
            "see_url": reverse("review"),
            "see_label": gettext("Review"),
            "tiers_url": reverse("tiers"),
        }
    if found.kind == JobType.EXPORT:
        return imports.file_context(request.actor, found)
    if links := import_source_links(found):
        return links
    if found.kind == JobType.ACCOUNTS:
        label = gettext("Calendars, mail and feeds")
        return {"see_url": reverse("me-accounts"), "see_label": label}
    if found.kind != JobType.IMPORT:
        return {"see_url": reverse("library"), "see_label": gettext("See the memories")}
    return imports.import_result_context(request, found) if found.is_over else {}


def _job_context(actor: Actor, found: Job) -> dict[str, Any]:
    over = found.is_over
    change = found.parameters.get("change", {}).get("action", "")
    undone = "undoing" in found.parameters
    title = CHANGE_TITLES.get(change, gettext("Change"))
    title = ({JobType.IMPORT: gettext("Import a file")} | FIXED_TITLES).get(found.kind, title)
    if FOLDER_KEY in found.parameters:
        title = gettext("Look through a folder")
    if found.is_organisations:
        title = job_title(found)
    return {
        "job": found,
        "title": gettext("Undo: %(lower)s") % {"lower": inside_sentence(title)}
        if undone
        else title,
        "file": found.parameters.get("name", ""),
        "by_file": FOLDER_KEY in found.parameters,
        "state": _state_badge(found),
        "over": over,
        "text": _progress_label(found),
        "result": _result_rows(found),
        "problems": found.problems[:MAX_PROBLEMS],
        "more_problems": max(0, len(found.problems) - MAX_PROBLEMS),
        "job_url": reverse("job", args=[found.id]),
        "undo_url": reverse("job-undo", args=[found.id])
        if found.state == JobState.DONE and found.result.get("undo")
        else "",
        **_action_urls(actor, found),
    }


def _state_badge(found: Job) -> dict[str, str]:
    label, tone = STATE_BADGES[JobState(found.state)]
    return {"label": gettext("Stopping") if found.cancel_asked_at else label, "tone": tone}


def _action_urls(actor: Actor, found: Job) -> dict[str, str]:
    """What can be done to it now, each with its address or without any."""
    wished = found.cancel_asked_at is not None
    can = {
        "cancel": found.state in (JobState.WAITING, JobState.RUNNING)
        and not wished
        and job_pages.may_cancel(actor, found),
        "resume": found.state == JobState.CANCELLED,
        "retry": found.state == JobState.DEAD,
        "drop": job_pages.may_drop(found),
    }
    return {
        f"{name}_url": reverse(f"job-{name}", args=[found.id]) if may else ""
        for name, may in can.items()
    }


def _organisation_job_row(actor: Actor, found: Job) -> dict[str, Any]:
    return _row(actor, found) | {"title": job_title(found), "did": result_sentence(found.result)}


def _row(actor: Actor, found: Job) -> dict[str, Any]:
    return {
        "id": found.id,
        "url": reverse("job", args=[found.id]),
        "at": found.created_at,
        "state": _state_badge(found),
        "open": not found.is_over,
        "done": found.done,
        "total": found.total or 1,
        "text": _progress_label(found),
        "reason": found.reason,
        **_action_urls(actor, found),
    }


def _progress_label(found: Job) -> str:
    if found.kind == JobType.IMPORT:
        return import_progress_label(found)
    if found.is_organisations:
        if found.total:
            return gettext("%(done)s of %(total)s steps") % {
                "done": format_number(found.done),
                "total": format_number(found.total),
            }
        return gettext("Not begun yet") if found.state == JobState.WAITING else ""
    return gettext("%(done)s of %(total)s") % {
        "done": format_number(found.done),
        "total": memory_count_label(found.total),
    }


def _result_rows(found: Job) -> list[tuple[str, str]]:
    if found.kind == JobType.IMPORT:
        return import_result_rows(found)
    if found.is_organisations:
        return count_rows(found.result)
    if found.kind == JobType.EXPORT:
        return [(gettext("Memories in the file"), format_number(found.done))]
    if found.kind == JobType.ACCOUNTS:
        return [
            (gettext("Remembered"), format_number(found.result.get("remembered", 0))),
            (gettext("Held back"), format_number(found.result.get("held", 0))),
        ]
    return [
        (gettext("Done"), format_number(found.done - len(found.problems))),
        (gettext("Not changed"), format_number(len(found.problems))),
    ]


@require_POST
@members_only()
def undo(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Take a change back; what somebody changed since stays."""
    outcome = bulk_change.undo_bulk_change(request.actor, job_id, now=timezone.now())
    if outcome.job.total > bulk_change.MAX_SYNCHRONOUS:
        return redirect("job", outcome.job.id)
    text = gettext("Undone for %(changed)s.") % {"changed": memory_count_label(outcome.changed)}
    if outcome.skipped:
        text += gettext(" %(skipped)s had changed since, or cannot go back, and stayed.") % {
            "skipped": memory_count_label(outcome.skipped)
        }
    messages.success(request, text)
    return redirect("me" if request.GET.get("back") == "me" else "library")


@require_POST
@members_only(*WRITERS)
def retry(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Go on with work that stopped."""
    job_pages.retry_failed_job(request.actor, job_id)
    return redirect("job", job_id)


@require_POST
@members_only(*WRITERS)
def drop(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Give up work that stopped for good; what it did stays."""
    job_pages.drop_failed_job(request.actor, job_id)
    messages.success(request, gettext("It was dropped. What it did stays."))
    return redirect("jobs")


@require_POST
@members_only(*WRITERS)
def cancel(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Stop work; what is done stays done."""
    job_pages.cancel_visible_job(request.actor, job_id)
    return redirect("job", job_id)


@require_POST
@members_only(*WRITERS)
def resume(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Go on with cancelled work at its place."""
    job_pages.resume_cancelled_job(request.actor, job_id)
    return redirect("job", job_id)


@require_POST
@members_only(*MODERATOR_ROLES)
def begin_consolidation(request: HttpRequest) -> HttpResponse:
    """Make a run of consolidation now, instead of at its day."""
    return redirect("job", job_pages.enqueue_consolidation(request.actor, now=timezone.now()).id)


@require_POST
@members_only(*MODERATOR_ROLES)
def retry_embeddings(request: HttpRequest, memory_id: UUID | None = None) -> HttpResponse:
    """Try again to index what failed, one or all, as far as the asker may read it."""
    count = job_pages.retry_embeddings(request.actor, now=timezone.now(), memory_id=memory_id)
    messages.success(
        request, gettext("%(count)s will be indexed again.") % {"count": memory_count_label(count)}
    )
    return redirect("jobs")


@require_POST
@members_only(*MODERATOR_ROLES)
def drop_embeddings(request: HttpRequest, memory_id: UUID | None = None) -> HttpResponse:
    """Leave what failed to its words, one or all, as far as the asker may read it."""
    count = job_pages.drop_embeddings(request.actor, now=timezone.now(), memory_id=memory_id)
    messages.success(
        request,
        gettext("%(count)s will be found by words alone.") % {"count": memory_count_label(count)},
    )
    return redirect("jobs")


@require_POST
@members_only(*MODERATOR_ROLES)
def drop_model_questions(request: HttpRequest) -> HttpResponse:
    """Leave what the language model never answered to the rules."""
    count = drop_unanswered(request.actor, now=timezone.now())
    messages.success(
        request,
        gettext("%(count)s will stay as the rules read them.")
        % {"count": memory_count_label(count)},
    )
    return redirect("jobs")


@require_POST
@members_only(*MODERATOR_ROLES)
def retry_model_questions(request: HttpRequest) -> HttpResponse:
    """Let the language model be asked again about what it never answered."""
    count = retry_unanswered(request.actor, now=timezone.now())
    messages.success(
        request,
        (
            gettext("%(count)s will be asked about again.") % {"count": memory_count_label(count)}
        ).capitalize(),
    )
    return redirect("jobs")
