"""Ids of what a profession reads: they tell the day, and the order of what one audience reads.

The time in an id would tell when something was taught, and so by whom (`orgs/models/base.py`). The
order has to stay: blocks keep it, and of two memories the later one has the higher id.
"""

from datetime import datetime
from uuid import UUID

from memories.store.models.memory import Memory
from orgs.models.audiences import COHORTS, Audience
from orgs.models.base import day_id, first_of_day, new_id


def latest_of_day(organisation_id: UUID, audience_id: UUID, now: datetime) -> UUID | None:
    """The highest id that this audience reads of those that tell this day alone; call in a scope
    that reads it."""
    first = first_of_day(now)
    rows = Memory.objects.filter(
        organisation_id=organisation_id,
        audience_id=audience_id,
        id__gte=first,
        id__lt=UUID(int=first.int + (1 << 80)),
    )
    return rows.order_by("-id").values_list("id", flat=True).first()


def id_for(organisation_id: UUID, audience_id: UUID, now: datetime) -> UUID:
    """A fresh id for a memory of this audience, after those that are there; call in a scope that
    reads them."""
    rows = Audience.objects.filter(organisation_id=organisation_id, id=audience_id)
    if not rows.filter(kind__in=COHORTS).exists():
        return new_id()
    return day_id(now, after=latest_of_day(organisation_id, audience_id, now))
