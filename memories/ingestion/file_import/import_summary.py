"""What an import has written, as far as its author reads it."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from memories.access.audience_summary import AudienceSummary
from memories.access.load_audience_summaries import load_audience_summaries
from memories.jobs.models import Job
from memories.store.models.memory import Memory
from memories.store.models.version import imported_memory_ids
from orgs.models.audiences import Audience
from orgs.principals import Actor, resolve_principal

# At most this many audiences are listed with their readers, those with the most memories first.
MAX_AUDIENCES = 8


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """readable: how many memories the asker reads, also forgotten ones; listed: how many of them
    the list of memories shows. readers: the audiences of these, each with its count; more: how many
    audiences are not listed."""

    readable: int
    listed: int
    readers: tuple[tuple[AudienceSummary, int], ...]
    more: int


def load_import_summary(
    actor: Actor, job: Job, *, organisation: str, now: datetime
) -> ImportSummary:
    """Count the memories of an import that exist now. organisation: its name."""
    principal = resolve_principal(actor)
    with principal.scope():
        rows = Memory.objects.filter(
            organisation_id=principal.organisation_id,
            id__in=imported_memory_ids(principal.organisation_id, job.id),
        )
        counted = Counter(rows.active(now).for_people().values_list("audience_id", flat=True))
        first = [id_ for id_, _ in counted.most_common(MAX_AUDIENCES)]
        places = Audience.objects.filter(organisation_id=principal.organisation_id, id__in=first)
        told = load_audience_summaries(principal, places, organisation)
        readable = rows.for_people().count()
    return ImportSummary(
        readable,
        counted.total(),
        tuple((told[id_], counted[id_]) for id_ in first),
        len(counted) - len(first),
    )
