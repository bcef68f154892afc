"""The level of a memory, derived from its columns: as a value, as an expression and as SQL.

individual: about a member, or between two, or a robot's own note. group: of a group and about no
member. cross_group: what a member is, prefers and knows, in whichever group: preferences and
expertise that a member said or that patterns of several groups showed. organisation: everything
else. So cross_group holds no words of a group and no fact of the organisation.
"""

from uuid import UUID

from django.db.models import Case, Q, Value, When

from memories.store.models.choices import Kind, Level, Type

_OWN_KINDS = (Kind.DIRECT, Kind.INTERNAL)
_PERSONAL_TYPES = (Type.PREFERENCE, Type.EXPERTISE)


def derive_level(
    *, kind: str, type: str, group: UUID | None, member: UUID | None, speaker: UUID | None
) -> Level:
    """The level of a memory with these columns. speaker: the member who said it."""
    if member:
        return Level.INDIVIDUAL
    if group:
        return Level.GROUP
    if kind in _OWN_KINDS:
        return Level.INDIVIDUAL
    personal = speaker and type in _PERSONAL_TYPES
    return Level.CROSS_GROUP if personal else Level.ORGANISATION


# The same for queries of memories, in the same order.
LEVEL = Case(
    When(member_id__isnull=False, then=Value(Level.INDIVIDUAL.value)),
    When(group_id__isnull=False, then=Value(Level.GROUP.value)),
    When(kind__in=_OWN_KINDS, then=Value(Level.INDIVIDUAL.value)),
    When(
        Q(type__in=_PERSONAL_TYPES, speaker_member_id__isnull=False),
        then=Value(Level.CROSS_GROUP.value),
    ),
    default=Value(Level.ORGANISATION.value),
)
# The same in SQL, of a memory `m`.
LEVEL_SQL = f"""CASE WHEN m.member_id IS NOT NULL THEN '{Level.INDIVIDUAL}'
    WHEN m.group_id IS NOT NULL THEN '{Level.GROUP}'
    WHEN m.kind IN ('{Kind.DIRECT}', '{Kind.INTERNAL}') THEN '{Level.INDIVIDUAL}'
    WHEN m.type IN ('{Type.PREFERENCE}', '{Type.EXPERTISE}') AND m.speaker_member_id IS NOT NULL
        THEN '{Level.CROSS_GROUP}'
    ELSE '{Level.ORGANISATION}' END"""
