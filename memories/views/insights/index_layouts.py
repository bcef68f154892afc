"""Index layouts: which of the two are on, for those who choose how recall searches."""

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memories.indexing.projections import (
    ProjectionState,
    list_projections,
    switch_projection,
)
from orgs.languages.page_text import lazy_text
from orgs.views.page_access import MODERATOR_ROLES, members_only

STATE_LABELS = {
    "off": lazy_text("Off"),
    "filling": lazy_text("Being filled: a search in it finds less than there is"),
    "ready": lazy_text("Ready"),
    "stopped": lazy_text("The filling stopped: press to fill it again"),
}
LAYOUT_LABELS = {
    "graph": lazy_text("Who knows what"),
    "partitions": lazy_text("Partitions by kind"),
}


@require_safe
@members_only(*MODERATOR_ROLES)
def index_layouts(request: HttpRequest) -> HttpResponse:
    """Each layout with its state and size."""
    request.stands_under = reverse("playground")
    layouts = [_layout(one) for one in list_projections(request.actor)]
    return render(request, "memories/insights/index_layouts.html", {"layouts": layouts})


@require_POST
@members_only(*MODERATOR_ROLES)
def switch_layout(request: HttpRequest) -> HttpResponse:
    """Switch an index layout on or off, and go back to the page."""
    form = LayoutForm(request.POST)
    if not form.is_valid():
        raise Http404
    data = form.cleaned_data
    switch_projection(request.actor, data["name"], on=data["on"] == "1", now=timezone.now())
    return redirect("index-layouts")


class LayoutForm(forms.Form):
    """Which layout, and whether it is to be on."""

    name = forms.ChoiceField(choices=[(name, name) for name in LAYOUT_LABELS])
    on = forms.ChoiceField(choices=[("1", "on"), ("0", "off")])


def _layout(one: ProjectionState) -> dict[str, Any]:
    return {
        "label": LAYOUT_LABELS[one.name],
        "name": one.name,
        "strategy": one.strategy,
        "state": STATE_LABELS[one.state],
        "rows": one.rows,
        "enabled": one.enabled,
    }
