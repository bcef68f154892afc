"""What a job of the organisation is called and what it did, in words."""

from datetime import date
from typing import Any

from django.utils.translation import gettext, ngettext

from memories.jobs.models import Job, JobType
from orgs.languages.page_text import format_number, lazy_text
from orgs.views.time_formats import day

_TITLES = {
    JobType.CONSOLIDATE: lazy_text("Consolidate memories"),
    JobType.AGE: lazy_text("Judge the tiers"),
    JobType.RETAIN: lazy_text("Archive what is past its time"),
    JobType.SUMMARISE: lazy_text("Look for full tiers"),
    JobType.LEARN: lazy_text("Tend what personas learned"),
    JobType.PROJECT: lazy_text("Fill or clear an index layout"),
    JobType.RE_EMBED: lazy_text("Embed memories by another model"),
}
# (one, several) of what a count says.
_COUNT_LABELS = {
    "promoted": ("rose", "rose"),
    "demoted": ("sank", "sank"),
    "archived": ("archived", "archived"),
    "embedded": (lazy_text("memory embedded"), lazy_text("memories embedded")),
    "summaries": (lazy_text("summary made"), lazy_text("summaries made")),
    "merged": (lazy_text("pair merged"), lazy_text("pairs merged")),
    "decided": (
        lazy_text("contradiction decided by policy"),
        lazy_text("contradictions decided by policy"),
    ),
    "reworded": (lazy_text("summary reworded"), lazy_text("summaries reworded")),
    "proposed": (lazy_text("full tier proposed"), lazy_text("full tiers proposed")),
    "faded": (
        lazy_text("entry archived that nobody confirmed"),
        lazy_text("entries archived that nobody confirmed"),
    ),
    "condensed": (lazy_text("full block summarised"), lazy_text("full blocks summarised")),
    "asked_about": (lazy_text("full block proposed"), lazy_text("full blocks proposed")),
    "suggested": (lazy_text("lesson suggested"), lazy_text("lessons suggested")),
}
_PAIR_COUNTS = ("duplicates", "contradictions")
_LABELS = {
    "looked": lazy_text("Looked at"),
    "promoted": lazy_text("Rose"),
    "demoted": lazy_text("Sank"),
    "duplicates": lazy_text("Near-duplicates proposed"),
    "contradictions": lazy_text("Contradictions proposed"),
    "decided": lazy_text("Contradictions decided by policy"),
    "asked": lazy_text("Questions to the language model"),
    "unanswered": lazy_text("Questions without an answer"),
    "proposed": lazy_text("Full tiers proposed"),
    "faded": lazy_text("Entries archived that nobody confirmed"),
    "condensed": lazy_text("Full blocks summarised"),
    "asked_about": lazy_text("Full blocks proposed"),
    "suggested": lazy_text("Lessons suggested to other personas"),
    "embedded": lazy_text("Embedded"),
    "refused": lazy_text("Refused by the model"),
}


def job_title(job: Job) -> str:
    """A title for a job of the organisation; of the day's run with its day."""
    title = _TITLES.get(JobType(job.kind), job.get_kind_display())
    return f"{title}, {job_day(job)}" if job.period else title


def job_day(job: Job) -> str:
    """The day for which it was made, as a sentence has it; empty for what is made at any time."""
    return day(date.fromisoformat(job.period)) if job.period else ""


def result_sentence(result: dict[str, Any]) -> str:
    """What a run did so far, such as "12 rose, 40 sank, 3 pairs proposed"; empty at first.

    What it did not do is not said.
    """
    known = {name: result[name] for name in _COUNT_LABELS if name in result}
    parts = [
        f"{format_number(number)} {_COUNT_LABELS[name][number != 1]}"
        for name, number in known.items()
        if number
    ]
    if pairs := sum(result.get(name, 0) for name in _PAIR_COUNTS):
        parts.append(
            ngettext("%(count)s pair proposed", "%(count)s pairs proposed", pairs)
            % {"count": format_number(pairs)}
        )
    return ", ".join(parts) or (gettext("nothing to do") if known else "")


def count_rows(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Every count of a result with its label; those known here first, in the order above."""
    names = [name for name in _LABELS if name in result]
    names += sorted(result.keys() - _LABELS.keys())
    return [
        (_LABELS.get(name, name.replace("_", " ").capitalize()), format_number(result[name]))
        for name in names
        if type(result[name]) is int
    ]
