"""What the command palette finds, as JSON for its script."""

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memories.browsing.palette.search import PaletteResult, search_palette
from orgs.views.page_access import ADMINS, members_only

RESULT_PAGES = {
    "memory": ("memory-page", "Memory", "memories"),
    "person": ("person", "Person", "me"),
    "group": ("group-page", "Group", "people"),
    "robot": ("robot-page", "Robot", "robots"),
    "view": ("library", "Saved view", "filter"),
}


@require_safe
@never_cache
@members_only()
def palette(request: HttpRequest) -> JsonResponse:
    """What has the letters of `q`: {found: [{label, kind, icon, url}]}."""
    found = search_palette(request.actor, request.GET.get("q", ""), now=timezone.now())
    return JsonResponse({"found": [_result_row(one, request.actor.role) for one in found]})


def _result_row(one: PaletteResult, role: str) -> dict[str, str]:
    """A person leads admins to their page, and others to what is remembered about them."""
    name, kind, icon = RESULT_PAGES[one.kind]
    if one.kind == "view":
        url = f"{reverse(name)}?{one.query}"
    elif one.kind == "person" and role not in ADMINS:
        url = f"{reverse('library')}?member={one.id}"
    else:
        url = reverse(name, args=[one.id])
    return {"label": " ".join(one.label.split()), "kind": kind, "icon": icon, "url": url}
