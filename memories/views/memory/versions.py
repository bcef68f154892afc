"""How a memory changed, and an older version brought back."""

from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from memories.browsing import memory_pages
from memories.browsing.memory_versions import (
    MemoryVersion,
    SupersedeNote,
    VersionPage,
    list_versions,
)
from memories.browsing.word_diff import diff_words
from memories.curation.edit_memory import OutdatedVersionError, restore_version
from memories.language.excerpts import excerpt
from memories.language.text_limits import MAX_COMPARISON_STEPS, WorkBudget
from memories.review.models import Proposal
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.views import memory_presenter, origin_presenter
from memories.views.forms import search_forms
from memories.views.insights.audit_labels import BY_ITSELF, POLICY_LABELS
from memories.views.memory import action_responses
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.page_access import WRITERS, members_only
from robots.registry.robots import IMPORT

OLDER_WAITS = lazy_text("The older text waits for a curator; the words of now stay until then.")
PAGE_SIZE = 20
MAX_TEXT_CHARACTERS = 1500


def version_rows(
    found: VersionPage, memory: Memory, me: object, *, changeable: bool
) -> list[dict[str, Any]]:
    """For components/timeline.html: each version beside the one before it."""
    may = (
        changeable
        and not memory.red_line
        and memory.status in (Status.ACTIVE, Status.PENDING_REVIEW)
    )
    pairs: list[tuple[MemoryVersion, MemoryVersion | None]] = [*pairwise(found.versions)]
    if found.versions:
        pairs.append((found.versions[-1], None))
    budget = WorkBudget(MAX_COMPARISON_STEPS)
    return [
        {
            "number": past.number,
            "at": past.at,
            "current": past.current,
            **_editor_names(past, me),
            "reason": _change_sentence(past, older),
            "newer_url": reverse("memory-page", args=[past.note.newer_id])
            if past.note and past.note.newer_id
            else "",
            "diff": _diff_parts(past, older, budget),
            "restore_url": _restore_url(memory, past) if may and not past.current else "",
        }
        for past, older in pairs
    ]


def _restore_url(memory: Memory, past: MemoryVersion) -> str:
    """Names the version that was on the screen, so that a later change is not overwritten."""
    url = reverse("memory-version-restore", args=[memory.id, past.number])
    return f"{url}?seen={memory.version}"


def undo_url(saved: Memory) -> str:
    """The address that brings what a change replaced back, as long as nobody changes it again."""
    url = reverse("memory-version-restore", args=[saved.id, saved.version - 1])
    return f"{url}?seen={saved.version}"


def _editor_names(past: MemoryVersion, me: object) -> dict[str, str]:
    if past.note and past.note.policy:
        return {"who": "", "robot": BY_ITSELF}
    robot = origin_presenter.robot_name(past.robot) if past.robot else ""
    if past.robot and past.robot.builtin == IMPORT:
        robot = gettext("An import")
    if past.member is None:
        return {"who": "", "robot": robot or gettext("Somebody")}
    return {"who": gettext("You") if past.member.id == me else past.member.name, "robot": robot}


def _change_sentence(past: MemoryVersion, older: MemoryVersion | None) -> str:
    if past.number == 1:
        return gettext("the first version")
    if past.note is not None:
        return _note_sentence(past.note)
    if older is None:
        return ""
    parts = [
        words
        for changed, words in (
            (past.content != older.content, gettext("changed the text")),
            (past.category != older.category, gettext("changed the category")),
            (past.importance != older.importance, gettext("changed how important it is")),
            (past.tags != older.tags, gettext("changed the tags")),
            (past.metadata != older.metadata, gettext("changed the details")),
            (past.expires_at != older.expires_at, gettext("changed how long it is kept")),
            (past.audience_label != older.audience_label, gettext("changed who can read it")),
        )
        if changed
    ]
    return gettext(" and ").join(parts)


def _note_sentence(note: SupersedeNote) -> str:
    said = (
        gettext("noted that it holds again")
        if note.again
        else gettext("noted that a newer memory holds instead")
    )
    return ", ".join(str(one) for one in (said, POLICY_LABELS.get(note.policy, "")) if one)


def _diff_parts(
    past: MemoryVersion, older: MemoryVersion | None, budget: WorkBudget
) -> list[dict[str, str]]:
    if older is None:
        return [{"op": "same", "text": excerpt(past.content, set(), MAX_TEXT_CHARACTERS)}]
    same = past.content == older.content
    return [] if same else diff_words(older.content, past.content, budget)


# The life of a fact as a line: fewer marks than these are no line.
MIN_MARKS = 2
# In thousandths of the line; marks of one moment are drawn side by side.
MARK_DISTANCE = 22


def fact_life(found: memory_pages.MemoryDetailPage, now: datetime) -> dict[str, Any] | None:
    """When it was said, said again, changed, disputed and replaced, for memories/memory/life.html;
    None where nothing happened since it was said.

    Each mark: x (0-1000, by time), tone, words, at, url.
    """
    memory = found.shown.memory
    marks = [{"at": origin_presenter.memory_time(memory), "words": gettext("Said"), "tone": ""}]
    marks += [
        {
            "at": one.last_at,
            "words": gettext("Said again, %(count)s times in all")
            % {"count": format_number(one.count)},
            "tone": "good",
        }
        for one in found.contributions
        if one.count > 1
    ]
    marks += [
        {"at": one.first_at, "words": gettext("Confirmed by another source"), "tone": "good"}
        for one in found.contributions[1:]
        if one.count == 1
    ]
    # Being superseded makes a version as well, and is told as what it is.
    ends = memory.valid_until if memory.valid_until and memory.valid_until <= now else None
    marks += [
        {"at": newer.at, "words": gettext("Changed"), "tone": ""}
        for newer, older in pairwise(found.history.versions)
        if newer.content != older.content
    ]
    marks += [
        {
            "at": max(memory.created_at, other.created_at),
            "words": gettext("Disputed: another memory says otherwise"),
            "tone": "warn",
            "url": reverse("memory-page", args=[other.id]),
        }
        for other in found.disputed_by
    ]
    if ends:
        newer_url = reverse("memory-page", args=[memory.holds_now]) if memory.holds_now else ""
        words = (
            gettext("Replaced by a newer one")
            if memory.superseded_by_id
            else gettext("No longer true")
        )
        marks.append({"at": ends, "words": words, "tone": "quiet", "url": newer_url})
    if len(marks) < MIN_MARKS:
        return None
    marks.sort(key=lambda one: one["at"])
    first, last = marks[0]["at"], max(now, marks[-1]["at"])
    span = (last - first).total_seconds() or 1.0
    spread = -MARK_DISTANCE
    for one in marks:
        by_time = round(1000 * (one["at"] - first).total_seconds() / span)
        one["x"] = spread = min(max(by_time, spread + MARK_DISTANCE), 1000)
    return {"marks": marks}


@require_safe
@members_only()
def version_list(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """All versions, a page at a time."""
    form = search_forms.VersionCursorForm(request.GET)
    form.is_valid()
    before = form.cleaned_data.get("before")
    shown = memory_pages.get_listed_memory(
        request.actor, memory_id, organisation=request.membership[1].name
    )
    found = list_versions(request.actor, memory_id, limit=PAGE_SIZE, before=before)
    here = reverse("memory-versions", args=[memory_id])
    context = {
        "memory": memory_presenter.memory_context(shown.memory, request.actor.member_id),
        "versions": version_rows(
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
def restore_version_view(request: HttpRequest, memory_id: UUID, number: int) -> HttpResponse:
    """An older version becomes the newest; a change in between is shown, never overwritten."""
    seen = search_forms.SeenVersionForm(request.GET)
    seen.is_valid()
    try:
        memory = restore_version(
            request.actor,
            memory_id,
            number,
            version=seen.cleaned_data.get("seen") or 0,
            now=timezone.now(),
        )
    except OutdatedVersionError as error:
        if request.htmx:
            return action_responses.error_response(
                gettext("Somebody has changed it meanwhile, so it stays as it is now.")
            )
        return _render_conflict(request, error.memory, number)
    if isinstance(memory, Proposal):
        if request.htmx:
            return action_responses.event_response(
                action_responses.SAVED_EVENT, memory_id, OLDER_WAITS
            )
        messages.info(request, OLDER_WAITS)
        return redirect("memory-page", memory_id)
    text, undo = gettext("The older text is back."), undo_url(memory)
    if request.htmx:
        return action_responses.event_response(
            action_responses.SAVED_EVENT, memory_id, text, undo=undo
        )
    messages.success(request, text, extra_tags=undo)
    return redirect("memory-page", memory_id)


def _render_conflict(request: HttpRequest, memory: Memory, number: int) -> HttpResponse:
    """What the memory says now beside what would come back; asked again, it is done knowingly."""
    older = list_versions(request.actor, memory.id, limit=1, before=number + 1).versions[0]
    url = reverse("memory-version-restore", args=[memory.id, number])
    context = {
        "memory": memory_presenter.memory_context(memory, request.actor.member_id),
        "diff": diff_words(memory.content, older.content),
        "restore_url": f"{url}?seen={memory.version}",
        "back_url": reverse("memory-page", args=[memory.id]),
    }
    return render(request, "memories/memory/restore.html", context, status=409)
