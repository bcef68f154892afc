"""What an import would bring, in words."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from memories.access.audience_summary import format_people_count
from memories.ingestion.file_import.formats.registry import ASSISTANTS, LABELS
from memories.ingestion.file_import.plan_import import ImportPlan, PreviewFile
from memories.ingestion.file_import.planned_readers import (
    IF_JOINED,
    NO,
    YES,
    PlannedAudienceReaders,
    PlannedPerson,
)
from orgs.languages.page_text import format_number, lazy_text
from orgs.models.audiences import AudienceType
from orgs.models.organisations import Group

# So many of each are shown.
MAX_ROWS, MAX_NAMES, MAX_TITLE_NAMES = 12, 40, 3
OWN_ACCESS_BADGES = {
    YES: (lazy_text("You read it"), "good"),
    IF_JOINED: (lazy_text("Only if you sit in"), "warn"),
    NO: (lazy_text("You do not read it"), ""),
}


def line_count_label(count: int) -> str:
    """1 line, 2 lines."""
    return (
        gettext("1 line")
        if count == 1
        else gettext("%(count)s lines") % {"count": format_number(count)}
    )


def plan_context(
    plan: ImportPlan, preview: PreviewFile, *, by_group: bool, everyone: bool, group: Group | None
) -> dict[str, Any]:
    """Everything that the page of a plan says. by_group, everyone, group: what is chosen now; each
    has an address that chooses the other."""
    speakers = ("group", "organisation")
    readers = f"group:{group.id}" if group else "organisation" if everyone else "private"
    other_readers = "organisation" if readers == "private" else "private"
    new = [one for one in plan.people if one.new]
    known = [one for one in plan.people if not one.new]
    made = [one for one in plan.groups if one.new]
    return {
        "preview": preview,
        "looked_at": _coverage_sentence(plan),
        "assistant": LABELS[preview.format] if preview.format in ASSISTANTS else "",
        "facts": [(gettext("Read as"), LABELS[preview.format]), *_fact_rows(plan)],
        "taken": plan.taken,
        "groups": [
            {"name": one.name, "new": one.new, "lines": line_count_label(one.lines)}
            for one in plan.groups[:MAX_ROWS]
        ],
        "more_groups": max(0, len(plan.groups) - MAX_ROWS),
        "people": [p for p in (_people_row(known, new=False), _people_row(new, new=True)) if p],
        "readers": [_readers_row(one) for one in plan.readers[:MAX_ROWS]],
        "more_readers": max(0, len(plan.readers) - MAX_ROWS),
        "examples": [
            {
                "text": one.text,
                "name_in_file": one.speaker,
                "at": one.at,
                "readers": _readers_title(one.readers),
            }
            for one in plan.examples
        ],
        "refused": plan.refused[:MAX_ROWS],
        "more_refused": max(0, plan.skipped - MAX_ROWS),
        "skipped": line_count_label(plan.skipped),
        "by_group": by_group,
        "readers_choice": readers,
        "everyone": everyone,
        "reading_group": group.name if group else "",
        "unaddressed": line_count_label(plan.unaddressed) if plan.unaddressed else "",
        "other_speakers": _choice_query(speakers[by_group], readers),
        "other_readers": _choice_query(speakers[not by_group], other_readers),
        "asks": bool(made),
        "if_not": _readable_sentence(plan.yours, plan.taken),
        "if_so": _readable_sentence(plan.seated, plan.taken),
        "differs": plan.seated != plan.yours,
    }


def _choice_query(speakers: str, readers: str) -> str:
    return f"?{urlencode({'speakers': speakers, 'readers': readers})}"


def _coverage_sentence(plan: ImportPlan) -> str:
    if plan.broken:
        return gettext("The file breaks off after %(lines)s; this is what can be read of it.") % {
            "lines": line_count_label(plan.lines)
        }
    if not plan.whole:
        first = (
            gettext("first line")
            if plan.lines == 1
            else gettext("first %(lines)s lines") % {"lines": format_number(plan.lines)}
        )
        return gettext(
            "This says what the %(first)s would bring. The rest is imported as well."
        ) % {"first": first}
    return gettext("This is the whole file. Nothing is written yet.")


def _fact_rows(plan: ImportPlan) -> list[tuple[str, str]]:
    new_groups = sum(one.new for one in plan.groups)
    new_people = sum(one.new for one in plan.people)
    bare = sum(not one.enters for one in plan.people)
    people_said = _new_count_label(len(plan.people), new_people)
    if bare:
        people_said += f"; {gettext('none') if bare == len(plan.people) else format_number(bare)} "
        people_said += (
            gettext("can sign in") if bare == len(plan.people) else gettext("cannot sign in")
        )
    found = [
        (gettext("Lines"), format_number(plan.lines)),
        (
            gettext("New memories"),
            f"{gettext('at most ') if plan.yours < plan.taken else ''}{format_number(plan.fresh)}",
        ),
        (gettext("Groups"), _new_count_label(len(plan.groups), new_groups)),
        (gettext("People"), people_said),
    ]
    if plan.here:
        found.insert(2, (gettext("Here already, as far as you read"), format_number(plan.here)))
    if plan.skipped:
        found.insert(2, (gettext("Refused"), format_number(plan.skipped)))
    return found


def _new_count_label(count: int, new: int) -> str:
    if not count:
        return gettext("None")
    if new in (0, count):
        return (gettext("%(count)s, all new") if new else gettext("%(count)s, none new")) % {
            "count": format_number(count)
        }
    return gettext("%(count)s, of these %(new)s new") % {
        "count": format_number(count),
        "new": format_number(new),
    }


def _people_row(found: list[PlannedPerson], *, new: bool) -> dict[str, Any]:
    if not found:
        return {}
    bare = sum(not one.enters for one in found)
    whom = gettext("whom the file makes") if new else gettext("who are known")
    note = gettext("Nobody can sign in as one of them before somebody invites them.")
    if not new:
        note = (
            gettext("%(bare)s of them cannot sign in.") % {"bare": format_number(bare)}
            if bare
            else gettext("All of them can sign in.")
        )
    return {
        "title": f"{format_people_count(len(found))} {whom}",
        "names": ", ".join(one.name for one in found[:MAX_NAMES]),
        "more": max(0, len(found) - MAX_NAMES),
        "note": note,
    }


def _readers_row(one: PlannedAudienceReaders) -> dict[str, Any]:
    label, tone = OWN_ACCESS_BADGES[one.reads]
    return {
        "kind": one.kind,
        "lines": line_count_label(one.lines),
        "title": _readers_title(one),
        "sentence": _readers_sentence(one),
        "sheet_url": reverse("audience-readers", args=[one.audience]) if one.audience else "",
        "yours": {"label": label, "tone": tone},
    }


def _readers_title(one: PlannedAudienceReaders) -> str:
    if one.kind == AudienceType.ORGANISATION:
        return gettext("Everyone in the organisation")
    if one.kind == AudienceType.GROUP:
        return one.name
    if not one.names:
        return gettext("Nobody")
    rest = len(one.names) - MAX_TITLE_NAMES
    return (
        gettext("Only ")
        + ", ".join(one.names[:MAX_TITLE_NAMES])
        + (gettext(" and %(rest)s more") % {"rest": format_number(rest)} if rest > 0 else "")
    )


def _readers_sentence(one: PlannedAudienceReaders) -> str:
    if not one.counted:
        return gettext("Who sits there is not told to you, as you do not read this group.")
    enter = format_people_count(one.entering) if one.entering else gettext("Nobody")
    text = gettext("%(enter)s who can sign in would read it") % {"enter": enter}
    if one.away:
        text += gettext("; %(away)s of it cannot sign in yet") % {
            "away": format_people_count(one.away)
        }
    if one.kind == AudienceType.ORGANISATION:
        text += gettext(". Every robot reads it too")
    elif one.kind == AudienceType.GROUP and not one.new:
        text += gettext(". So do the robots that sit there")
    return f"{text}."


def _readable_sentence(count: int, of: int) -> str:
    if not of:
        return ""
    if count == of:
        return gettext("You read all of it.")
    return (
        gettext("You read %(count)s of %(of)s.")
        % {"count": format_number(count), "of": line_count_label(of)}
        if count
        else gettext("You read none of it.")
    )
