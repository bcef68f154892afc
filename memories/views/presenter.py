"""Memories as the templates want them: plain dictionaries, sentences instead of columns."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from memories.access.reader_sentences import AudienceSentence
from memories.language.excerpts import excerpt, marked
from memories.library.browse import Detail, ListedMemory
from memories.library.tier_history import strength_at
from memories.restatement.models import Origin, Restatement
from memories.store.models.choices import ArchivedFor, Category, Status
from memories.store.models.contribution import Contribution
from memories.store.models.memory import Memory
from memories.store.speakers.attribution import with_marked_speaker
from memories.store.tag_names import BETWEEN
from memories.views.origins import (
    in_sentence,
    person_name,
    reworded_by,
    said_by,
    teller_name,
    when,
)
from orgs.models.audiences import AudienceKind
from orgs.views.moments import day
from robots.registry.robots import IMPORT
from robots.registry.who_taught import A_PERSONAL_ROBOT

CATEGORIES = {
    Category.ORG_FACT: "Organisation fact",
    Category.ORG_POLICY: "Policy",
    Category.ORG_DECISION: "Organisation decision",
    Category.TEAM_MEMBER: "Team member",
    Category.PROJECT_INFO: "Project",
}
STATUSES = {
    Status.PENDING_REVIEW: ("Waiting for review", "warn"),
    Status.QUARANTINED: ("Held back", "bad"),
    Status.ARCHIVED: ("Archived", ""),
    Status.FORGOTTEN: ("Forgotten", "bad"),
}

ARCHIVED_FOR = {
    ArchivedFor.AGE: "it was older than memories of its type are kept",
    ArchivedFor.HALF_LIFE: "it was older than twice the half-life of its tier",
    ArchivedFor.NUMBER: "there were more memories than are kept, and it was of the least important",
    ArchivedFor.STALE: "nobody had confirmed it for long",
}


def called(category: str) -> str:
    """A category in words."""
    return CATEGORIES.get(category) or Category(category).label


def category(memory: Memory) -> str:
    """The category in words, empty where there is none."""
    return called(memory.category) if memory.category else ""


def status(memory: Memory) -> dict[str, str] | None:
    """Nothing for an active memory."""
    words = STATUSES.get(Status(memory.status))
    return {"label": words[0], "tone": words[1]} if words else None


def audience(
    readers: AudienceSentence, memory: Memory | None = None, *, place: UUID | None = None
) -> dict[str, Any]:
    """url: the list of them by name; sheet_url: each reader of the memory, and why, or of what is
    in the audience `place`."""
    url = ""
    if readers.kind == AudienceKind.ORGANISATION:
        url = reverse("people")
    elif readers.kind == AudienceKind.GROUP and readers.group:
        url = reverse("group-page", args=[readers.group])
    sheet = reverse("audience-readers", args=[place]) if place else ""
    if memory is not None and memory.status != Status.FORGOTTEN:
        sheet = reverse("memory-readers", args=[memory.id])
    # Not `asdict`, which copies every reader of every row.
    known = {one.name: getattr(readers, one.name) for one in fields(readers)}
    return known | {"url": sheet or url, "sheet_url": sheet}


def row(
    shown: ListedMemory, *, me: object, now: datetime, wanted: frozenset[str]
) -> dict[str, Any]:
    """For components/memory_row.html. wanted: the stems to mark."""
    memory = shown.memory
    text = excerpt(memory.content, wanted)
    active = memory.status == Status.ACTIVE
    may, goes = shown.changeable and active, shown.forgettable and active
    return {
        "id": memory.id,
        "url": reverse("memory-page", args=[memory.id]),
        "content": text,
        "parts": marked(text, wanted) if wanted else None,
        "audience": audience(shown.readers, memory),
        "said_by": said_by(memory, me),
        "robot": teller_name(memory),
        "reworded_by": reworded_by(memory, me),
        "protected": memory.red_line,
        "held": held(memory),
        "learned_at": when(memory),
        "category": category(memory),
        "strength": strength_at(memory, now),
        "status": status(memory),
        "edit_url": reverse("memory-edit", args=[memory.id]) if may else "",
        "forget_url": reverse("memory-forget", args=[memory.id]) if goes else "",
    }


def importance(value: float) -> str:
    if value >= 0.75:
        return "High"
    return "Normal" if value >= 0.4 else "Low"


def subject(memory: Memory, me: object) -> str:
    return person_name(memory.member, me)


def about(memory: Memory, me: object) -> dict[str, Any]:
    """For memories/memory/detail.html."""
    changed = memory.version > 1
    expires = memory.expires_at
    return {
        "content": memory.content,
        "url": reverse("memory-page", args=[memory.id]),
        "category": category(memory),
        "tags": tag_links(memory.tags),
        "importance": importance(memory.importance),
        "created_at": memory.created_at,
        "updated_at": memory.updated_at if changed else None,
        "expires": f"until {day(expires)}" if expires else "",
        "subject": subject(memory, me),
        "status": status(memory),
        "protected": protection(memory, me),
        "held": held(memory),
        "holds_url": reverse("memory-page", args=[memory.holds_now]) if memory.holds_now else "",
        "archived": archived(memory),
        "shareable": memory.shareable and can_be_shareable(memory),
        "sensitive": memory.sensitive,
    }


def tag_links(tags: Sequence[str]) -> list[dict[str, str]]:
    """The tags with the address of their list; without those that another one implies."""
    return [
        {"label": tag, "url": f"{reverse('library')}?{urlencode({'tag': tag})}"}
        for tag in tags
        if not any(other.startswith(f"{tag}{BETWEEN}") for other in tags)
    ]


def held(memory: Memory) -> str:
    """Until when it was or will be true, if a newer memory replaces it."""
    if memory.valid_until is None:
        return ""
    was = "Was" if memory.valid_until <= timezone.now() else "Is"
    return f"{was} true until {day(memory.valid_until)}"


def archived(memory: Memory) -> dict[str, Any] | None:
    """Which rule of the organisation's policy archived it, and when; None where somebody did."""
    if memory.status != Status.ARCHIVED or not memory.archived_for:
        return None
    return {"why": ARCHIVED_FOR[ArchivedFor(memory.archived_for)], "at": memory.archived_at}


def protection(memory: Memory, me: object) -> dict[str, Any] | None:
    """Why it is protected, by whom and since when."""
    if not memory.red_line:
        return None
    return {
        "reason": memory.red_line_reason,
        "by": in_sentence(person_name(memory.red_line_by, me)) or "somebody",
        "at": memory.red_line_at,
    }


def can_be_shareable(memory: Memory) -> bool:
    """Whether the flag means anything: only a group's rows can be said outside it."""
    return memory.audience.kind == AudienceKind.GROUP


def restated(memory: Memory, row: Restatement | None) -> dict[str, Any] | None:
    """What a memory says on its own, and who worked it out."""
    if row is None:
        return None
    people = ", ".join(row.persons)
    return {
        "text": with_marked_speaker(memory, row.text),
        "facts": [
            (label, value)
            for label, value in (
                ("People", with_marked_speaker(memory, people)),
                ("Place", row.location),
                ("Topic", row.topic),
                ("Words", ", ".join(w for w in row.keywords if not _names(w, row.persons))),
            )
            if value
        ],
        "by_model": row.source == Origin.LLM,
        "lent": row.lent,
    }


def _names(word: str, persons: Sequence[str]) -> bool:
    """Whether the word is a day or part of a person's name, which are shown already."""
    return word[:4].isdigit() or any(word in name.split() for name in persons)


def short(text: str) -> str:
    """The beginning of a text, for one line or two."""
    return excerpt(text, set(), 160)


def link(memory: Memory) -> dict[str, str]:
    """A connected memory, to click on."""
    return {
        "text": short(memory.content),
        "url": reverse("memory-page", args=[memory.id]),
    }


def turn(memory: Memory, me: object, *, current: bool = False) -> dict[str, Any]:
    """One turn of the conversation that a memory comes from."""
    return {
        "text": excerpt(memory.content, set()),
        "said_by": said_by(memory, me) or teller_name(memory),
        "at": when(memory),
        "url": "" if current else reverse("memory-page", args=[memory.id]),
        "current": current,
    }


def conversation(detail: Detail, me: object) -> list[dict[str, Any]]:
    """The turns around it, itself among them; empty where nothing surrounds it."""
    if not detail.before and not detail.after:
        return []
    memory = detail.shown.memory
    turns = [turn(m, me) for m in detail.before]
    return [*turns, turn(memory, me, current=True), *(turn(m, me) for m in detail.after)]


def heard_by(detail: Detail, me: object) -> list[dict[str, Any]]:
    """Who contributed it since when, and how often."""
    return [
        {
            **_who_did_what(detail.shown.memory, link, me),
            "first_at": link.first_at,
            "last_at": link.last_at if link.count > 1 else None,
            "times": f"{link.count:,} times",
        }
        for link in detail.contributions
    ]


def _who_did_what(memory: Memory, link: Contribution, me: object) -> dict[str, str]:
    if not link.robot.builtin:
        told = memory.told(link.robot)
        name = told.name if told else A_PERSONAL_ROBOT
        url = reverse("robot-page", args=[told.id]) if told else ""
        return {"name": name, "did": "noted it", "url": url}
    if link.robot.builtin == IMPORT:
        return {"name": "An import", "did": "brought it"}
    name = link.member.name if link.member else "Somebody"
    return {"name": "You" if link.member_id == me else name, "did": "wrote it here"}


def gone(memory: Memory) -> dict[str, str] | None:
    """What is shown instead of the readers of a forgotten memory."""
    if memory.status != Status.FORGOTTEN:
        return None
    return {
        "kind": "review",
        "sentence": "No answer and no list shows this any more. You can open it because you may "
        "bring it back.",
    }
