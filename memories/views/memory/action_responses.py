"""The response to an act in the side panel or in a row, so that the list is not reloaded.

With scripts the answer is empty and names events (`static/js/acts.js`); without them it is a
redirect.
"""

from urllib.parse import urlsplit
from uuid import UUID

from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import Resolver404, resolve, reverse
from django_htmx.http import trigger_client_event

from memories.views.forms.search_forms import MemoryFilterForm

SAVED_EVENT, GONE_EVENT, BACK_EVENT = "memory-saved", "memory-gone", "memory-back"
PANEL_TARGET_ID = "panel-body"
# Pages that list memories, by the names of their addresses.
LIST_PAGES = ("home", "library", "knowledge", "me", "persona-page")


def is_panel_request(request: HttpRequest) -> bool:
    """Whether the side panel asks."""
    return bool(request.htmx.target == PANEL_TARGET_ID)


def event_response(
    event: str, memory_id: UUID, text: str, *, undo: str = "", level: str = "success"
) -> HttpResponse:
    """An empty response with an event for the page: what happened to which memory, the Undo
    address."""
    note = ("toast", {"text": text, "undo": undo, "level": level})
    act = (event, {"id": str(memory_id)})
    response = HttpResponse(status=204)
    # The event that removes the element that sent the request (with its row or its note) comes
    # last.
    for name, detail in (note, act) if event == GONE_EVENT else (act, note):
        trigger_client_event(response, name, detail)
    return response


def error_response(text: str) -> HttpResponse:
    """Nothing was changed, and why."""
    response = HttpResponse(status=204)
    return trigger_client_event(response, "toast", {"text": text, "undo": "", "level": "error"})


def list_query(query: str) -> str:
    """What of an address belongs to the list that somebody came from."""
    form = MemoryFilterForm(QueryDict(query))
    form.is_valid()
    return form.query()


def find_origin_list_url(request: HttpRequest) -> str | None:
    """The list as it was, with its question and filters; None where the act came from none."""
    came = urlsplit(request.META.get("HTTP_REFERER", ""))
    if came.netloc != request.get_host():
        return None
    try:
        name = resolve(came.path).url_name
    except Resolver404:
        return None
    if name in LIST_PAGES:
        return f"{came.path}?{came.query}" if came.query else came.path
    if name == "memory-page":
        query = list_query(came.query)
        return f"{reverse('library')}?{query}" if query else reverse("library")
    return None
