"""One change for several memories: a preview of what changes, then the change, then undo."""

from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from memories.browsing import memory_pages
from memories.curation.bulk_change import (
    BULK_ACTIONS,
    MAX_SYNCHRONOUS,
    BulkChange,
    BulkPreview,
    BulkResult,
    change_memories,
    preview_bulk_change,
)
from memories.language.excerpts import excerpt
from memories.views.browsing import list_filters
from memories.views.forms import memory_forms, search_forms
from memories.views.memory.readers import new_readers_context
from memories.views.memory.share import sharing_choices
from orgs.languages.page_text import format_number, lazy_text
from orgs.organisations.references import parse_uuid
from orgs.views.page_access import WRITERS, members_only

ACTION_TITLES = {
    "archive": (
        lazy_text("Archive {n}"),
        lazy_text("No answer uses them any more; they can be brought back."),
    ),
    "forget": (
        lazy_text("Forget {n}"),
        lazy_text(
            "They leave every answer and every list. You can bring them back from the trash."
        ),
    ),
    "withdraw": (
        lazy_text("Take {n} back from sharing"),
        lazy_text("You alone read them then, and robots with your leave. Undo shares them again."),
    ),
    "set": (lazy_text("Change {n}"), lazy_text("What you leave empty stays as it is.")),
    "share": (
        lazy_text("Change who may read {n}"),
        lazy_text("Whoever you choose can read the texts as they are now, and no older versions."),
    ),
}
DONE_MESSAGES = {
    "archive": lazy_text("Archived {n}."),
    "forget": lazy_text("Forgot {n}. No answer uses them any more."),
    "withdraw": lazy_text("Took {n} back from sharing."),
    "set": lazy_text("Changed {n}."),
    "share": lazy_text("{n} can now be read by whom you chose."),
}


def memory_count_label(count: int) -> str:
    return (
        gettext("1 memory")
        if count == 1
        else gettext("%(count)s memories") % {"count": format_number(count)}
    )


@require_POST
@members_only()
def bulk_change(request: HttpRequest) -> HttpResponse:
    """What would change; with `confirm` it is done."""
    action = request.GET.get("action", "")
    # Who only reads may forget what is about them, and nothing else.
    if action not in BULK_ACTIONS or (action != "forget" and request.actor.role not in WRITERS):
        raise Http404
    ids = _selected_ids(request)
    if not ids:
        messages.info(request, gettext("Select one or more memories first."))
        return redirect(_back_url(request))
    form, audiences = _build_form(request, action)
    if "confirm" in request.POST and (form is None or form.is_valid()):
        return _apply_change(request, ids, _build_change(action, form))
    found = preview_bulk_change(request.actor, ids, action)
    return _render_preview(request, action, ids, found, form, audiences)


def _selected_ids(request: HttpRequest) -> list[UUID]:
    """The selected ones, or all that match the filters of the list."""
    if request.POST.get("all"):
        form = search_forms.MemoryFilterForm(QueryDict(_list_query(request)))
        form.is_valid()
        selection = list_filters.parse_selection(request.actor, form)
        fold = list_filters.should_fold(form, selection)
        return memory_pages.list_matching_ids(
            request.actor, selection, now=timezone.now(), fold=fold
        )
    # Any id may come; which of them the asker may change is decided one by one.
    found = [parse_uuid(one) for one in request.POST.getlist("selected")]
    return list(dict.fromkeys(id_ for id_ in found if id_))


def _list_query(request: HttpRequest) -> str:
    """The filters of the list, made anew so that nothing else gets into an address."""
    return urlencode(parse_qsl(request.POST.get("query", "")[:2000]))


def _back_url(request: HttpRequest) -> str:
    query, page = (
        _list_query(request),
        reverse("me" if _is_from_my_memories(request) else "library"),
    )
    return f"{page}?{query}" if query else page


def _is_from_my_memories(request: HttpRequest) -> bool:
    """Whether the selection was made on My memories, where one goes back to."""
    return request.POST.get("back") == "me"


def _build_form(request: HttpRequest, action: str) -> tuple[Any, list[dict[str, Any]]]:
    data = request.POST if "confirm" in request.POST else None
    if action == "set":
        return memory_forms.BulkChangeForm(data), []
    if action != "share":
        return None, []
    audiences = sharing_choices(request)
    return memory_forms.BulkShareForm(audiences, data), audiences


def _build_change(action: str, form: Any) -> BulkChange:
    if action == "set":
        return BulkChange(action="set", **form.wanted())
    if action == "share":
        return BulkChange(action="share", **form.placed())
    return BulkChange(action=action)


def _render_preview(
    request: HttpRequest,
    action: str,
    ids: list[UUID],
    found: BulkPreview,
    form: Any,
    audiences: list[dict[str, Any]],
) -> HttpResponse:
    title, text = ACTION_TITLES[action]
    everything = request.POST.get("all")
    context = {
        "action": action,
        "title": title.format(n=memory_count_label(found.changes)),
        "text": text,
        "changes": found.changes,
        "skipped": [
            {"count": memory_count_label(n), "reason": reason} for reason, n in found.skipped
        ],
        "sample": [excerpt(row.content, set(), 160) for row in found.sample],
        "rest": found.changes - len(found.sample),
        "waiting": memory_count_label(found.waiting) if found.waiting else "",
        "form": form,
        "audiences": audiences,
        "sheet": new_readers_context(request, audiences, (), found.audiences),
        "everything": everything,
        "selected": [] if everything else ids,
        "query": _list_query(request),
        "later": len(ids) > MAX_SYNCHRONOUS,
        "undoable": action != "share",
        "action_url": f"{reverse('memories-change')}?action={action}",
        "cancel_url": _back_url(request),
        "back": "me" if _is_from_my_memories(request) else "",
    }
    if request.htmx:
        return render(request, "memories/memory/edit.html#newly", context)
    status = 422 if form is not None and form.errors else 200
    return render(request, "memories/memory/edit.html", context, status=status)


def _apply_change(request: HttpRequest, ids: list[UUID], change: BulkChange) -> HttpResponse:
    outcome = change_memories(request.actor, ids, change, now=timezone.now())
    if len(ids) > MAX_SYNCHRONOUS:
        return redirect("job", outcome.job.id)
    text = DONE_MESSAGES[change.action].format(n=memory_count_label(outcome.changed))
    if outcome.skipped:
        text += gettext(" %(skipped)s stayed as before: %(outcome)s.") % {
            "skipped": memory_count_label(outcome.skipped),
            "outcome": _skip_reason(outcome),
        }
    undo = reverse("job-undo", args=[outcome.job.id]) if outcome.job.result.get("undo") else ""
    if undo and _is_from_my_memories(request):
        undo += "?back=me"
    messages.success(request, text, extra_tags=undo)
    return redirect(_back_url(request))


def _skip_reason(outcome: BulkResult) -> str:
    return str(outcome.job.problems[0]["reason"]).rstrip(".")
