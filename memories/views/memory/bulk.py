"""One change for several memories: a preview of what changes, then the change, then undo."""

from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from memories.curation import bulk_job
from memories.curation.bulk import ACTIONS, BulkPlan, Change, plan
from memories.language.excerpts import excerpt
from memories.library import browse
from memories.views.forms import library, memories
from memories.views.library import filters
from memories.views.memory.readers import would_read
from memories.views.memory.share import sharing_choices
from orgs.organisations.references import as_uuid
from orgs.views.access import WRITERS, members_only

TITLES = {
    "archive": ("Archive {n}", "No answer uses them any more; they can be brought back."),
    "forget": (
        "Forget {n}",
        "They leave every answer and every list. You can bring them back from the trash.",
    ),
    "withdraw": (
        "Take {n} back from sharing",
        "You alone read them then, and robots with your leave. Undo shares them again.",
    ),
    "set": ("Change {n}", "What you leave empty stays as it is."),
    "share": (
        "Change who may read {n}",
        "Whoever you choose can read the texts as they are now, and no older versions.",
    ),
}
DONE = {
    "archive": "Archived {n}.",
    "forget": "Forgot {n}. No answer uses them any more.",
    "withdraw": "Took {n} back from sharing.",
    "set": "Changed {n}.",
    "share": "{n} can now be read by whom you chose.",
}


def how_many(count: int) -> str:
    return "1 memory" if count == 1 else f"{count:,} memories"


@require_POST
@members_only()
def preview(request: HttpRequest) -> HttpResponse:
    """What would change; with `confirm` it is done."""
    action = request.GET.get("action", "")
    # Who only reads may forget what is about them, and nothing else.
    if action not in ACTIONS or (action != "forget" and request.actor.role not in WRITERS):
        raise Http404
    ids = _ids(request)
    if not ids:
        messages.info(request, "Select one or more memories first.")
        return redirect(_back(request))
    form, audiences = _form(request, action)
    if "confirm" in request.POST and (form is None or form.is_valid()):
        return _change(request, ids, _wanted(action, form))
    found = plan(request.actor, ids, action)
    return _page(request, action, ids, found, form, audiences)


def _ids(request: HttpRequest) -> list[UUID]:
    """The selected ones, or all that match the filters of the list."""
    if request.POST.get("all"):
        form = library.LibraryForm(QueryDict(_query(request)))
        form.is_valid()
        selection = filters.selection_of(request.actor, form)
        fold = filters.folds(form, selection)
        return browse.matching_ids(request.actor, selection, now=timezone.now(), fold=fold)
    # Any id may come; which of them the asker may change is decided one by one.
    found = [as_uuid(one) for one in request.POST.getlist("selected")]
    return list(dict.fromkeys(id_ for id_ in found if id_))


def _query(request: HttpRequest) -> str:
    """The filters of the list, made anew so that nothing else gets into an address."""
    return urlencode(parse_qsl(request.POST.get("query", "")[:2000]))


def _back(request: HttpRequest) -> str:
    query, page = _query(request), reverse("me" if _from_mine(request) else "library")
    return f"{page}?{query}" if query else page


def _from_mine(request: HttpRequest) -> bool:
    """Whether the selection was made on My memories, where one goes back to."""
    return request.POST.get("back") == "me"


def _form(request: HttpRequest, action: str) -> tuple[Any, list[dict[str, Any]]]:
    data = request.POST if "confirm" in request.POST else None
    if action == "set":
        return memories.SetForm(data), []
    if action != "share":
        return None, []
    audiences = sharing_choices(request)
    return memories.ShareForm(audiences, data), audiences


def _wanted(action: str, form: Any) -> Change:
    if action == "set":
        return Change(action="set", **form.wanted())
    if action == "share":
        return Change(action="share", **form.placed())
    return Change(action=action)


def _page(
    request: HttpRequest,
    action: str,
    ids: list[UUID],
    found: BulkPlan,
    form: Any,
    audiences: list[dict[str, Any]],
) -> HttpResponse:
    title, text = TITLES[action]
    everything = request.POST.get("all")
    context = {
        "action": action,
        "title": title.format(n=how_many(found.changes)),
        "text": text,
        "changes": found.changes,
        "skipped": [{"count": how_many(n), "reason": reason} for reason, n in found.skipped],
        "sample": [excerpt(row.content, set(), 160) for row in found.sample],
        "rest": found.changes - len(found.sample),
        "waiting": how_many(found.waiting) if found.waiting else "",
        "form": form,
        "audiences": audiences,
        "sheet": would_read(request, audiences, (), found.audiences),
        "everything": everything,
        "selected": [] if everything else ids,
        "query": _query(request),
        "later": len(ids) > bulk_job.AT_ONCE,
        "undoable": action != "share",
        "action_url": f"{reverse('memories-change')}?action={action}",
        "cancel_url": _back(request),
        "back": "me" if _from_mine(request) else "",
    }
    if request.htmx:
        return render(request, "memories/memory/edit.html#newly", context)
    status = 422 if form is not None and form.errors else 200
    return render(request, "memories/memory/edit.html", context, status=status)


def _change(request: HttpRequest, ids: list[UUID], change: Change) -> HttpResponse:
    outcome = bulk_job.change_many(request.actor, ids, change, now=timezone.now())
    if len(ids) > bulk_job.AT_ONCE:
        return redirect("job", outcome.job.id)
    text = DONE[change.action].format(n=how_many(outcome.changed))
    if outcome.skipped:
        text += f" {how_many(outcome.skipped)} stayed as before: {_why(outcome)}."
    undo = reverse("job-undo", args=[outcome.job.id]) if outcome.job.result.get("undo") else ""
    if undo and _from_mine(request):
        undo += "?back=me"
    messages.success(request, text, extra_tags=undo)
    return redirect(_back(request))


def _why(outcome: bulk_job.BulkResult) -> str:
    return str(outcome.job.problems[0]["reason"]).rstrip(".")
