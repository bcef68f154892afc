"""Import a file of conversations: upload, preview, import."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from memories.ingestion.file_import import plan_import, table_upload
from memories.ingestion.file_import.formats.registry import AUTO
from memories.ingestion.file_import.import_job import (
    UnreadableImportError,
    get_reading_group,
    list_reading_groups,
)
from memories.ingestion.file_import.import_summary import load_import_summary
from memories.jobs.job_files import RETENTION
from memories.jobs.models import Job, JobState
from memories.snapshots.export_job import enqueue_export, find_ready_file, get_file
from memories.views.forms.import_forms import (
    READERS_GONE,
    ImportChoiceForm,
    ImportColumnsForm,
    ImportForm,
)
from memories.views.jobs.import_folders import import_page_context
from memories.views.jobs.import_plan_presenter import plan_context
from memories.views.memory.bulk_change import memory_count_label
from orgs.errors import NotFoundError
from orgs.languages.page_text import format_number, lazy_text
from orgs.models.organisations import Group
from orgs.principals import Actor
from orgs.views.page_access import ADMINS, WRITERS, members_only
from orgs.views.time_formats import day

# Export what the member may read, and take the file away.

COPY_WARNING = lazy_text(
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
        return {"file_note": gettext("The file was deleted. Export again if you need it.")}
    return {
        "file_url": reverse("export-file", args=[job.id]),
        "file_note": gettext("It is deleted on %(finished_at)s. %(copy_warning)s")
        % {"finished_at": day(job.finished_at + RETENTION), "copy_warning": COPY_WARNING},
    }


# What an import has brought, in words: who reads it, and what to do next.

OTHER_READERS_NOTE = lazy_text(
    "is for those whom the file names: people of its groups and lists, or one speaker. You are not "
    "among them, and an admin’s role opens no group that is confidential. People whom an import "
    "makes have no account, so they read nothing before somebody invites them."
)
OWN_ACCESS_LABELS = {
    "organisation": lazy_text("You read it, as everyone does."),
    "group": lazy_text("You read it, as you sit in the group or curate it."),
    "explicit": lazy_text("You read it, as the list names you or a group of yours."),
    "member": lazy_text("It is private to you."),
}


def import_result_context(request: HttpRequest, job: Job) -> dict[str, Any]:
    """For the page of an import that is over; empty where it brought nothing."""
    new = job.result.get("imported", 0)
    if not new:
        return {}
    found = load_import_summary(
        request.actor, job, organisation=request.membership[1].name, now=timezone.now()
    )
    told = {
        "reads": _readable_sentence(found.readable, new),
        "why": f"{gettext('The rest') if found.readable else gettext('It')} {OTHER_READERS_NOTE}"
        if found.readable < new
        else "",
        "came": [
            {
                "kind": one.kind,
                "title": one.label,
                "text": f"{memory_count_label(count).capitalize()}. {one.sentence}",
                "note": f"{OWN_ACCESS_LABELS.get(one.kind, '')} {one.note}".strip(),
            }
            for one, count in found.readers
        ],
        "more_came": found.more,
    }
    steps = []
    if request.actor.moderates:
        steps = [{"url": reverse("robots-page"), "label": gettext("Make a robot")}]
    if not found.listed:
        return told | {"next": steps}
    ask = {"url": reverse("library"), "label": gettext("Ask something")}
    see = (
        gettext("See the memory")
        if found.listed == 1
        else gettext("See the %(listed)s memories") % {"listed": format_number(found.listed)}
    )
    return told | {
        "see_url": f"{reverse('library')}?{urlencode({'brought': job.id, 'each': 1})}",
        "see_label": see,
        "next": [ask, *steps],
    }


def _readable_sentence(read: int, new: int) -> str:
    if read >= new:
        return gettext("You can read it.") if new == 1 else gettext("You can read all of it.")
    if not read:
        return gettext("You cannot read it.") if new == 1 else gettext("You can read none of it.")
    return gettext("You can read %(read)s of the %(new)s new ones.") % {
        "read": format_number(read),
        "new": format_number(new),
    }


@require_http_methods(["GET", "POST"])
@members_only(*ADMINS)
def upload(request: HttpRequest) -> HttpResponse:
    """Upload a file; the next page asks what the columns of a table are, or says what the file
    would bring."""
    groups = list_reading_groups(request.actor)
    form = ImportForm(groups, request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        chosen = {name: form.cleaned_data[name] for name in ("speakers", "readers")}
        try:
            kept_id, is_table = table_upload.store_upload(
                request.actor,
                file,
                name=file.name,
                size=file.size,
                format=form.cleaned_data["format"] or AUTO,
                time_zone=form.cleaned_data["time_zone"],
            )
        except UnreadableImportError as error:
            form.add_error(error.about, str(error))
        else:
            address = reverse("import-columns" if is_table else "import-plan", args=[kept_id])
            return redirect(f"{address}?{urlencode(chosen)}")
    context = import_page_context(request, form=form)
    status = 422 if form.errors else 200
    return render(request, "memories/jobs/import.html", context, status=status)


@require_POST
@members_only(*ADMINS)
def upload_example(request: HttpRequest) -> HttpResponse:
    """Take the example of the documentation as the file."""
    return redirect("import-plan", plan_import.store_example_preview(request.actor).id)


@require_http_methods(["GET", "POST"])
@never_cache
@members_only(*ADMINS)
def import_columns(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    """The columns of a kept table with their first values; sent, the plan says what they bring."""
    table = table_upload.get_table(request.actor, preview_id)
    form = ImportColumnsForm(
        table.columns,
        request.POST if request.method == "POST" else None,
        fields=table.fields,
        time_zone=table.time_zone,
    )
    query = urlencode({name: request.GET.get(name, "") for name in ("speakers", "readers")})
    if request.method == "POST" and form.is_valid():
        try:
            table_upload.plan_table(
                request.actor,
                preview_id,
                fields=form.chosen(),
                time_zone=form.cleaned_data["time_zone"],
            )
        except UnreadableImportError as error:
            form.add_error("time_zone" if error.about == "time_zone" else None, str(error))
        else:
            return redirect(f"{reverse('import-plan', args=[preview_id])}?{query}")
    context = {"form": form, "table": table, "query": query}
    status = 422 if form.errors else 200
    return render(request, "memories/jobs/import_columns.html", context, status=status)


def _find_group(actor: Actor, readers: str) -> Group | None:
    """The group that was chosen to read what names no reader. Raises NotFoundError."""
    kind, _, reference = readers.partition(":")
    return get_reading_group(actor, reference) if kind == "group" else None


@require_http_methods(["GET", "POST"])
@never_cache
@members_only(*ADMINS)
def import_plan(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    """What a kept file would bring, and who would read it; sent, it is imported."""
    given = request.POST if request.method == "POST" else request.GET
    now, readers = timezone.now(), given.get("readers", "")
    chosen = {"by_group": given.get("speakers") == "group", "everyone": readers == "organisation"}
    try:
        group = _find_group(request.actor, readers)
    except NotFoundError:
        # They left the group since they chose it.
        messages.error(request, READERS_GONE)
        return redirect("import")
    form = ImportChoiceForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        seated = form.cleaned_data["sit"] == "yes"
        job = plan_import.import_preview(
            request.actor, preview_id, seated=seated, group_id=group and group.id, now=now, **chosen
        )
        return redirect("job", job.id)
    preview, plan = plan_import.plan_preview(
        request.actor, preview_id, group_id=group and group.id, now=now, **chosen
    )
    context = plan_context(plan, preview, group=group, **chosen) | {"form": form}
    status = 422 if form.errors else 200
    return render(request, "memories/jobs/import_plan.html", context, status=status)
