"""Who can read a memory, in words and by name, for somebody who reads it themselves.

A page of memories costs as many queries as one memory. Group names come only from groups that
the asker reads, so that nothing is learnt from a list that names another group.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import connection

from memories.models import Memory
from orgs.models import Audience, AudienceKind
from orgs.principals import MODERATORS, Principal

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Readers:
    """An audience as people say it.

    label: a few words for a list; sentence: who can read this; names: of people, the asker first
    as "You"; more: how many are not named; group: where it is one that the asker knows.
    """

    kind: str
    label: str
    sentence: str
    names: tuple[str, ...] = ()
    more: int = 0
    group: UUID | None = None


@dataclass(slots=True)
class _Known:
    """What was looked up for one audience.

    inside: how many people are of it; others: how many read it because they curate. names are
    of people, the asker first, and of no more than SHOWN. hidden: groups not to be named.
    """

    inside: int = 0
    others: int = 0
    names: list[str] = field(default_factory=list)
    robots: list[str] = field(default_factory=list)
    robot_count: int = 0
    groups: list[str] = field(default_factory=list)
    hidden: int = 0
    helpers: list[str] = field(default_factory=list)

    @property
    def more(self) -> int:
        return self.inside + self.others - len(self.names)


def people(count: int) -> str:
    """1 person, 2 people."""
    return "1 person" if count == 1 else f"{count:,} people"


def and_robots(count: int) -> str:
    """The rest of a sentence: nothing, " and 1 robot", " and 2 robots"."""
    if not count:
        return ""
    return " and 1 robot" if count == 1 else f" and {count:,} robots"


# One statement for a whole page: people and robots of each audience, counted in the database.
# Group names come only from groups that the asker reads.
_LOOK_UP = """
WITH wanted AS MATERIALIZED (
    SELECT id, kind, group_id FROM orgs_audience
    WHERE organisation_id = %(organisation)s AND id = ANY(%(audiences)s)
), entries AS MATERIALIZED (
    SELECT e.audience_id, e.kind, e.reader FROM orgs_audienceentry e
    WHERE e.organisation_id = %(organisation)s
      AND e.audience_id IN (SELECT id FROM wanted WHERE kind IN ('explicit', 'review'))
), seen AS MATERIALIZED (
    SELECT g.id, g.name, g.confidential FROM orgs_group g
    WHERE g.organisation_id = %(organisation)s
      AND g.id IN (SELECT group_id FROM wanted WHERE kind = 'group'
                   UNION SELECT reader FROM entries WHERE kind = 'group')
      AND (%(moderates)s AND NOT g.confidential OR g.id IN (
          SELECT group_id FROM orgs_groupmembership
          WHERE organisation_id = %(organisation)s AND member_id = %(me)s))
), seats AS MATERIALIZED (
    SELECT w.id AS audience, s.member_id AS member, true AS inside
    FROM wanted w JOIN seen g ON w.kind = 'group' AND g.id = w.group_id
    JOIN orgs_groupmembership s ON s.organisation_id = %(organisation)s AND s.group_id = g.id
    UNION
    SELECT audience_id, reader, true FROM entries WHERE kind = 'member'
), people AS (
    SELECT audience, member, inside FROM seats
    UNION ALL
    SELECT w.id, m.id, w.kind <> 'group' FROM wanted w
    JOIN orgs_member m ON m.organisation_id = %(organisation)s AND m.removed_at IS NULL
    WHERE (w.kind = 'organisation'
           OR w.kind = 'review' AND m.role = ANY(%(moderators)s)
           OR w.kind = 'group' AND m.role = ANY(%(moderators)s)
              AND w.group_id IN (SELECT id FROM seen WHERE NOT confidential))
      AND NOT EXISTS (SELECT 1 FROM seats WHERE audience = w.id AND member = m.id)
), placed AS (
    SELECT p.audience, p.inside, m.id = %(me)s AS mine, m.name,
        row_number() OVER (PARTITION BY p.audience
                           ORDER BY m.id = %(me)s DESC, lower(m.name), m.id) AS place
    FROM people p JOIN orgs_member m
    ON m.organisation_id = %(organisation)s AND m.id = p.member AND m.removed_at IS NULL
), robots AS (
    SELECT w.id AS audience, r.name FROM wanted w
    JOIN robots_robot r ON r.organisation_id = %(organisation)s
    WHERE r.builtin IS NULL AND r.retired_at IS NULL
      AND (w.kind = 'organisation'
           OR w.kind = 'group' AND w.group_id IN (SELECT id FROM seen) AND EXISTS (
               SELECT 1 FROM robots_robotgroup s WHERE s.organisation_id = %(organisation)s
               AND s.robot_id = r.id AND s.group_id = w.group_id)
           OR EXISTS (SELECT 1 FROM entries e WHERE e.audience_id = w.id
                      AND e.kind = 'robot' AND e.reader = r.id))
)
SELECT audience, 'people', count(*) FILTER (WHERE inside), count(*) FILTER (WHERE NOT inside),
    array_agg(CASE WHEN mine THEN 'You' ELSE name END ORDER BY place)
        FILTER (WHERE place <= %(shown)s)
FROM placed GROUP BY audience
UNION ALL
SELECT audience, 'robots', count(*), 0, (array_agg(name ORDER BY name))[1:%(most)s]
FROM robots GROUP BY audience
UNION ALL
SELECT w.id, 'groups', 0, count(*) FILTER (WHERE g.id IS NULL),
    array_agg(g.name ORDER BY g.name) FILTER (WHERE g.id IS NOT NULL)
FROM wanted w LEFT JOIN entries e ON e.audience_id = w.id AND e.kind = 'group'
LEFT JOIN seen g ON g.id = coalesce(e.reader, w.group_id)
WHERE e.reader IS NOT NULL OR w.kind = 'group' GROUP BY w.id
UNION ALL
SELECT w.id, 'helpers', count(*), 0, array_agg(r.name ORDER BY r.name) FROM wanted w
JOIN robots_robot r ON w.kind = 'member' AND r.organisation_id = %(organisation)s
    AND r.retired_at IS NULL
WHERE r.owner_id = %(me)s OR EXISTS (
    SELECT 1 FROM robots_delegation d WHERE d.organisation_id = %(organisation)s
    AND d.member_id = %(me)s AND d.robot_id = r.id AND d.revoked_at IS NULL)
GROUP BY w.id
"""
MOST_ROBOTS = 20


def readers_of(
    principal: Principal, memories: Iterable[Memory], organisation: str
) -> dict[UUID, Readers]:
    """Readers by audience id; call inside the principal's scope. One query."""
    return readers_in(principal, [memory.audience for memory in memories], organisation)


def readers_in(
    principal: Principal, places: Iterable[Audience], organisation: str
) -> dict[UUID, Readers]:
    """The same for audiences that the asker may read."""
    audiences = {audience.id: audience for audience in places}
    known = _look_up(principal, list(audiences))
    return {
        id_: replace(
            _words(audience.kind, organisation, known[id_]),
            group=audience.group_id if known[id_].groups else None,
        )
        for id_, audience in audiences.items()
    }


def _look_up(principal: Principal, audiences: list[UUID]) -> dict[UUID, _Known]:
    found = {id_: _Known() for id_ in audiences}
    if not found:
        return found
    actor = principal.actor
    with connection.cursor() as cursor:
        cursor.execute(
            _LOOK_UP,
            {
                "organisation": principal.organisation_id,
                "audiences": audiences,
                "me": actor.member_id,
                "moderates": actor.moderates,
                "moderators": list(MODERATORS),
                "shown": SHOWN,
                "most": MOST_ROBOTS,
            },
        )
        for id_, what, count, others, names in cursor.fetchall():
            _fill(found[id_], what, count, others, names or [])
    return found


def _fill(known: _Known, what: str, count: int, others: int, names: list[str]) -> None:
    match what:
        case "people":
            known.inside, known.others, known.names = count, others, names
        case "robots":
            known.robot_count, known.robots = count, names
        case "groups":
            known.groups, known.hidden = names, others
        case "helpers":
            known.helpers = names


def _words(kind: str, organisation: str, known: _Known) -> Readers:
    match kind:
        case AudienceKind.ORGANISATION:
            return _everyone(organisation, known)
        case AudienceKind.GROUP:
            return _group(known)
        case AudienceKind.MEMBER:
            return _only_you(known)
        case AudienceKind.REVIEW:
            return Readers(
                AudienceKind.REVIEW,
                "Waiting for review",
                "Its author and those who curate can read this, until somebody has decided.",
                tuple(known.names),
                known.more,
            )
    return _list(known)


def _everyone(organisation: str, known: _Known) -> Readers:
    who = f"All {people(known.inside)}" if known.inside > 1 else "You"
    return Readers(
        AudienceKind.ORGANISATION,
        f"Everyone in {organisation}",
        f"{who}{and_robots(known.robot_count)} in {organisation} can read this.",
        tuple(known.names),
        known.more,
    )


def _group(known: _Known) -> Readers:
    if not known.groups:
        return Readers(AudienceKind.GROUP, "A group", "The people of its group can read this.")
    name = known.groups[0]
    sentence = f"{people(known.inside)}{and_robots(known.robot_count)} in {name} can read this"
    if known.others:
        sentence += f", and {known.others} who curate"
    return Readers(AudienceKind.GROUP, name, f"{sentence}.", tuple(known.names), known.more)


def _only_you(known: _Known) -> Readers:
    sentence = "Only you can read this."
    if known.helpers:
        sentence = f"Only you can read this, and {_joined(known.helpers)} when working for you."
    return Readers(AudienceKind.MEMBER, "Only you", sentence)


def _list(known: _Known) -> Readers:
    parts = [f"everyone in {name}" for name in known.groups]
    if known.hidden:
        parts.append("one more group" if known.hidden == 1 else f"{known.hidden} more groups")
    if known.inside:
        parts.append("you" if known.names == ["You"] else people(known.inside))
    parts += known.robots
    sentence = f"{_joined(parts)} can read this."
    label = _short([*known.groups, *known.names, *known.robots], known.more + known.hidden)
    return Readers(
        AudienceKind.EXPLICIT,
        label,
        sentence[0].upper() + sentence[1:],
        tuple(known.names),
        known.more,
    )


def _joined(words: list[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _short(names: list[str], hidden: int) -> str:
    """Two names and how many others."""
    rest = len(names) - 2 + hidden
    if rest <= 0:
        return _joined(names) or "Some people"
    return f"{', '.join(names[:2])} and {rest} more"
