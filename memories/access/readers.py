"""Who can read a memory, in words and by name, for somebody who reads it themselves.

A page of memories costs as many queries as one memory. Group names come only from groups that
the asker reads, so that nothing is learnt from a list that names another group. The sentences
count who can read now: whoever cannot sign in, or has no key, is named beside them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from uuid import UUID

from django.db import connection

from memories.access.reader_sentences import (
    AudiencePeople,
    AudienceSentence,
    Reader,
    in_words,
    newly_in_words,
)
from memories.store.models.memory import Memory
from orgs.models.audiences import Audience
from orgs.principals import MODERATORS, READS_GROUP, Principal

SHOWN = 8
MOST_GROUPS = 20

# People, robots and helpers of each audience, each once, with the reason for which they read.
# enters: a person who can sign in, a robot with a key that reads. A helper reads for one of the
# people and not alone: by that member's leave, as their own robot, or where both are in the
# group in which the list was made.
_ROWS = f"""
WITH wanted AS MATERIALIZED (
    SELECT id, kind, key, group_id FROM orgs_audience
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
      AND {READS_GROUP}
), teams AS MATERIALIZED (
    SELECT t.id, t.name FROM robots_team t
    WHERE t.organisation_id = %(organisation)s AND t.removed_at IS NULL
      AND (t.id IN (SELECT reader FROM entries WHERE kind = 'team')
           OR t.id::text IN (SELECT key FROM wanted WHERE kind = 'team'))
), mates AS MATERIALIZED (
    SELECT s.team_id, s.robot_id FROM robots_teamrobot s
    WHERE s.organisation_id = %(organisation)s AND s.team_id IN (SELECT id FROM teams)
), keyed AS (
    SELECT k.robot_id, bool_or(k.scopes @> '["read"]') AS reads,
        bool_or(k.scopes @> '["read", "act_for"]') AS acts
    FROM robots_key k WHERE k.organisation_id = %(organisation)s AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now())
    GROUP BY k.robot_id
), live AS MATERIALIZED (
    SELECT r.id, r.name, r.owner_id, coalesce(k.reads, false) AS reads,
        coalesce(k.acts, false) AS acts
    FROM robots_robot r LEFT JOIN keyed k ON k.robot_id = r.id
    WHERE r.organisation_id = %(organisation)s AND r.builtin IS NULL AND r.retired_at IS NULL
), seats AS MATERIALIZED (
    SELECT w.id AS audience, s.member_id AS member, 'seat' AS reason, 1 AS rank
    FROM wanted w JOIN seen g ON w.kind = 'group' AND g.id = w.group_id
    JOIN orgs_groupmembership s ON s.organisation_id = %(organisation)s AND s.group_id = g.id
    UNION ALL
    SELECT audience_id, reader, 'named', 1 FROM entries WHERE kind = 'member'
    UNION ALL
    SELECT e.audience_id, s.member_id, 'through', 2 FROM entries e
    JOIN seen g ON e.kind = 'group' AND g.id = e.reader
    JOIN orgs_groupmembership s ON s.organisation_id = %(organisation)s AND s.group_id = g.id
    UNION ALL
    SELECT id, key::uuid, 'own', 1 FROM wanted WHERE kind = 'member'
    /* cohorts: members */
), persons AS (
    SELECT audience, member, reason, rank FROM seats
    UNION ALL
    SELECT w.id, m.id, CASE w.kind WHEN 'organisation' THEN 'everyone' ELSE 'curates' END, 3
    FROM wanted w JOIN orgs_member m ON m.organisation_id = %(organisation)s
    WHERE w.kind = 'organisation'
       OR m.role = ANY(%(moderators)s) AND (
           w.kind IN ('review', 'persona', 'industry', 'role') OR w.kind = 'group'
           AND w.group_id IN (SELECT id FROM seen WHERE NOT confidential))
), people AS (
    SELECT DISTINCT ON (p.audience, p.member) p.audience, m.id, m.name, p.reason,
        m.joined_at IS NOT NULL AND coalesce(u.is_active, false) AS enters,
        m.id = %(me)s AS mine
    FROM persons p
    JOIN orgs_member m ON m.organisation_id = %(organisation)s AND m.id = p.member
    LEFT JOIN orgs_user u ON u.id = m.user_id
    WHERE m.removed_at IS NULL ORDER BY p.audience, p.member, p.rank
), alone AS MATERIALIZED (
    SELECT w.id AS audience, r.id, 'everyone' AS reason, 1 AS rank
    FROM wanted w CROSS JOIN live r WHERE w.kind = 'organisation'
    UNION ALL
    SELECT e.audience_id, e.reader, 'named', 1 FROM entries e WHERE e.kind = 'robot'
    UNION ALL
    SELECT w.id, s.robot_id, 'seat', 1 FROM wanted w
    JOIN seen g ON w.kind = 'group' AND g.id = w.group_id
    JOIN robots_robotgroup s ON s.organisation_id = %(organisation)s AND s.group_id = g.id
    UNION ALL
    SELECT w.id, s.robot_id, 'seat', 1 FROM wanted w
    JOIN mates s ON w.kind = 'team' AND s.team_id::text = w.key
    UNION ALL
    SELECT e.audience_id, s.robot_id, 'through', 2 FROM entries e
    JOIN mates s ON e.kind = 'team' AND s.team_id = e.reader
    UNION ALL
    SELECT e.audience_id, s.robot_id, 'through', 2 FROM entries e
    JOIN seen g ON e.kind = 'group' AND g.id = e.reader
    JOIN robots_robotgroup s ON s.organisation_id = %(organisation)s AND s.group_id = g.id
    /* cohorts: robots */
), robots AS (
    SELECT DISTINCT ON (a.audience, r.id) a.audience, r.id, r.name, a.reason, r.reads AS enters
    FROM alone a JOIN live r ON r.id = a.id ORDER BY a.audience, r.id, a.rank
), leave AS MATERIALIZED (
    SELECT member_id AS member, robot_id AS robot FROM robots_delegation
    WHERE organisation_id = %(organisation)s AND revoked_at IS NULL
    UNION SELECT owner_id, id FROM live WHERE owner_id IS NOT NULL
), helps AS (
    SELECT s.audience, s.member, l.robot, 'leave' AS reason
    FROM seats s JOIN leave l ON l.member = s.member
    UNION ALL
    SELECT s.audience, s.member, t.robot_id, 'acts' FROM seats s
    JOIN wanted w ON w.id = s.audience AND w.kind = 'explicit'
    JOIN orgs_groupmembership h ON h.organisation_id = %(organisation)s
        AND h.group_id = w.group_id AND h.member_id = s.member
    JOIN robots_robotgroup t ON t.organisation_id = %(organisation)s AND t.group_id = h.group_id
), helpers AS (
    SELECT h.audience, r.id, r.name, max(h.reason) AS reason,
        r.acts OR w.kind = 'member' AS enters, bool_or(h.member = %(me)s) AS mine
    FROM helps h JOIN live r ON r.id = h.robot JOIN wanted w ON w.id = h.audience
    JOIN orgs_member m ON m.organisation_id = %(organisation)s AND m.id = h.member
        AND m.removed_at IS NULL
    WHERE NOT EXISTS (SELECT 1 FROM robots x
                      WHERE x.audience = h.audience AND x.id = r.id AND x.enters)
    GROUP BY h.audience, r.id, r.name, r.acts, w.kind
), rows AS MATERIALIZED (
    SELECT audience, 'person' AS what, id, name, reason, enters, mine FROM people
    UNION ALL SELECT audience, 'robot', id, name, reason, enters, false FROM robots
    UNION ALL SELECT audience, 'helper', id, name, reason, enters, mine FROM helpers
), placed AS MATERIALIZED (
    SELECT r.*, row_number() OVER (PARTITION BY r.audience, r.what, r.enters
                                   ORDER BY r.mine DESC, lower(r.name), r.id) AS place
    -- Who reads it nowhere else, or not in each of the places before.
    FROM rows r WHERE cardinality(%(before)s::uuid[]) = 0 OR cardinality(%(before)s::uuid[]) > (
        SELECT count(DISTINCT b.audience) FROM rows b
        WHERE b.audience = ANY(%(before)s::uuid[]) AND r.audience <> b.audience
        AND b.id = r.id AND b.what IN (r.what, 'robot') AND (b.enters OR NOT r.enters))
)
"""
# The counts and the first of them by name, from the same rows.
_LOOK_UP = f"""{_ROWS}
SELECT audience, what, reason, enters, mine, count(*), NULL::uuid, '' FROM placed
GROUP BY audience, what, reason, enters, mine
UNION ALL
SELECT audience, what, reason, enters, mine, place, id, name FROM placed
-- Who has which persona is for them, and for those who curate.
WHERE place <= %(shown)s AND (mine OR %(moderates)s OR audience NOT IN (
    SELECT id FROM wanted WHERE kind IN ('persona', 'industry', 'role')))
UNION ALL
(SELECT w.id, 'group', '', g.id IS NOT NULL, false, row_number() OVER (ORDER BY g.name), g.id,
    coalesce(g.name, '')
FROM wanted w LEFT JOIN entries e ON e.audience_id = w.id AND e.kind = 'group'
LEFT JOIN seen g ON g.id = coalesce(e.reader, w.group_id)
WHERE e.reader IS NOT NULL OR w.kind = 'group')
UNION ALL
(SELECT w.id, 'team', '', true, false, row_number() OVER (ORDER BY t.name), t.id, t.name
FROM wanted w LEFT JOIN entries e ON e.audience_id = w.id AND e.kind = 'team'
JOIN teams t ON t.id = e.reader OR (w.kind = 'team' AND t.id::text = w.key))
/* cohorts: names */
ORDER BY 6
"""


@dataclass(frozen=True, slots=True)
class CohortReaders:
    """SELECTs over `wanted` for audiences of personas, industries and roles, which an app above
    knows.

    members: (audience, member, 'seat', 1). robots: the same of those that read alone. names:
    (audience, 'cohort', '', true, false, 1, audience, what people call it).
    """

    members: str
    robots: str
    names: str


_cohorts: list[CohortReaders] = []


def register_cohort_readers(readers: CohortReaders) -> CohortReaders:
    """Say who reads them."""
    _cohorts.append(readers)
    return readers


@cache
def _look_up_sql() -> str:
    statement = _LOOK_UP
    for one in _cohorts:
        for name in ("members", "robots", "names"):
            part = f"UNION ALL {getattr(one, name)}"
            statement = statement.replace(f"/* cohorts: {name} */", part)
    return statement


@dataclass(slots=True)
class _Known:
    """What was looked up for one audience."""

    counts: list[tuple[str, str, bool, bool, int]] = field(default_factory=list)
    shown: list[Reader] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    cohort: str = ""
    hidden: int = 0

    def summed(self) -> AudiencePeople:
        """The counts that sentences are made of."""

        def number(what: str, *reasons: str, enters: bool | None = True) -> int:
            return sum(
                n
                for kind, reason, able, _, n in self.counts
                if kind == what and enters in (able, None) and (not reasons or reason in reasons)
            )

        return AudiencePeople(
            inside=number("person") - number("person", "curates", "through"),
            curating=number("person", "curates"),
            through=number("person", "through"),
            listed=number("person", "named", enters=None),
            robots=number("robot"),
            robots_listed=number("robot", "named"),
            helpers=number("helper"),
            mine=sum(
                n for what, _, able, mine, n in self.counts if what == "helper" and able and mine
            ),
            away=number("person", enters=False),
            keyless=number("robot", enters=False),
            groups=tuple(self.groups),
            teams=tuple(self.teams),
            cohort=self.cohort,
            hidden=self.hidden,
            shown=tuple(self.shown),
        )


def readers_of(
    principal: Principal, memories: Iterable[Memory], organisation: str
) -> dict[UUID, AudienceSentence]:
    """Readers by audience id; call inside the principal's scope. One query."""
    return readers_in(principal, [memory.audience for memory in memories], organisation)


def readers_in(
    principal: Principal, places: Iterable[Audience], organisation: str
) -> dict[UUID, AudienceSentence]:
    """The same for audiences that the asker may read."""
    audiences = {audience.id: audience for audience in places}
    known = _look_up(principal, list(audiences))
    return {
        id_: replace(
            in_words(audience.kind, organisation, known[id_].summed()),
            group=audience.group_id if known[id_].groups else None,
        )
        for id_, audience in audiences.items()
    }


def newly_in(
    principal: Principal, place: Audience, before: Audience, organisation: str
) -> AudienceSentence:
    """Who would read it in `place` and does not where it is; the asker reads both. One query."""
    return newly_in_words(place.kind, organisation, _newly(principal, place.id, [before.id]))


def newly_in_from(
    principal: Principal, place: Audience, before: Iterable[Audience], organisation: str
) -> AudienceSentence:
    """Who would read one or more of several that go to `place` from these; one query."""
    known = _newly(principal, place.id, sorted({audience.id for audience in before}))
    return newly_in_words(place.kind, organisation, known, what="one or more of them")


def _newly(principal: Principal, place: UUID, before: list[UUID]) -> AudiencePeople:
    return _look_up(principal, [place, *before], before)[place].summed()


def _look_up(
    principal: Principal, audiences: list[UUID], before: Sequence[UUID] = ()
) -> dict[UUID, _Known]:
    found = {id_: _Known() for id_ in audiences}
    if not found:
        return found
    actor = principal.actor
    with connection.cursor() as cursor:
        cursor.execute(
            _look_up_sql(),
            {
                "organisation": principal.organisation_id,
                "audiences": audiences,
                "before": list(before),
                "me": actor.member_id,
                "moderates": actor.moderates,
                "moderators": list(MODERATORS),
                "shown": SHOWN,
            },
        )
        for audience, what, reason, enters, mine, number, id_, name in cursor.fetchall():
            known = found[audience]
            if what == "group":
                _note_group(known, name if enters else "")
            elif what == "team":
                known.teams.append(name)
            elif what == "cohort":
                known.cohort = name
            elif id_ is None:
                known.counts.append((what, reason, enters, mine, number))
            else:
                known.shown.append(Reader(what, id_, name, reason, enters, mine))
    return found


def _note_group(known: _Known, name: str) -> None:
    if name and len(known.groups) < MOST_GROUPS:
        known.groups.append(name)
    else:
        known.hidden += 1
