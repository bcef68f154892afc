"""Which audiences of personas, industries and roles somebody reads.

A member reads those of their personas, unless they opted out of sharing. So does a robot to which
they delegate, and their personal robot when it acts for nobody. In a group nobody reads them,
because others read the answer. Outside groups curators read all of them.

What was learned for all industries everybody reads who has not opted out, with or without a
persona, and every robot, also in groups.
"""

from memories.access.reader_counts import CohortReadersSQL
from orgs.cohort_types import COHORT_TYPES_SQL, is_global_sql
from orgs.models.memberships import joined_sql, sharing_sql
from orgs.principals import Actor

# For a member `m` with an association `s`.
_CONFIRMED_SQL = f"s.confirmed_at IS NOT NULL AND {sharing_sql('m')}"
_COHORTS_OF_MEMBER_SQL = (
    "(a.kind, a.key) IN (SELECT v.* FROM personas_association s "
    "JOIN orgs_member m ON m.organisation_id = s.organisation_id AND m.id = s.member_id "
    "JOIN personas_persona p ON p.organisation_id = s.organisation_id AND p.id = s.persona_id "
    ", LATERAL (VALUES ('persona', p.id::text), ('industry', p.industry_key::text), "
    "('role', p.role_key::text)) v "
    f"WHERE s.organisation_id = %(organisation)s AND {_CONFIRMED_SQL} AND s.member_id = {{member}})"
)
_MEMBER_COHORTS_SQL = _COHORTS_OF_MEMBER_SQL.format(member="%(member)s")
_OWNER_COHORTS_SQL = _COHORTS_OF_MEMBER_SQL.format(
    member="(SELECT owner_id FROM robots_robot WHERE organisation_id = %(organisation)s "
    "AND id = %(robot)s)"
)
_ALL_COHORTS_SQL = f"a.kind IN {COHORT_TYPES_SQL}"
_GLOBAL_SQL = (
    f"{is_global_sql('a')} AND NOT EXISTS (SELECT FROM orgs_member m WHERE m.organisation_id = "
    "%(organisation)s AND m.sharing_off_at IS NOT NULL AND m.id = {member})"
)
_MEMBER_GLOBAL_SQL = _GLOBAL_SQL.format(member="%(member)s")
_OWNER_GLOBAL_SQL = _GLOBAL_SQL.format(
    member="(SELECT owner_id FROM robots_robot WHERE organisation_id = %(organisation)s "
    "AND id = %(robot)s)"
)


def cohort_audience_conditions(actor: Actor) -> list[str]:
    """SQL conditions on the table of audiences (alias a).

    See `orgs.principals.audience_conditions`.
    """
    if actor.moderates and not actor.group_id:
        return [_ALL_COHORTS_SQL]
    for_all = _OWNER_GLOBAL_SQL if actor.member_id is None else _MEMBER_GLOBAL_SQL
    if actor.group_id is not None:
        return [for_all]
    if actor.member_id is not None:
        return [_MEMBER_COHORTS_SQL, for_all] if actor.sees_own else [for_all]
    return [_OWNER_COHORTS_SQL, for_all] if actor.robot_id is not None else []


# For an audience `w` of `wanted` and an association `s` of a persona `p`.
_PERSONAS_OF_AUDIENCE_SQL = (
    "FROM wanted w JOIN personas_persona p ON p.organisation_id = %(organisation)s "
    "AND (w.kind = 'persona' AND p.id::text = w.key "
    "OR w.kind = 'industry' AND p.industry_key = w.key "
    "OR w.kind = 'role' AND p.role_key = w.key) "
)
_ASSOCIATED_MEMBERS_SQL = (
    "JOIN personas_association s ON s.organisation_id = p.organisation_id AND s.persona_id = p.id "
    "JOIN orgs_member m ON m.organisation_id = s.organisation_id AND m.id = s.member_id "
    f"AND {_CONFIRMED_SQL} "
)
# For an audience `w` of `wanted` for all industries: members `m` who share.
_SHARING_MEMBERS_SQL = (
    "FROM wanted w JOIN orgs_member m ON m.organisation_id = %(organisation)s "
    f"AND {is_global_sql('w')} AND {sharing_sql('m')} "
)
_COHORT_READERS = CohortReadersSQL(
    members=(
        f"SELECT w.id, s.member_id, 'seat', 1 {_PERSONAS_OF_AUDIENCE_SQL}{_ASSOCIATED_MEMBERS_SQL}"
        f"UNION ALL SELECT w.id, m.id, 'seat', 1 {_SHARING_MEMBERS_SQL}"
    ),
    robots=f"SELECT w.id, r.id, 'seat', 1 {_PERSONAS_OF_AUDIENCE_SQL}{_ASSOCIATED_MEMBERS_SQL}"
    "JOIN live r ON r.owner_id = s.member_id "
    f"UNION ALL SELECT w.id, r.id, 'seat', 1 {_SHARING_MEMBERS_SQL}"
    "JOIN live r ON r.owner_id = m.id "
    f"UNION ALL SELECT w.id, r.id, 'seat', 1 FROM wanted w JOIN live r ON {is_global_sql('w')} "
    "AND r.owner_id IS NULL",
    names="(SELECT DISTINCT ON (w.id) w.id, 'cohort', '', true, false, 1, w.id, "
    "CASE w.kind WHEN 'persona' THEN p.role || ' in ' || p.industry "
    "WHEN 'industry' THEN 'industry ' || p.industry ELSE 'role ' || p.role END, true "
    f"{_PERSONAS_OF_AUDIENCE_SQL}ORDER BY w.id, p.handle) "
    "UNION ALL SELECT w.id, 'cohort', '', true, false, 1, w.id, 'all industries', true "
    f"FROM wanted w WHERE {is_global_sql('w')}",
    ids="SELECT DISTINCT s.member_id AS id FROM personas_persona p "
    "JOIN personas_association s ON s.organisation_id = p.organisation_id AND s.persona_id = p.id "
    "JOIN orgs_member m ON m.organisation_id = s.organisation_id AND m.id = s.member_id "
    f"AND {_CONFIRMED_SQL} AND {joined_sql('m')} "
    "WHERE p.organisation_id = %(organisation)s AND (a.kind = 'persona' AND p.id::text = a.key "
    "OR a.kind = 'industry' AND p.industry_key = a.key "
    "OR a.kind = 'role' AND p.role_key = a.key) "
    "UNION SELECT m.id FROM orgs_member m WHERE m.organisation_id = %(organisation)s "
    f"AND {is_global_sql('a')} AND {sharing_sql('m')} AND {joined_sql('m')}",
)


def cohort_readers_sql() -> CohortReadersSQL:
    """The SELECTs of the readers of these audiences."""
    return _COHORT_READERS
