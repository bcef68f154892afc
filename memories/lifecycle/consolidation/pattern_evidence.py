"""Collect evidence of patterns of members in several groups. Runs in the role of the worker, which
reads all groups.

Only memories of groups that are flagged shareable and are not sensitive.
"""

import hashlib
from collections import defaultdict
from collections.abc import Container
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connections

from memories.lifecycle.consolidation.pattern_rules import (
    LABEL_PATTERN_TYPES,
    MAX_LABEL_CHARACTERS,
    Evidence,
    Pattern,
    find_patterns,
    is_supported,
    normalise_label,
)
from orgs.database.rls import organisation_scope
from orgs.expiry import not_expired_sql
from orgs.models.memberships import Member

WORKER = "worker"

_SHAREABLE_SQL = f"""
SELECT m.id, coalesce(m.member_id, m.speaker_member_id), m.group_id, m.audience_id, m.kind,
    m.confidence, m.content, m.type, m.category, m.topic, m.tags,
    CASE WHEN m.speaker_member_id = coalesce(m.member_id, m.speaker_member_id) THEN true
         WHEN m.speaker <> '' OR m.speaker_member_id IS NOT NULL THEN false END
FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.shareable AND m.status = 'active'
  AND NOT m.sensitive AND m.group_id IS NOT NULL AND m.kind IN ('group', 'user', 'interaction')
  AND coalesce(m.member_id, m.speaker_member_id) IS NOT NULL
  AND {not_expired_sql()}
ORDER BY m.id
"""
# A label that is the whole text of a memory is not used, because it would quote somebody.
_SHORT_TEXTS_SQL = """
SELECT m.content FROM memories_memory m
WHERE m.organisation_id = %(organisation)s AND m.group_id = ANY(%(groups)s::uuid[])
  AND m.status = 'active' AND length(m.content) <= %(most)s
"""
# What changes with each change of a row of evidence.
_ROWS_STATE_SQL = f"""
SELECT count(*), count(*) FILTER (WHERE {not_expired_sql()}),
    bit_xor(hashtextextended(m.id::text || m.xmin::text, 0))
FROM memories_memory m WHERE m.organisation_id = %(organisation)s AND m.shareable
"""
_CONSENT_FIELDS = ("id", "sharing_off_at", "removed_at", "learning_paused_at")
EvidenceByPattern = dict[tuple[UUID, Pattern], list[Evidence]]


def read_evidence_state(organisation_id: UUID, *, now: datetime) -> str:
    """A text that is another one after each change of what patterns are made from, but for the
    texts that are not shareable."""
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(_ROWS_STATE_SQL, {"organisation": organisation_id, "now": now})
        rows = cursor.fetchone()
    # The worker's role reads no members.
    with organisation_scope(organisation_id):
        members = Member.objects.filter(organisation_id=organisation_id).order_by("id")
        consents = repr([*members.values_list(*_CONSENT_FIELDS)])
    return f"{rows} {hashlib.sha256(consents.encode()).hexdigest()}"


def collect_patterns(
    organisation_id: UUID, *, members: Container[UUID], audiences: Container[UUID], now: datetime
) -> EvidenceByPattern:
    """{(member, pattern): evidence} for patterns that were seen in at least two groups.

    members: those who agree to sharing; audiences: those from which evidence may be taken.
    """
    seen: EvidenceByPattern = defaultdict(list)
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(_SHAREABLE_SQL, {"organisation": organisation_id, "now": now})
        rows = cursor.fetchall()
    for (
        id_,
        member,
        group,
        audience,
        kind,
        sure,
        content,
        type_,
        category,
        topic,
        tags,
        own,
    ) in rows:
        if member not in members or audience not in audiences:
            continue
        shown = find_patterns(
            content=content, type_=type_, category=category, topic=topic, tags=tags, own_words=own
        )
        for pattern in shown:
            seen[(member, pattern)].append(Evidence(id_, group, audience, kind, sure))
    found = {key: evidence for key, evidence in seen.items() if is_supported(evidence)}
    said = _labels_quoting_memory(organisation_id, found)
    return {key: evidence for key, evidence in found.items() if key[1].value not in said}


def _labels_quoting_memory(organisation_id: UUID, found: EvidenceByPattern) -> set[str]:
    """The labels that are the whole text of a memory in one of their groups."""
    labels = {pattern.value for _, pattern in found if pattern.kind in LABEL_PATTERN_TYPES}
    if not labels:
        return set()
    groups = {one.group_id for evidence in found.values() for one in evidence}
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "groups": list(groups),
        "most": 2 * MAX_LABEL_CHARACTERS,
    }
    with organisation_scope(organisation_id, using=WORKER), connections[WORKER].cursor() as cursor:
        cursor.execute(_SHORT_TEXTS_SQL, values)
        return labels & {normalise_label(text) for (text,) in cursor.fetchall()}
