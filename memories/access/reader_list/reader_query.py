"""The readers of audiences, looked up: how many of each kind, why they read, and who they are.

Whatever a page says about readers comes from this one query: the sentences, the counts, the sheet
and who is new. Readers whose names the asker may not know are counted and not named.
"""

from dataclasses import dataclass, field
from functools import cache
from uuid import UUID

from psycopg.pq import Format

from memories.access.audience_summary import AudienceReader, ReaderCounts
from memories.access.reader_counts import cohort_readers_sql
from orgs.cohort_types import COHORT_TYPES_SQL
from orgs.database.prepared_statements import fetch_all
from orgs.models.memberships import can_sign_in_sql
from orgs.principals import MODERATOR_ROLES, READABLE_GROUP_SQL, Principal
from robots.models.keys import valid_key_sql

SAMPLE_SIZE = 8
MAX_NAMED_GROUPS = 20

# People, robots and helpers of each audience, each once, with the reason for which they read.
# enters: a person who can sign in, a robot with a key that reads. A helper reads only on behalf of
# one of the people: by that member's delegation, as their own robot, because they told it, or if
# both are in the group in which the list was made.
_READERS_CTE = f"""
WITH wanted AS MATERIALIZED (
    SELECT id, kind, key, group_id FROM orgs_audience
    WHERE organisation_id = %(organisation)s AND id = ANY(%(audiences)s)
    UNION ALL SELECT %(drawn)s::uuid, 'explicit', '', NULL WHERE %(drawn)s::uuid IS NOT NULL
), entries AS MATERIALIZED (
    SELECT e.audience_id, e.kind, e.reader FROM orgs_audienceentry e
    WHERE e.organisation_id = %(organisation)s
      AND e.audience_id IN (SELECT id FROM wanted WHERE kind IN ('explicit', 'review'))
    UNION ALL SELECT %(drawn)s::uuid, 'member', unnest(%(members)s::uuid[])
), seen AS MATERIALIZED (
    SELECT g.id, g.name, g.confidential FROM orgs_group g
    WHERE g.organisation_id = %(organisation)s
      AND g.id IN (SELECT group_id FROM wanted WHERE group_id IS NOT NULL
                   UNION SELECT reader FROM entries WHERE kind = 'group')
      AND {READABLE_GROUP_SQL}
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
    FROM robots_key k WHERE k.organisation_id = %(organisation)s AND {valid_key_sql(now="now()")}
        AND k.groups IS NULL
    GROUP BY k.robot_id
), limited AS MATERIALIZED (
    -- A key that is limited to groups reads the audiences of these groups alone.
    SELECT k.robot_id, unnest(k.groups) AS group_id, k.scopes @> '["act_for"]' AS acts
    FROM robots_key k WHERE k.organisation_id = %(organisation)s AND {valid_key_sql(now="now()")}
        AND k.groups IS NOT NULL AND k.scopes @> '["read"]'
), live AS MATERIALIZED (
    -- A personal robot's key opens nothing once its member's account is closed.
    SELECT r.id, r.name, r.owner_id, r.client,
        coalesce(k.reads, false) AND u.is_active IS NOT FALSE AS reads,
        coalesce(k.acts, false) AND u.is_active IS NOT FALSE AS acts,
        u.is_active IS NOT FALSE AS is_open
    FROM robots_robot r LEFT JOIN keyed k ON k.robot_id = r.id
    LEFT JOIN orgs_member o ON o.organisation_id = r.organisation_id AND o.id = r.owner_id
    LEFT JOIN orgs_user u ON u.id = o.user_id
    WHERE r.organisation_id = %(organisation)s AND r.builtin IS NULL AND r.retired_at IS NULL
), seated AS MATERIALIZED (
    -- A personal robot is in the groups of its owner alone.
    SELECT s.group_id, s.robot_id, r.owner_id FROM robots_robotgroup s
    JOIN live r ON r.id = s.robot_id
    WHERE s.organisation_id = %(organisation)s AND (r.owner_id IS NULL OR EXISTS (
        SELECT 1 FROM orgs_groupmembership t WHERE t.organisation_id = %(organisation)s
        AND t.group_id = s.group_id AND t.member_id = r.owner_id))
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
    UNION ALL {{members}}
), persons AS (
    SELECT audience, member, reason, rank FROM seats
    UNION ALL
    SELECT w.id, m.id, CASE w.kind WHEN 'organisation' THEN 'everyone' ELSE 'curates' END, 3
    FROM wanted w JOIN orgs_member m ON m.organisation_id = %(organisation)s
    WHERE w.kind = 'organisation'
       OR m.role = ANY(%(moderators)s) AND (
           w.kind = 'review' OR w.kind IN {COHORT_TYPES_SQL} OR w.kind = 'group'
           AND w.group_id IN (SELECT id FROM seen WHERE NOT confidential))
), people AS (
    SELECT DISTINCT ON (p.audience, p.member) p.audience, m.id, m.name, p.reason,
        {can_sign_in_sql("m", "u")} AS enters,
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
    JOIN seen g ON w.kind = 'group' AND g.id = w.group_id JOIN seated s ON s.group_id = g.id
    UNION ALL
    SELECT w.id, s.robot_id, 'seat', 1 FROM wanted w
    JOIN mates s ON w.kind = 'team' AND s.team_id::text = w.key
    UNION ALL
    SELECT e.audience_id, s.robot_id, 'through', 2 FROM entries e
    JOIN mates s ON e.kind = 'team' AND s.team_id = e.reader
    UNION ALL
    SELECT e.audience_id, s.robot_id, 'through', 2 FROM entries e
    JOIN seen g ON e.kind = 'group' AND g.id = e.reader JOIN seated s ON s.group_id = g.id
    UNION ALL {{robots}}
), robots AS (
    SELECT DISTINCT ON (a.audience, r.id) a.audience, r.id, r.name, a.reason,
        r.reads OR r.is_open AND EXISTS (SELECT FROM limited l
            WHERE l.robot_id = r.id AND l.group_id = w.group_id) AS enters,
        coalesce(r.owner_id = %(me)s::uuid, false) AS mine
    FROM alone a JOIN live r ON r.id = a.id JOIN wanted w ON w.id = a.audience
    ORDER BY a.audience, r.id, a.rank
), leave AS MATERIALIZED (
    SELECT d.member_id AS member, d.robot_id AS robot, 'leave' AS reason
    FROM robots_delegation d JOIN live r ON r.id = d.robot_id AND r.owner_id IS NULL
    WHERE d.organisation_id = %(organisation)s AND d.revoked_at IS NULL
    -- An OAuth client acts for its member only where they allowed it.
    UNION SELECT owner_id, id, 'serves' FROM live
    WHERE owner_id IS NOT NULL AND (client = '' OR acts)
), helps AS (
    SELECT s.audience, s.member, l.robot, l.reason
    FROM seats s JOIN leave l ON l.member = s.member
    UNION ALL
    SELECT e.audience_id, t.reader, e.reader, 'told' FROM entries e
    JOIN entries t ON t.audience_id = e.audience_id AND t.kind = 'member'
    WHERE e.kind = 'direct' AND NOT EXISTS (
        SELECT FROM robots_delegation d WHERE d.organisation_id = %(organisation)s
        AND d.member_id = t.reader AND d.robot_id = e.reader AND d.revoked_at IS NOT NULL)
    UNION ALL
    SELECT s.audience, s.member, t.robot_id, 'acts' FROM seats s
    JOIN wanted w ON w.id = s.audience AND w.kind = 'explicit'
    JOIN orgs_groupmembership h ON h.organisation_id = %(organisation)s
        AND h.group_id = w.group_id AND h.member_id = s.member
    JOIN seated t ON t.group_id = h.group_id AND coalesce(t.owner_id, s.member) = s.member
), helpers AS (
    SELECT h.audience, r.id, r.name, max(h.reason) AS reason,
        r.acts OR r.is_open AND EXISTS (SELECT FROM limited l
            WHERE l.robot_id = r.id AND l.group_id = w.group_id AND l.acts) AS enters,
        bool_or(h.member = %(me)s) AS mine,
        r.owner_id IS NULL AND (max(h.reason) <> 'acts' OR EXISTS (
            SELECT 1 FROM seen WHERE seen.id = w.group_id)) AS known
    FROM helps h JOIN live r ON r.id = h.robot JOIN wanted w ON w.id = h.audience
    JOIN orgs_member m ON m.organisation_id = %(organisation)s AND m.id = h.member
        AND m.removed_at IS NULL
    WHERE NOT EXISTS (SELECT 1 FROM robots x
                      WHERE x.audience = h.audience AND x.id = r.id AND x.enters)
    GROUP BY h.audience, r.id, r.name, r.acts, r.is_open, r.owner_id, w.kind, w.group_id
), rows AS MATERIALIZED (
    SELECT audience, 'person' AS what, id, name, reason, enters, mine, true AS known FROM people
    UNION ALL SELECT audience, 'robot', id, name, reason, enters, mine, true FROM robots
    UNION ALL SELECT audience, 'helper', id, name, reason, enters, mine, known FROM helpers
), before AS (
    SELECT r.audience, r.what, r.id, count(DISTINCT b.audience) AS times FROM rows r
    JOIN rows b ON b.id = r.id AND b.what IN (r.what, 'robot') AND (b.enters OR NOT r.enters)
    WHERE b.audience = ANY(%(before)s::uuid[]) AND r.audience <> ALL(%(before)s::uuid[])
    GROUP BY r.audience, r.what, r.id
), named AS (
    -- Who has which persona is for them, and for those who curate; whom a personal robot serves
    -- is for its member alone.
    SELECT r.audience, r.what, r.id, r.name, r.reason, r.enters, r.mine,
        r.mine OR r.known AND (w.kind NOT IN {COHORT_TYPES_SQL}
            OR %(moderates)s AND r.what <> 'robot') AS known
    FROM rows r JOIN wanted w ON w.id = r.audience LEFT JOIN before b
        ON b.audience = r.audience AND b.what = r.what AND b.id = r.id
    WHERE coalesce(b.times, 0) < greatest(cardinality(%(before)s::uuid[]), 1)
), placed AS MATERIALIZED (
    SELECT n.*, row_number() OVER (PARTITION BY n.audience, n.what, n.enters ORDER BY
        n.known DESC, n.mine DESC, lower(n.name), n.id) AS place
    FROM named n
)
"""
# The counts and the first of them by name, from the same rows. members, robots, names: the SELECTs
# of CohortReadersSQL.
_READERS_SQL = f"""{_READERS_CTE}
SELECT audience, what, reason, enters, mine, count(*), NULL::uuid, '', known FROM placed
GROUP BY audience, what, reason, enters, mine, known
UNION ALL
SELECT audience, what, reason, enters, mine, place, id, name, true FROM placed
WHERE known AND (place <= %(shown)s OR place > %(start)s AND place <= %(start)s + %(most)s
    OR id = %(asked)s::uuid)
UNION ALL
(SELECT w.id, 'group', '', g.id IS NOT NULL, false, row_number() OVER (ORDER BY g.name), g.id,
    coalesce(g.name, ''), true
FROM wanted w LEFT JOIN entries e ON e.audience_id = w.id AND e.kind = 'group'
LEFT JOIN seen g ON g.id = coalesce(e.reader, w.group_id)
WHERE e.reader IS NOT NULL OR w.kind = 'group')
UNION ALL
(SELECT w.id, 'team', '', true, false, row_number() OVER (ORDER BY t.name), t.id, t.name, true
FROM wanted w LEFT JOIN entries e ON e.audience_id = w.id AND e.kind = 'team'
JOIN teams t ON t.id = e.reader OR (w.kind = 'team' AND t.id::text = w.key))
UNION ALL {{names}}
ORDER BY 6
"""


@cache
def _build_readers_sql() -> str:
    cohorts = cohort_readers_sql()
    return _READERS_SQL.format(members=cohorts.members, robots=cohorts.robots, names=cohorts.names)


@dataclass(frozen=True, slots=True)
class ReaderCount:
    """How many readers of one kind read for one reason; see `ReaderListEntry`. number: how many;
    known: whether the asker may know their names."""

    what: str
    reason: str
    enters: bool
    mine: bool
    number: int
    known: bool


@dataclass(frozen=True, slots=True)
class UnsavedAudience:
    """A list of people that is not stored yet, under an id that no audience has."""

    id: UUID
    members: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class ReaderPageQuery:
    """Which readers of each kind are wanted by name: `most` of them, after the first `start`, and
    the member of this id."""

    start: int = 0
    most: int = 0
    member: UUID | None = None


@dataclass(slots=True)
class ReaderQueryResult:
    """What was looked up for one audience. shown: the first SHOWN of each kind; listed: those of
    the wanted part; hidden: how many groups have no name here."""

    counts: list[ReaderCount] = field(default_factory=list)
    shown: list[AudienceReader] = field(default_factory=list)
    listed: list[AudienceReader] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    teams: list[str] = field(default_factory=list)
    cohort: str = ""
    hidden: int = 0

    def summed(self) -> ReaderCounts:
        """The counts that sentences are made of."""

        def number(what: str, *reasons: str, enters: bool | None = True) -> int:
            return sum(
                one.number
                for one in self.counts
                if one.what == what
                and enters in (one.enters, None)
                and (not reasons or one.reason in reasons)
            )

        return ReaderCounts(
            inside=number("person") - number("person", "curates", "through"),
            curating=number("person", "curates"),
            through=number("person", "through"),
            listed=number("person", "named", enters=None),
            robots=number("robot"),
            robots_listed=number("robot", "named"),
            helpers=number("helper"),
            mine=sum(
                one.number
                for one in self.counts
                if one.what == "helper" and one.enters and one.mine
            ),
            away=number("person", enters=False),
            keyless=number("robot", enters=False),
            groups=tuple(self.groups),
            teams=tuple(self.teams),
            cohort=self.cohort,
            hidden=self.hidden,
            shown=tuple(self.shown),
        )


def load_audience_readers(
    principal: Principal,
    audiences: list[UUID],
    *,
    before: tuple[UUID, ...] = (),
    drawn: UnsavedAudience | None = None,
    part: ReaderPageQuery | None = None,
) -> dict[UUID, ReaderQueryResult]:
    """What the asker may know of each audience, by its id; one query, in their scope.

    audiences: the asker reads all of them. drawn: one more list. before: some of `audiences`; for
    all the others only readers who do not yet read every one of these are counted.
    """
    found = {id_: ReaderQueryResult() for id_ in [*audiences, *([drawn.id] if drawn else [])]}
    if not found:
        return found
    actor, part = principal.actor, part or ReaderPageQuery()
    # A prepared statement: planning takes eight times as long as running it.
    rows = fetch_all(
        _build_readers_sql(),
        {
            "organisation": principal.organisation_id,
            "audiences": audiences,
            "before": list(before),
            "drawn": drawn.id if drawn else None,
            "members": list(drawn.members) if drawn else [],
            "me": actor.member_id,
            "moderates": actor.moderates,
            "moderators": list(map(str, MODERATOR_ROLES)),
            "shown": SAMPLE_SIZE,
            "start": part.start,
            "most": part.most,
            "asked": part.member,
        },
        how=Format.TEXT,
    )
    for audience, what, reason, enters, mine, number, id_, name, told in rows:
        known = found[audience]
        if what == "group":
            _add_group(known, name if enters else "")
        elif what == "team":
            known.teams.append(name)
        elif what == "cohort":
            known.cohort = name
        elif id_ is None:
            known.counts.append(ReaderCount(what, reason, enters, mine, number, told))
        else:
            one = AudienceReader(what, id_, name, reason, enters, mine)
            if number <= SAMPLE_SIZE:
                known.shown.append(one)
            if part.start < number <= part.start + part.most or id_ == part.member:
                known.listed.append(one)
    return found


def _add_group(known: ReaderQueryResult, name: str) -> None:
    if name and len(known.groups) < MAX_NAMED_GROUPS:
        known.groups.append(name)
    else:
        known.hidden += 1
