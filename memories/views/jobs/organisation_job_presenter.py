"""What a job of the organisation is called and what it did, in words."""

from datetime import date
from typing import Any

from memories.jobs.models import Job, JobType
from orgs.views.time_formats import day

_TITLES = {
    JobType.CONSOLIDATE: "Consolidate memories",
    JobType.AGE: "Judge the tiers",
    JobType.RETAIN: "Archive what is past its time",
    JobType.SUMMARISE: "Look for full tiers",
    JobType.LEARN: "Tend what personas learned",
    JobType.PROJECT: "Fill or clear an index layout",
    JobType.RE_EMBED: "Embed memories by another model",
}
# (one, several) of what a count says.
_COUNT_LABELS = {
    "promoted": ("rose", "rose"),
    "demoted": ("sank", "sank"),
    "archived": ("archived", "archived"),
    "embedded": ("memory embedded", "memories embedded"),
    "summaries": ("summary made", "summaries made"),
    "merged": ("pair merged", "pairs merged"),
    "decided": ("contradiction decided by policy", "contradictions decided by policy"),
    "reworded": ("summary reworded", "summaries reworded"),
    "proposed": ("full tier proposed", "full tiers proposed"),
    "faded": ("entry archived that nobody confirmed", "entries archived that nobody confirmed"),
    "condensed": ("full block summarised", "full blocks summarised"),
    "asked_about": ("full block proposed", "full blocks proposed"),
    "suggested": ("lesson suggested", "lessons suggested"),
}
_PAIR_COUNTS = ("duplicates", "contradictions")
_LABELS = {
    "looked": "Looked at",
    "promoted": "Rose",
    "demoted": "Sank",
    "duplicates": "Near-duplicates proposed",
    "contradictions": "Contradictions proposed",
    "decided": "Contradictions decided by policy",
    "asked": "Questions to the language model",
    "unanswered": "Questions without an answer",
    "proposed": "Full tiers proposed",
    "faded": "Entries archived that nobody confirmed",
    "condensed": "Full blocks summarised",
    "asked_about": "Full blocks proposed",
    "suggested": "Lessons suggested to other personas",
    "embedded": "Embedded",
    "refused": "Refused by the model",
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
        f"{number:,} {_COUNT_LABELS[name][number != 1]}" for name, number in known.items() if number
    ]
    if pairs := sum(result.get(name, 0) for name in _PAIR_COUNTS):
        parts.append(f"{pairs:,} {'pair' if pairs == 1 else 'pairs'} proposed")
    return ", ".join(parts) or ("nothing to do" if known else "")


def count_rows(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Every count of a result with its label; those known here first, in the order above."""
    names = [name for name in _LABELS if name in result]
    names += sorted(result.keys() - _LABELS.keys())
    return [
        (_LABELS.get(name, name.replace("_", " ").capitalize()), f"{result[name]:,}")
        for name in names
        if type(result[name]) is int
    ]
