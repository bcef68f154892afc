"""How a memory changed, and an older version brought back."""

from itertools import pairwise
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memories.curation.edit import Outdated
from memories.curation.restore_version import restore_version
from memories.language.budget import A_COMPARISON, Budget
from memories.language.excerpts import excerpt
from memories.library import browse
from memories.library.history import History, Past, history
from memories.library.word_diff import differences
from memories.review.models import Proposal
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.views import origins, presenter
from memories.views.forms import library
from memories.views.memory import acts
from orgs.views.access import WRITERS, members_only
from robots.registry.robots import IMPORT

OLDER_WAITS = "The older text waits for a curator; the words of now stay until then."
PAGE = 20
LONG = 1500


def timeline(
    found: History, memory: Memory, me: object, *, changeable: bool
) -> list[dict[str, Any]]:
    """For components/timeline.html: each version beside the one before it."""
    may = (
        changeable
        and not memory.red_line
        and memory.status in (Status.ACTIVE, Status.PENDING_REVIEW)
    )
    pairs: list[tuple[Past, Past | None]] = [*pairwise(found.versions)]
    if found.versions:
        pairs.append((found.versions[-1], None))
    budget = Budget(A_COMPARISON)
    return [
        {
            "number": past.number,
            "at": past.at,
            "current": past.current,
            **_who(past, me),
            "reason": _what_changed(past, older),
            "diff": _diff(past, older, budget),
            "restore_url": _restore_url(memory, past) if may and not past.current else "",
        }
        for past, older in pairs
    ]


def _restore_url(memory: Memory, past: Past) -> str:
    """Names the version that was on the screen, so that a later change is not overwritten."""
    url = reverse("memory-version-restore", args=[memory.id, past.number])
    return f"{url}?seen={memory.version}"


def undo_of(saved: Memory) -> str:
    """The address that brings what a change replaced back, as long as nobody changes it again."""
    url = reverse("memory-version-restore", args=[saved.id, saved.version - 1])
    return f"{url}?seen={saved.version}"


def _who(past: Past, me: object) -> dict[str, str]:
    robot = origins.robot_name(past.robot) if past.robot else ""
    if past.robot and past.robot.builtin == IMPORT:
        robot = "An import"
    if past.member is None:
        return {"who": "", "robot": robot or "Somebody"}
    return {"who": "You" if past.member.id == me else past.member.name, "robot": robot}


def _what_changed(past: Past, older: Past | None) -> str:
    if past.number == 1:
        return "the first version"
    if older is None:
        return ""
    parts = [
        words
        for changed, words in (
            (past.content != older.content, "changed the text"),
            (past.category != older.category, "changed the category"),
            (past.importance != older.importance, "changed how important it is"),
            (past.tags != older.tags, "changed the tags"),
            (past.metadata != older.metadata, "changed the details"),
            (past.expires_at != older.expires_at, "changed how long it is kept"),
            (past.audience_label != older.audience_label, "changed who can read it"),
        )
        if changed
    ]
    return " and ".join(parts)


def _diff(past: Past, older: Past | None, budget: Budget) -> list[dict[str, str]]:
    if older is None:
        return [{"op": "same", "text": excerpt(past.content, set(), LONG)}]
    same = past.content == older.content
    return [] if same else differences(older.content, past.content, budget)


@require_safe
@members_only()
def versions(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """All versions, a page at a time."""
    form = library.HistoryForm(request.GET)
    form.is_valid()
    before = form.cleaned_data.get("before")
    shown = browse.one(request.actor, memory_id, organisation=request.membership[1].name)
    found = history(request.actor, memory_id, limit=PAGE, before=before)
    here = reverse("memory-versions", args=[memory_id])
    context = {
        "memory": presenter.about(shown.memory, request.actor.member_id),
        "versions": timeline(
            found, shown.memory, request.actor.member_id, changeable=shown.changeable
        ),
        "page": {
            "first_url": here if before else "",
            "next_url": f"{here}?before={found.before}" if found.before else "",
        },
        "back_url": reverse("memory-page", args=[memory_id]),
    }
    return render(request, "memories/memory/versions.html", context)


@require_POST
@members_only(*WRITERS)
def restore(request: HttpRequest, memory_id: UUID, number: int) -> HttpResponse:
    """An older version becomes the newest; a change in between is shown, never overwritten."""
    seen = library.SeenForm(request.GET)
    seen.is_valid()
    try:
        memory = restore_version(
            request.actor,
            memory_id,
            number,
            version=seen.cleaned_data.get("seen") or 0,
            now=timezone.now(),
        )
    except Outdated as error:
        if request.htmx:
            return acts.refused("Somebody has changed it meanwhile, so it stays as it is now.")
        return _conflict(request, error.memory, number)
    if isinstance(memory, Proposal):
        if request.htmx:
            return acts.done(acts.SAVED, memory_id, OLDER_WAITS)
        messages.info(request, OLDER_WAITS)
        return redirect("memory-page", memory_id)
    text, undo = "The older text is back.", undo_of(memory)
    if request.htmx:
        return acts.done(acts.SAVED, memory_id, text, undo=undo)
    messages.success(request, text, extra_tags=undo)
    return redirect("memory-page", memory_id)


def _conflict(request: HttpRequest, memory: Memory, number: int) -> HttpResponse:
    """What the memory says now beside what would come back; asked again, it is done knowingly."""
    older = history(request.actor, memory.id, limit=1, before=number + 1).versions[0]
    url = reverse("memory-version-restore", args=[memory.id, number])
    context = {
        "memory": presenter.about(memory, request.actor.member_id),
        "diff": differences(memory.content, older.content),
        "restore_url": f"{url}?seen={memory.version}",
        "back_url": reverse("memory-page", args=[memory.id]),
    }
    return render(request, "memories/memory/restore.html", context, status=409)
