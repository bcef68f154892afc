"""What an organisation keeps and may keep: told, set by the operator of the server, added up.

The database counts and refuses (`orgs/sql/quotas_v1.sql`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings

from orgs import audit
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import organisation_scope
from orgs.models.quotas import Quota
from orgs.principals import Actor

# The application may not change a quota.
_WORKER = "worker"
# In the order in which they are told.
RESOURCES = ("memories", "bytes", "robots", "groups")

_USAGE_SQL = """
SELECT coalesce(sum(u.memories), 0)::bigint, coalesce(sum(u.bytes), 0)::bigint,
    (SELECT count(*) FROM robots_robot r WHERE r.organisation_id = %(organisation)s
        AND r.retired_at IS NULL AND r.builtin IS NULL),
    (SELECT count(*) FROM orgs_group g WHERE g.organisation_id = %(organisation)s)
FROM orgs_usage u WHERE u.organisation_id = %(organisation)s
"""
_ADD_UP_BATCH = 10_000
_ADD_UP_SQL = """
WITH gone AS (
    DELETE FROM orgs_usage WHERE organisation_id = %(organisation)s AND id = ANY (ARRAY(
        SELECT id FROM orgs_usage WHERE organisation_id = %(organisation)s LIMIT %(most)s))
    RETURNING memories, bytes),
total AS (
    INSERT INTO orgs_usage (id, organisation_id, memories, bytes)
    SELECT gen_random_uuid(), %(organisation)s, sum(memories), sum(bytes) FROM gone
    HAVING count(*) > 0)
SELECT count(*) FROM gone
"""
_SEVERAL_SQL = """
SELECT 1 FROM orgs_usage WHERE organisation_id = %(organisation)s LIMIT 2
"""


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """used: what there is of a resource, in pieces or bytes. allowed: the most; None for any."""

    resource: str
    used: int
    allowed: int | None


def list_usage(actor: Actor) -> list[ResourceUsage]:
    """What the actor's organisation keeps, by resource. Raises PermissionError for those who do not
    administer it: the figures count rows that they may not read."""
    if not actor.administers:
        raise PermissionError("Only an admin sees how much the organisation keeps.")
    return get_usage(actor.organisation_id)


def get_usage(organisation_id: UUID) -> list[ResourceUsage]:
    """What an organisation keeps and may keep, by resource; for commands of the server."""
    with organisation_scope(organisation_id):
        used = fetch_all(_USAGE_SQL, {"organisation": organisation_id})[0]
        allowed = Quota.objects.filter(organisation_id=organisation_id)
        limits = allowed.values(*RESOURCES).first() or dict.fromkeys(RESOURCES)
    return [
        ResourceUsage(name, count, limits[name])
        for name, count in zip(RESOURCES, used, strict=True)
    ]


def create_default_quota(organisation_id: UUID) -> None:
    """Give a new organisation the quota of the settings. Runs in its scope."""
    limits = {name: most for name, most in settings.QUOTAS.items() if most > 0}
    if limits:
        Quota(organisation_id=organisation_id, **limits).save(force_insert=True)


def set_quota(
    organisation_id: UUID, limits: Mapping[str, int | None], *, now: datetime
) -> list[ResourceUsage]:
    """Change what an organisation may keep; recorded. For commands of the server.

    limits: of some resources the most, None for any number. What there is already stays, also
    where it is more. Returns what it keeps and may keep now.
    """
    with organisation_scope(organisation_id, using=_WORKER):
        Quota.objects.using(_WORKER).update_or_create(
            organisation_id=organisation_id, defaults=dict(limits)
        )
    with organisation_scope(organisation_id):
        audit.record_entry(
            "organisation.quota",
            actor=Actor(organisation_id=organisation_id),
            now=now,
            target=organisation_id,
            target_type="organisation",
            allowed=dict(limits),
        )
    return get_usage(organisation_id)


def add_up_usage(organisation_id: UUID, using: str = _WORKER) -> int:
    """Make one row of the many that writers left. Returns how many there were."""
    values = {"organisation": organisation_id, "most": _ADD_UP_BATCH}
    with organisation_scope(organisation_id, using=using):
        if len(fetch_all(_SEVERAL_SQL, values, using)) < 2:
            return 0
        return int(fetch_all(_ADD_UP_SQL, values, using)[0][0])
