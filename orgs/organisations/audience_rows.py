"""Audiences: who may read, one row for each distinct set of readers."""

import hashlib
from collections.abc import Iterable
from uuid import UUID

from orgs.models.audiences import Audience, AudienceEntry, AudienceType, ReaderType


def ensure_audience(
    organisation_id: UUID, kind: str, key: str = "", group_id: UUID | None = None
) -> UUID:
    """The id of the audience of this kind and key; created if it is not there yet."""
    found = (
        Audience.objects.filter(organisation_id=organisation_id, kind=kind, key=key)
        .values_list("id", flat=True)
        .first()
    )
    if found:
        return found
    Audience.objects.bulk_create(
        [Audience(organisation_id=organisation_id, kind=kind, key=key, group_id=group_id)],
        ignore_conflicts=True,
    )
    return Audience.objects.values_list("id", flat=True).get(
        organisation_id=organisation_id, kind=kind, key=key
    )


ReaderKey = tuple[str, UUID]


def readers_digest(readers: Iterable[ReaderKey], group_id: UUID | None) -> str:
    """64 hex digits that name a set of readers, whatever their order, inside its group."""
    lines = sorted({f"{kind}:{reader}" for kind, reader in readers})
    return hashlib.sha256("\n".join([str(group_id or "-"), *lines]).encode()).hexdigest()


def ensure_explicit_audience(
    organisation_id: UUID,
    readers: Iterable[ReaderKey],
    group_id: UUID | None = None,
    kind: str = AudienceType.EXPLICIT,
) -> UUID:
    """The audience of exactly these readers; one row per distinct set (and group)."""
    chosen = sorted(set(readers), key=str)
    digest = readers_digest(chosen, group_id)
    audience_id = ensure_audience(organisation_id, kind, digest, group_id)
    entries = AudienceEntry.objects.filter(organisation_id=organisation_id, audience_id=audience_id)
    if entries.count() != len(chosen):
        AudienceEntry.objects.bulk_create(
            [
                AudienceEntry(
                    organisation_id=organisation_id,
                    audience_id=audience_id,
                    kind=reader_kind,
                    reader=reader,
                )
                for reader_kind, reader in chosen
            ],
            ignore_conflicts=True,
        )
    return audience_id


def direct_readers(robot_id: UUID, member_id: UUID) -> tuple[ReaderKey, ReaderKey]:
    """The readers of what a member tells a robot in direct conversations."""
    return (ReaderType.DIRECT, robot_id), (ReaderType.MEMBER, member_id)


def ensure_direct_audience(organisation_id: UUID, robot_id: UUID, member_id: UUID) -> UUID:
    """The audience of what the member tells the robot: one for each pair."""
    return ensure_explicit_audience(organisation_id, direct_readers(robot_id, member_id))


def direct_audience_key(robot_id: UUID, member_id: UUID) -> str:
    """The key of that audience."""
    return readers_digest(direct_readers(robot_id, member_id), None)


def list_audience_batches(organisation_id: UUID, at_once: int) -> list[list[UUID]]:
    """The ids of all audiences in lists of `at_once`, for work on every row of an organisation."""
    rows = Audience.objects.filter(organisation_id=organisation_id).order_by("id")
    ids = list(rows.values_list("id", flat=True))
    return [ids[first : first + at_once] for first in range(0, len(ids), at_once)]
