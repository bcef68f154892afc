"""Memories as the templates want them: plain dictionaries, sentences instead of columns."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from memories.access.audience_summary import AudienceSummary
from memories.browsing.memory_pages import ListedMemory, MemoryDetailPage, MemoryListPage
from memories.language.excerpts import excerpt, excerpt_around, highlight_parts
from memories.lifecycle.decay import compute_strength_at
from memories.restatement.models import Restatement, RestatementSource
from memories.retrieval.answering.confidence import NO
from memories.store.models.choices import ArchiveReason, Category, Status
from memories.store.models.memory import Memory
from memories.store.models.version import Contribution
from memories.store.speakers.attribution import with_marked_speaker
from memories.store.tag_names import LEVEL_SEPARATOR
from memories.store.text_parts import TextPart
from memories.views.origin_presenter import (
    inline_name,
    memory_time,
    person_name,
    reworder_name,
    speaker_name,
    voice_name,
    writer_robot_name,
)
from orgs.languages.page_text import choice_label, format_number, lazy_text
from orgs.models.audiences import AudienceType
from orgs.views.time_formats import day
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME
from robots.registry.robots import IMPORT

# Results that answer a question, and folded beneath them those that do not.

Row = dict[str, Any]


def split_irrelevant(rows: Sequence[Row], answered: str) -> dict[str, Any]:
    """For components/folded.html and the list: memories, folded and whether nothing answers.

    Each row says whether it is folded; the order stays within both.
    """
    return {
        "memories": [row for row in rows if not row["folded"]],
        "folded": [row for row in rows if row["folded"]],
        "unanswered": answered == NO and bool(rows),
    }


def answer_context(page: MemoryListPage, *, me: object) -> dict[str, Any]:
    """For components/answer.html: the sentences that answer, in their memories, and what says
    otherwise."""
    memories = {one.memory.id: one.memory for one in page.rows}
    return {
        "answers": [
            _answer_row(memories[span.memory], span.start, span.end, me) for span in page.answers
        ],
        "otherwise": [
            _answer_row(memory, 0, 0, me) | {"content": excerpt(memory.content, set())}
            for memory in (memories[id_] for id_ in page.disagrees)
        ],
    }


def _answer_row(memory: Memory, start: int, end: int, me: object) -> Row:
    before, sentence, after = excerpt_around(memory.content, start, end)
    return {
        "url": reverse("memory-page", args=[memory.id]),
        "before": before,
        "sentence": sentence,
        "after": after,
        "said_by": voice_name(memory, me),
        "learned_at": memory_time(memory),
        "held": validity_sentence(memory),
    }


CATEGORY_LABELS = {
    Category.ORG_FACT: lazy_text("Organisation fact"),
    Category.ORG_POLICY: lazy_text("Policy"),
    Category.ORG_DECISION: lazy_text("Organisation decision"),
    Category.TEAM_MEMBER: lazy_text("Team member"),
    Category.PROJECT_INFO: lazy_text("Project"),
}
STATUS_BADGES = {
    Status.PENDING_REVIEW: (lazy_text("Waiting for review"), "warn"),
    Status.QUARANTINED: (lazy_text("Held back"), "bad"),
    Status.ARCHIVED: (lazy_text("Archived"), ""),
    Status.FORGOTTEN: (lazy_text("Forgotten"), "bad"),
}

ARCHIVE_REASON_SENTENCES = {
    ArchiveReason.AGE: lazy_text("it was older than memories of its type are kept"),
    ArchiveReason.HALF_LIFE: lazy_text("it was older than twice the half-life of its tier"),
    ArchiveReason.NUMBER: (
        lazy_text("there were more memories than are kept, and it was of the least important")
    ),
    ArchiveReason.STALE: lazy_text("nobody had confirmed it for long"),
}


def category_label(category: str) -> str:
    """A category in words."""
    return CATEGORY_LABELS.get(category) or choice_label(Category(category))


def memory_category_label(memory: Memory) -> str:
    """The category in words, empty where there is none."""
    return category_label(memory.category) if memory.category else ""


def status_badge(memory: Memory) -> dict[str, str] | None:
    """Nothing for an active memory."""
    words = STATUS_BADGES.get(Status(memory.status))
    return {"label": words[0], "tone": words[1]} if words else None


def audience_badge(
    readers: AudienceSummary, memory: Memory | None = None, *, place: UUID | None = None
) -> dict[str, Any]:
    """url: the list of them by name; sheet_url: each reader of the memory, and why, or of what is
    in the audience `place`. Of a forgotten memory: who read it before."""
    if memory is not None and (notice := forgotten_notice(memory)):
        return notice | {"label": gettext("Before: %(label)s") % {"label": readers.label}}
    url = ""
    if readers.kind == AudienceType.ORGANISATION:
        url = reverse("people")
    elif readers.kind == AudienceType.GROUP and readers.group:
        url = reverse("group-page", args=[readers.group])
    sheet = reverse("audience-readers", args=[place]) if place else ""
    if memory is not None:
        sheet = reverse("memory-readers", args=[memory.id])
    # Not `asdict`, which copies every reader of every row.
    known = {one.name: getattr(readers, one.name) for one in fields(readers)}
    return known | {"url": sheet or url, "sheet_url": sheet}


def memory_row(
    shown: ListedMemory,
    *,
    me: object,
    now: datetime,
    wanted: frozenset[str],
    part: TextPart | None = None,
) -> dict[str, Any]:
    """For components/memory_row.html. wanted: the stems to mark. part: of a long text, from which
    the excerpt is taken."""
    memory = shown.memory
    text = excerpt(memory.content[part.start : part.end] if part else memory.content, wanted)
    active = memory.status == Status.ACTIVE
    may, goes = shown.changeable and active, shown.forgettable and active
    return {
        "id": memory.id,
        "url": reverse("memory-page", args=[memory.id]),
        "content": text,
        "parts": highlight_parts(text, wanted) if wanted else None,
        "audience": audience_badge(shown.readers, memory),
        "said_by": speaker_name(memory, me),
        "robot": writer_robot_name(memory),
        "reworded_by": reworder_name(memory, me),
        "protected": memory.red_line,
        "held": validity_sentence(memory),
        "learned_at": memory_time(memory),
        "category": memory_category_label(memory),
        "strength": compute_strength_at(memory, now),
        "status": status_badge(memory),
        "edit_url": reverse("memory-edit", args=[memory.id]) if may else "",
        "forget_url": reverse("memory-forget", args=[memory.id]) if goes else "",
    }


def importance_label(value: float) -> str:
    if value >= 0.75:
        return gettext("High")
    return gettext("Normal") if value >= 0.4 else gettext("Low")


def subject_name(memory: Memory, me: object) -> str:
    return person_name(memory.member, me)


def memory_context(memory: Memory, me: object) -> dict[str, Any]:
    """For memories/memory/detail.html."""
    changed = memory.version > 1
    expires = memory.expires_at
    return {
        "content": memory.content,
        "url": reverse("memory-page", args=[memory.id]),
        "category": memory_category_label(memory),
        "tags": tag_links(memory.tags),
        "importance": importance_label(memory.importance),
        "created_at": memory.created_at,
        "updated_at": memory.updated_at if changed else None,
        "expires": gettext("until %(expires)s") % {"expires": day(expires)} if expires else "",
        "subject": subject_name(memory, me),
        "status": status_badge(memory),
        "protected": protection_context(memory, me),
        "held": validity_sentence(memory),
        "holds_url": reverse("memory-page", args=[memory.holds_now]) if memory.holds_now else "",
        "archived": archive_reason(memory),
        "shareable": memory.shareable and can_be_shareable(memory),
        "sensitive": memory.sensitive,
    }


def tag_links(tags: Sequence[str]) -> list[dict[str, str]]:
    """The tags with the address of their list; without those that another one implies."""
    return [
        {"label": tag, "url": f"{reverse('library')}?{urlencode({'tag': tag})}"}
        for tag in tags
        if not any(other.startswith(f"{tag}{LEVEL_SEPARATOR}") for other in tags)
    ]


def validity_sentence(memory: Memory) -> str:
    """From and until when it was or will be true, if that was said or decided."""
    now, since, until = timezone.now(), memory.valid_from, memory.valid_until
    start = gettext(" from %(since)s") % {"since": day(since)} if since else ""
    if since and since > now:
        end = gettext(" until %(until)s") % {"until": day(until)} if until else ""
        return gettext("Will be true%(start)s%(end)s") % {"start": start, "end": end}
    if until is None:
        return gettext("Is true%(start)s") % {"start": start} if start else ""
    words = (
        gettext("Was true%(start)s until %(until)s")
        if until <= now
        else gettext("Is true%(start)s until %(until)s")
    )
    return words % {"start": start, "until": day(until)}


def archive_reason(memory: Memory) -> dict[str, Any] | None:
    """Which rule of the organisation's policy archived it, and when; None where somebody did."""
    if memory.status != Status.ARCHIVED or not memory.archived_for:
        return None
    return {
        "why": ARCHIVE_REASON_SENTENCES[ArchiveReason(memory.archived_for)],
        "at": memory.archived_at,
    }


def protection_context(memory: Memory, me: object) -> dict[str, Any] | None:
    """Why it is protected, by whom and since when."""
    if not memory.red_line:
        return None
    return {
        "reason": memory.red_line_reason,
        "by": inline_name(person_name(memory.red_line_by, me)) or gettext("somebody"),
        "at": memory.red_line_at,
    }


def can_be_shareable(memory: Memory) -> bool:
    """Whether the flag means anything: only a group's rows can be said outside it."""
    return memory.audience.kind == AudienceType.GROUP


def restatement_context(memory: Memory, row: Restatement | None) -> dict[str, Any] | None:
    """What a memory says on its own and what it names, each name with the list of what names it;
    None if there is nothing to say."""
    if row is None:
        return None
    words = [word for word in row.keywords if not _is_shown_elsewhere(word, row.persons)]
    facts = {
        gettext("People"): _name_links(memory, "person", row.persons),
        gettext("Place"): _name_links(memory, "", [row.location]),
        gettext("Topic"): _name_links(memory, "topic", [row.topic]),
        gettext("Words"): _name_links(memory, "keyword", words),
    }
    named = [(label, names) for label, names in facts.items() if names]
    if not (row.text or named):
        return None
    return {
        "text": with_marked_speaker(memory, row.text),
        "facts": named,
        "by_model": row.source == RestatementSource.LLM,
        "lent": row.lent,
    }


def _name_links(memory: Memory, filter_: str, names: Sequence[str]) -> list[dict[str, str]]:
    """Each name with the address of the memories that name it; none without a filter."""
    url = reverse("library")
    return [
        {
            "name": with_marked_speaker(memory, name),
            "url": f"{url}?{urlencode({filter_: name})}" if filter_ else "",
        }
        for name in names
        if name
    ]


def _is_shown_elsewhere(word: str, persons: Sequence[str]) -> bool:
    """Whether the word is a day or part of a person's name, which are shown already."""
    return word[:4].isdigit() or any(word in name.split() for name in persons)


def short_text(text: str) -> str:
    """The beginning of a text, for one line or two."""
    return excerpt(text, set(), 160)


def memory_link(memory: Memory) -> dict[str, str]:
    """A connected memory, to click on."""
    return {
        "text": short_text(memory.content),
        "url": reverse("memory-page", args=[memory.id]),
    }


def turn_row(memory: Memory, me: object, *, current: bool = False) -> dict[str, Any]:
    """One turn of the conversation that a memory comes from."""
    return {
        "text": excerpt(memory.content, set()),
        "said_by": voice_name(memory, me),
        "at": memory_time(memory),
        "url": "" if current else reverse("memory-page", args=[memory.id]),
        "current": current,
    }


def turn_rows(detail: MemoryDetailPage, me: object) -> list[dict[str, Any]]:
    """The turns around it, itself among them; empty where nothing surrounds it."""
    if not detail.before and not detail.after:
        return []
    memory = detail.shown.memory
    turns = [turn_row(m, me) for m in detail.before]
    return [*turns, turn_row(memory, me, current=True), *(turn_row(m, me) for m in detail.after)]


def contribution_rows(detail: MemoryDetailPage, me: object) -> list[dict[str, Any]]:
    """Who contributed it since when, and how often."""
    return [
        {
            **_contributor(detail.shown.memory, link, me),
            "first_at": link.first_at,
            "last_at": link.last_at if link.count > 1 else None,
            "times": gettext("%(count)s times") % {"count": format_number(link.count)},
        }
        for link in detail.contributions
    ]


def _contributor(memory: Memory, link: Contribution, me: object) -> dict[str, str]:
    if not link.robot.builtin:
        told = memory.told(link.robot)
        name = told.name if told else gettext(HIDDEN_ROBOT_NAME)
        url = reverse("robot-page", args=[told.id]) if told else ""
        return {"name": name, "did": gettext("noted it"), "url": url}
    if link.robot.builtin == IMPORT:
        return {"name": gettext("An import"), "did": gettext("brought it")}
    name = link.member.name if link.member else gettext("Somebody")
    return {
        "name": gettext("You") if link.member_id == me else name,
        "did": gettext("wrote it here"),
    }


def forgotten_notice(memory: Memory) -> dict[str, str] | None:
    """What is shown in the place of the readers of a forgotten memory, which nobody reads."""
    if memory.status != Status.FORGOTTEN:
        return None
    return {
        "kind": "review",
        "sentence": gettext(
            "No answer and no list shows this any more. You can open it because you may "
            "bring it back."
        ),
    }
