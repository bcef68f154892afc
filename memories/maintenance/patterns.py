"""Collect what is seen of members in several groups. Runs as the worker, which reads all of them.

Only memories that are flagged shareable, lie in a group and are not sensitive.
"""

from collections import defaultdict
from collections.abc import Container
from datetime import datetime
from uuid import UUID

from django.db import connections

from memories.policies.patterns import Evidence, Pattern, holds, patterns
from orgs.models import Organisation
from orgs.rls import organisation_scope

WORKER = "worker"

_SHAREABLE = """
SELECT m.id, coalesce(m.member_id, m.speaker_member_id), m.group_id, m.audience_id, m.kind,
    m.confidence, m.content, m.type, m.category, m.topic, m.tags
FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.shareable AND m.status = 'active'
  AND NOT m.sensitive AND m.group_id IS NOT NULL AND m.kind IN ('group', 'user', 'interaction')
  AND coalesce(m.member_id, m.speaker_member_id) IS NOT NULL
  AND (m.expires_at IS NULL OR m.expires_at > %(now)s)
ORDER BY m.id
"""
Found = dict[tuple[UUID, Pattern], list[Evidence]]


def every_organisation() -> list[UUID]:
    """The ids of all tenants, which are all that the worker may know without a scope."""
    return list(Organisation.objects.using(WORKER).values_list("id", flat=True))


def collect_patterns(
    organisation_id: UUID, *, members: Container[UUID], audiences: Container[UUID], now: datetime
) -> Found:
    """(member, pattern) -> the evidence, for what was seen in at least two groups.

    members: those who let what is known of them go further; audiences: from which it may.
    """
    seen: Found = defaultdict(list)
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(_SHAREABLE, {"organisation": organisation_id, "now": now})
        rows = cursor.fetchall()
    for id_, member, group, audience, kind, sure, content, type_, category, topic, tags in rows:
        if member not in members or audience not in audiences:
            continue
        shown = patterns(content=content, type_=type_, category=category, topic=topic, tags=tags)
        for pattern in shown:
            seen[(member, pattern)].append(Evidence(id_, group, audience, kind, sure))
    return {key: evidence for key, evidence in seen.items() if holds(evidence)}
