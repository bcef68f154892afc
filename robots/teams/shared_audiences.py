"""Which audiences every robot of a team reads when it acts alone: what the team may share.

It is `robots.access.robot_audience_rules` for many robots in one statement, because a team of a
thousand robots would cost a thousand queries. A test compares the two.
"""

from collections.abc import Iterable
from uuid import UUID

from orgs.cohort_types import is_global_sql
from orgs.database.prepared_statements import fetch_all

# Arrays instead of joins: the planner has no statistics of a team that was just made, and searched
# all rows for each of a thousand robots.
_SHARED_AUDIENCES_SQL = f"""
SELECT given.team, found.id FROM unnest(%(teams)s::uuid[]) AS given (team), LATERAL (
    WITH robots AS MATERIALIZED (
        SELECT r.id AS robot FROM robots_robot r
        WHERE r.organisation_id = %(organisation)s AND r.retired_at IS NULL
            AND r.id = ANY(ARRAY(
                SELECT t.robot_id FROM robots_teamrobot t
                WHERE t.organisation_id = %(organisation)s AND t.team_id = given.team))
    ), asked AS MATERIALIZED (
        SELECT a.id, a.kind, a.key, a.group_id FROM orgs_audience a
        WHERE a.organisation_id = %(organisation)s AND a.id = ANY(%(among)s::uuid[])
    ), seats AS MATERIALIZED (
        SELECT s.robot_id AS robot, s.group_id FROM robots_robotgroup s
        WHERE s.organisation_id = %(organisation)s
            AND s.robot_id = ANY(ARRAY(SELECT robot FROM robots))
    ), mates AS MATERIALIZED (
        SELECT t.robot_id AS robot, t.team_id AS team FROM robots_teamrobot t
        WHERE t.organisation_id = %(organisation)s
            AND t.robot_id = ANY(ARRAY(SELECT robot FROM robots))
    ), entries AS MATERIALIZED (
        SELECT e.audience_id, e.kind, e.reader FROM orgs_audienceentry e
        WHERE e.organisation_id = %(organisation)s
            AND e.audience_id IN (SELECT id FROM asked WHERE kind = 'explicit')
    ), reads AS (
        SELECT a.id, s.robot FROM asked a
        JOIN seats s ON a.kind = 'group' AND s.group_id = a.group_id
        UNION
        SELECT a.id, m.robot FROM asked a
        JOIN mates m ON a.kind = 'team' AND a.key = m.team::text
        UNION
        SELECT a.id, r.robot FROM asked a
        JOIN robots r ON a.kind = 'robot' AND a.key = r.robot::text
        UNION
        SELECT a.id, r.robot FROM asked a
        JOIN robots r ON {is_global_sql("a")} AND NOT EXISTS (
            SELECT FROM orgs_member m JOIN robots_robot own
                ON own.organisation_id = m.organisation_id AND own.owner_id = m.id
            WHERE m.organisation_id = %(organisation)s AND own.id = r.robot
                AND m.sharing_off_at IS NOT NULL)
        UNION
        SELECT e.audience_id, r.robot FROM entries e
        JOIN robots r ON e.kind = 'robot' AND e.reader = r.robot
        UNION
        SELECT e.audience_id, s.robot FROM entries e
        JOIN seats s ON e.kind = 'group' AND s.group_id = e.reader
        UNION
        SELECT e.audience_id, m.robot FROM entries e
        JOIN mates m ON e.kind = 'team' AND m.team = e.reader
    )
    SELECT a.id FROM asked a WHERE a.kind = 'organisation' AND EXISTS (SELECT FROM robots)
    UNION ALL
    SELECT x.id FROM reads x GROUP BY x.id HAVING count(*) = (SELECT count(*) FROM robots)
) AS found
"""


def fetch_shared_audiences(
    organisation_id: UUID, teams: Iterable[UUID], among: Iterable[UUID]
) -> dict[UUID, frozenset[UUID]]:
    """By team, the audiences of `among` that all its robots read; call inside a scope.

    Retired robots do not count; a team without robots shares nothing.
    """
    values = {"organisation": organisation_id, "teams": list(teams), "among": list(among)}
    found: dict[UUID, set[UUID]] = {}
    for team, audience in fetch_all(_SHARED_AUDIENCES_SQL, values):
        found.setdefault(team, set()).add(audience)
    return {team: frozenset(ids) for team, ids in found.items()}
