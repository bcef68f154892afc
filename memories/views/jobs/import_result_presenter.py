"""What an import has brought, in words: who reads it, and what to do next."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from memories.ingestion.file_import.import_summary import load_import_summary
from memories.jobs.models import Job
from memories.views.memory.bulk_change import memory_count_label

OTHER_READERS_NOTE = (
    "is for those whom the file names: the people of its groups and lists. You are not "
    "among them, and an admin’s role opens no group that is confidential. People whom an import "
    "makes have no account, so they read nothing before somebody invites them."
)
OWN_ACCESS_LABELS = {
    "organisation": "You read it, as everyone does.",
    "group": "You read it, as you sit in the group or curate it.",
    "explicit": "You read it, as the list names you or a group of yours.",
}


def import_result_context(request: HttpRequest, job: Job) -> dict[str, Any]:
    """For the page of an import that is over; empty where it brought nothing."""
    new = job.result.get("imported", 0)
    if not new:
        return {}
    found = load_import_summary(
        request.actor, job, organisation=request.membership[1].name, now=timezone.now()
    )
    told = {
        "reads": _readable_sentence(found.readable, new),
        "why": f"{'The rest' if found.readable else 'It'} {OTHER_READERS_NOTE}"
        if found.readable < new
        else "",
        "came": [
            {
                "kind": one.kind,
                "title": one.label,
                "text": f"{memory_count_label(count).capitalize()}. {one.sentence}",
                "note": f"{OWN_ACCESS_LABELS.get(one.kind, '')} {one.note}".strip(),
            }
            for one, count in found.readers
        ],
        "more_came": found.more,
    }
    steps = [{"url": reverse("robots-page"), "label": "Make a robot"}]
    if not found.listed:
        return told | {"next": steps}
    ask = {"url": reverse("library"), "label": "Ask something"}
    see = "See the memory" if found.listed == 1 else f"See the {found.listed:,} memories"
    return told | {
        "see_url": f"{reverse('library')}?{urlencode({'brought': job.id, 'each': 1})}",
        "see_label": see,
        "next": [ask, *steps],
    }


def _readable_sentence(read: int, new: int) -> str:
    if read >= new:
        return "You can read it." if new == 1 else "You can read all of it."
    if not read:
        return "You cannot read it." if new == 1 else "You can read none of it."
    return f"You can read {read:,} of the {new:,} new ones."
