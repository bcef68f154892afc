"""Import a file of conversations: upload, preview, import."""

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.ingestion.file_import import preview_files
from memories.ingestion.file_import.import_job import UnreadableImportError
from memories.views.forms.memory_forms import ImportChoiceForm, ImportForm
from memories.views.jobs.import_plan_presenter import plan_context
from orgs.views.page_access import ADMINS, members_only


@require_http_methods(["GET", "POST"])
@members_only(*ADMINS)
def upload(request: HttpRequest) -> HttpResponse:
    """Upload a file of JSON lines; the next page says what it would bring."""
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file, speakers = form.cleaned_data["file"], form.cleaned_data["speakers"]
        try:
            found = preview_files.store_preview(request.actor, file, name=file.name, size=file.size)
        except UnreadableImportError as error:
            form.add_error("file", str(error))
        else:
            address = reverse("import-plan", args=[found.id])
            return redirect(f"{address}?{urlencode({'speakers': speakers})}")
    return render(
        request, "memories/jobs/import.html", {"form": form}, status=422 if form.errors else 200
    )


@require_POST
@members_only(*ADMINS)
def upload_example(request: HttpRequest) -> HttpResponse:
    """Take the example of the documentation as the file."""
    return redirect("import-plan", preview_files.store_example_preview(request.actor).id)


@require_http_methods(["GET", "POST"])
@never_cache
@members_only(*ADMINS)
def import_plan(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    """What a kept file would bring, and who would read it; sent, it is imported."""
    given = request.POST if request.method == "POST" else request.GET
    by_group, now = given.get("speakers") == "group", timezone.now()
    form = ImportChoiceForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        seated = form.cleaned_data["sit"] == "yes"
        job = preview_files.import_preview(
            request.actor, preview_id, by_group=by_group, seated=seated, now=now
        )
        return redirect("job", job.id)
    preview, plan = preview_files.plan_preview(
        request.actor, preview_id, by_group=by_group, now=now
    )
    context = plan_context(plan, preview) | {"form": form, "by_group": by_group}
    status = 422 if form.errors else 200
    return render(request, "memories/jobs/import_plan.html", context, status=status)
