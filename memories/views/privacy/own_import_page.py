"""My talks with an assistant: brought in from its export, for me alone; a look first."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.access.audience_labels import list_audience_choices
from memories.curation.documents.forget_import import forget_own_import
from memories.ingestion.file_import import own_import
from memories.ingestion.file_import.import_job import UnreadableImportError
from memories.jobs.models import Job
from memories.views.forms.my_memories_forms import OwnImportForm
from memories.views.memory.bulk_change import memory_count_label
from orgs.languages.page_text import format_number
from orgs.views.page_access import WRITERS, members_only


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*WRITERS)
def own_imports(request: HttpRequest) -> HttpResponse:
    """What one brought in, and a form for an export; sent, the next page says what it holds."""
    form = OwnImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            kept = own_import.store_own_preview(
                request.actor,
                file,
                name=file.name,
                size=file.size,
                time_zone=form.cleaned_data["time_zone"] or None,
            )
        except UnreadableImportError as error:
            form.add_error(error.about if error.about in form.fields else "file", str(error))
        else:
            return redirect("me-import-plan", kept)
    context = {
        "form": form,
        "imports": [_row(job) for job in own_import.list_own_imports(request.actor)],
    }
    status = 422 if form.errors else 200
    return render(request, "memories/privacy/own_import.html", context, status=status)


def _row(job: Job) -> dict[str, Any]:
    count = job.result.get("imported", 0)
    return {
        "name": job.parameters.get("name", ""),
        "assistant": own_import.assistant_name(job.parameters["format"]),
        "text": memory_count_label(count),
        "at": job.created_at,
        "url": reverse("job", args=[job.id]),
        "forget_url": reverse("me-import-forget", args=[job.id]) if count else "",
    }


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@members_only(*WRITERS)
def own_import_plan(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    """What a kept export would bring; sent, it is imported."""
    now = timezone.now()
    if request.method == "POST":
        return redirect("job", own_import.import_own_preview(request.actor, preview_id, now=now).id)
    found = own_import.plan_own_preview(request.actor, preview_id, now=now)
    facts = [
        (gettext("New memories"), found.plan.fresh),
        (gettext("Here already"), found.plan.here),
    ]
    facts.append((gettext("Left out"), found.rehearsal.skipped))
    organisation = request.membership[1].name
    choices = list_audience_choices(request.actor, organisation=organisation)
    readers = next(one.readers for one in choices if one.value == "private")
    context = {
        "name": found.name,
        "readers": {"label": readers.label, "sentence": f"{readers.sentence} {readers.note}"},
        "assistant": own_import.assistant_name(found.format),
        "whole": found.plan.whole,
        "lines": format_number(found.plan.lines),
        "facts": [(label, format_number(count)) for label, count in facts if count],
        "reasons": [(why, format_number(count)) for why, count in found.rehearsal.reasons],
        "examples": found.rehearsal.examples,
        "taken": found.plan.taken,
    }
    return render(request, "memories/privacy/own_import_plan.html", context)


@require_POST
@members_only(*WRITERS)
def forget_own_import_view(request: HttpRequest, job_id: UUID) -> HttpResponse:
    """Forget all that an import of one's own brought."""
    count = forget_own_import(request.actor, job_id, now=timezone.now())
    text = gettext("Forgotten: %(memories)s. The trash brings them back.") % {
        "memories": memory_count_label(count)
    }
    messages.success(request, text)
    return redirect("me-import")
