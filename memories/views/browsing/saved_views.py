"""Filters under a name of one's own."""

from urllib.parse import parse_qsl, urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memories.browsing.saved_views import TooManyViews, delete_saved_view, set_saved_view
from memories.views.forms.memory_forms import SaveViewForm
from orgs.views.page_access import members_only


def _list_url(query: str) -> str:
    return f"{reverse('library')}?{query}" if query else reverse("library")


@require_POST
@members_only()
def save_view(request: HttpRequest) -> HttpResponse:
    """Keep the filters of the list; the same name again replaces them."""
    form = SaveViewForm(request.POST)
    form.is_valid()
    query = urlencode(parse_qsl(form.cleaned_data.get("query", "")))
    if form.is_valid():
        try:
            set_saved_view(request.actor, name=form.cleaned_data["name"], query=query)
        except TooManyViews as error:
            messages.error(request, str(error))
        else:
            messages.success(request, f"Kept as “{form.cleaned_data['name']}”. Only you see it.")
    else:
        messages.error(request, "Give it a name of up to 60 characters.")
    return redirect(_list_url(query))


@require_POST
@members_only()
def delete_view(request: HttpRequest) -> HttpResponse:
    """Drop one of one's own; the memories stay."""
    form = SaveViewForm(request.POST)
    if form.is_valid():
        delete_saved_view(request.actor, name=form.cleaned_data["name"])
        messages.success(request, "Removed. The memories stay as they are.")
    return redirect("library")
