"""Import a file of conversations: upload, preview, import."""

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from memories.ingestion.file_import import previews
from memories.ingestion.file_import.uploads import Unreadable
from memories.views.forms.memories import ImportChoiceForm, ImportForm
from memories.views.jobs.plan_words import in_words
from orgs.views.access import ADMINS, members_only


@require_http_methods(["GET", "POST"])
@members_only(*ADMINS)
def bring_in(request: HttpRequest) -> HttpResponse:
    """Upload a file of JSON lines; the next page says what it would bring."""
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file, speakers = form.cleaned_data["file"], form.cleaned_data["speakers"]
        try:
            found = previews.keep(request.actor, file, name=file.name, size=file.size)
        except Unreadable as error:
            form.add_error("file", str(error))
        else:
            address = reverse("import-plan", args=[found.id])
            return redirect(f"{address}?{urlencode({'speakers': speakers})}")
    return render(
        request, "memories/jobs/import.html", {"form": form}, status=422 if form.errors else 200
    )


@require_POST
@members_only(*ADMINS)
def example(request: HttpRequest) -> HttpResponse:
    """Take the example of the documentation as the file."""
    return redirect("import-plan", previews.keep_example(request.actor).id)


@require_http_methods(["GET", "POST"])
@never_cache
@members_only(*ADMINS)
def planned(request: HttpRequest, preview_id: UUID) -> HttpResponse:
    """What a kept file would bring, and who would read it; sent, it is imported."""
    given = request.POST if request.method == "POST" else request.GET
    by_group, now = given.get("speakers") == "group", timezone.now()
    form = ImportChoiceForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        seated = form.cleaned_data["sit"] == "yes"
        job = previews.begin(request.actor, preview_id, by_group=by_group, seated=seated, now=now)
        return redirect("job", job.id)
    preview, plan = previews.look(request.actor, preview_id, by_group=by_group, now=now)
    context = in_words(plan, preview) | {"form": form, "by_group": by_group}
    status = 422 if form.errors else 200
    return render(request, "memories/jobs/import_plan.html", context, status=status)
