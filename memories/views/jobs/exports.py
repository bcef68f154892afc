"""Export what the member may read, and take the file away."""

from typing import Any
from uuid import UUID

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memories.jobs.job_files import RETENTION
from memories.jobs.models import Job, JobState
from memories.snapshots.export_job import enqueue_export, find_ready_file, get_file
from orgs.views.page_access import WRITERS, members_only
from orgs.views.time_formats import day

COPY_WARNING = (
    "The file is a copy outside. Whoever has it reads it, and what is forgotten here later "
    "stays in it."
)


@require_POST
@members_only(*WRITERS)
def start_export(request: HttpRequest) -> HttpResponse:
    """Have a file made of everything that the member may read."""
    return redirect("job", enqueue_export(request.actor, {}, now=timezone.now()).id)


@require_safe
@never_cache
@members_only(*WRITERS)
def download(request: HttpRequest, job_id: UUID) -> FileResponse:
    """The file of one's own export; for everybody else there is none."""
    path = get_file(request.actor, job_id, now=timezone.now())
    return FileResponse(
        path.open("rb"),
        as_attachment=True,
        filename="memories.jsonl",
        content_type="application/jsonl",
    )


def file_context(actor: Any, job: Job) -> dict[str, str]:
    """Where the file of an export is, until when, and what it means to have it."""
    if job.state != JobState.DONE or job.finished_at is None:
        return {}
    if find_ready_file(actor, job, now=timezone.now()) is None:
        return {"file_note": "The file was deleted. Export again if you need it."}
    return {
        "file_url": reverse("export-file", args=[job.id]),
        "file_note": f"It is deleted on {day(job.finished_at + RETENTION)}. {COPY_WARNING}",
    }
