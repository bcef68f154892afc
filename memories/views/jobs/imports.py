"""Bring a file in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memories.ingestion.file_import.uploads import Unreadable, begin_import
from memories.views.forms.memories import ImportForm
from orgs.views.access import ADMINS, members_only


@require_http_methods(["GET", "POST"])
@members_only(*ADMINS)
def bring_in(request: HttpRequest) -> HttpResponse:
    """Upload a file of JSON lines; a worker imports it."""
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            job = begin_import(
                request.actor,
                file,
                name=file.name,
                size=file.size,
                by_group=form.cleaned_data["speakers"] == "group",
                keep=form.cleaned_data["keep"],
                now=timezone.now(),
            )
        except Unreadable as error:
            form.add_error("file", str(error))
        else:
            return redirect("job", job.id)
    return render(
        request, "memories/jobs/import.html", {"form": form}, status=422 if form.errors else 200
    )
