"""Figures; counted under the asker's scope, so hidden rows never show in them."""

from datetime import datetime
from typing import Any

from django.db.models import Count

from memories.indexing.models import Pending
from memories.jobs.owed_work import PendingState
from memories.store.models.memory import Memory
from orgs.principals import Actor, resolve


def stats(actor: Actor, *, now: datetime) -> dict[str, Any]:
    """How many memories of which kind and tier the asker may read, and what is still owed."""
    principal = resolve(actor)
    with principal.scope():
        rows = Memory.objects.filter(organisation_id=principal.organisation_id).active(now)
        by_kind: dict[str, int] = {}
        by_tier: dict[str, int] = {}
        counts = rows.values_list("kind", "tier").annotate(n=Count("id"))
        # Without an order the plan gives one, and rows that the asker cannot read may change it.
        for kind, tier, n in counts.order_by("kind", "tier"):
            by_kind[kind] = by_kind.get(kind, 0) + n
            by_tier[tier] = by_tier.get(tier, 0) + n
        owed = Pending.objects.filter(organisation_id=principal.organisation_id)
        dead = owed.filter(state=PendingState.DEAD).count()
        return {
            "memories": sum(by_kind.values()),
            "by_kind": by_kind,
            "by_tier": dict(sorted(by_tier.items())),
            "robots": rows.values("robot_id").distinct().count(),
            "embedding_pending": owed.count() - dead,
            "embedding_failed": dead,
        }
