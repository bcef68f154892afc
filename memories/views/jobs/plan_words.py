"""What an import would bring, in words."""

from typing import Any

from django.urls import reverse

from memories.access.reader_sentences import people
from memories.ingestion.file_import.plan import Plan
from memories.ingestion.file_import.planned_readers import (
    NO,
    SEATED,
    YES,
    PlannedPerson,
    PlannedReaders,
)
from memories.ingestion.file_import.previews import Preview
from orgs.models.audiences import AudienceKind

# So many of each are shown.
SHOWN, SHOWN_NAMES, NAMED = 12, 40, 3
YOURS = {
    YES: ("You read it", "good"),
    SEATED: ("Only if you sit in", "warn"),
    NO: ("You do not read it", ""),
}


def lines(count: int) -> str:
    """1 line, 2 lines."""
    return "1 line" if count == 1 else f"{count:,} lines"


def in_words(plan: Plan, preview: Preview) -> dict[str, Any]:
    """Everything that the page of a plan says."""
    new = [one for one in plan.people if one.new]
    known = [one for one in plan.people if not one.new]
    made = [one for one in plan.groups if one.new]
    return {
        "preview": preview,
        "looked_at": _looked_at(plan),
        "facts": _facts(plan),
        "taken": plan.taken,
        "groups": [
            {"name": one.name, "new": one.new, "lines": lines(one.lines)}
            for one in plan.groups[:SHOWN]
        ],
        "more_groups": max(0, len(plan.groups) - SHOWN),
        "people": [p for p in (_people(known, new=False), _people(new, new=True)) if p],
        "readers": [_readers(one) for one in plan.readers[:SHOWN]],
        "more_readers": max(0, len(plan.readers) - SHOWN),
        "refused": plan.refused[:SHOWN],
        "more_refused": max(0, plan.skipped - SHOWN),
        "skipped": lines(plan.skipped),
        "asks": bool(made),
        "if_not": _would_read(plan.yours, plan.taken),
        "if_so": _would_read(plan.seated, plan.taken),
        "differs": plan.seated != plan.yours,
    }


def _looked_at(plan: Plan) -> str:
    if plan.broken:
        return f"The file breaks off after {lines(plan.lines)}; this is what can be read of it."
    if not plan.whole:
        first = "first line" if plan.lines == 1 else f"first {plan.lines:,} lines"
        return f"This says what the {first} would bring. The rest is imported as well."
    return "This is the whole file. Nothing is written yet."


def _facts(plan: Plan) -> list[tuple[str, str]]:
    new_groups = sum(one.new for one in plan.groups)
    new_people = sum(one.new for one in plan.people)
    bare = sum(not one.enters for one in plan.people)
    people_said = _split(len(plan.people), new_people)
    if bare:
        people_said += f"; {'none' if bare == len(plan.people) else f'{bare:,}'} "
        people_said += "can sign in" if bare == len(plan.people) else "cannot sign in"
    found = [
        ("Lines", f"{plan.lines:,}"),
        ("New memories", f"{'at most ' if plan.yours < plan.taken else ''}{plan.fresh:,}"),
        ("Groups", _split(len(plan.groups), new_groups)),
        ("People", people_said),
    ]
    if plan.here:
        found.insert(2, ("Here already, as far as you read", f"{plan.here:,}"))
    if plan.skipped:
        found.insert(2, ("Refused", f"{plan.skipped:,}"))
    return found


def _split(count: int, new: int) -> str:
    if not count:
        return "None"
    if new in (0, count):
        return f"{count:,}, {'all' if new else 'none'} new"
    return f"{count:,}, of these {new:,} new"


def _people(found: list[PlannedPerson], *, new: bool) -> dict[str, Any]:
    if not found:
        return {}
    bare = sum(not one.enters for one in found)
    whom = "whom the file makes" if new else "who are known"
    note = "Nobody can sign in as one of them before somebody invites them."
    if not new:
        note = f"{bare:,} of them cannot sign in." if bare else "All of them can sign in."
    return {
        "title": f"{people(len(found))} {whom}",
        "names": ", ".join(one.name for one in found[:SHOWN_NAMES]),
        "more": max(0, len(found) - SHOWN_NAMES),
        "note": note,
    }


def _readers(one: PlannedReaders) -> dict[str, Any]:
    label, tone = YOURS[one.reads]
    return {
        "kind": one.kind,
        "lines": lines(one.lines),
        "title": _title(one),
        "sentence": _sentence(one),
        "sheet_url": reverse("audience-readers", args=[one.audience]) if one.audience else "",
        "yours": {"label": label, "tone": tone},
    }


def _title(one: PlannedReaders) -> str:
    if one.kind == AudienceKind.ORGANISATION:
        return "Everyone in the organisation"
    if one.kind == AudienceKind.GROUP:
        return one.name
    if not one.names:
        return "Nobody"
    rest = len(one.names) - NAMED
    return "Only " + ", ".join(one.names[:NAMED]) + (f" and {rest:,} more" if rest > 0 else "")


def _sentence(one: PlannedReaders) -> str:
    if not one.counted:
        return "Who sits there is not told to you, as you do not read this group."
    enter = people(one.entering) if one.entering else "Nobody"
    text = f"{enter} who can sign in would read it"
    if one.away:
        text += f"; {people(one.away)} of it cannot sign in yet"
    if one.kind == AudienceKind.ORGANISATION:
        text += ". Every robot reads it too"
    elif one.kind == AudienceKind.GROUP and not one.new:
        text += ". So do the robots that sit there"
    return f"{text}."


def _would_read(count: int, of: int) -> str:
    if not of:
        return ""
    if count == of:
        return "You read all of it."
    return f"You read {count:,} of {lines(of)}." if count else "You read none of it."
