"""Which audiences a robot may read, alone or for a member."""

from orgs.principals import Actor

_ROBOT_GROUPS_SQL = (
    "SELECT group_id FROM robots_robotgroup "
    "WHERE organisation_id = %(organisation)s AND robot_id = %(robot)s"
)
# A personal robot is in the groups of its owner alone, wherever it was seated.
_OWNERS_SEATS = (
    "SELECT s.group_id FROM robots_robotgroup s JOIN robots_robot r "
    "ON r.organisation_id = s.organisation_id AND r.id = s.robot_id JOIN orgs_groupmembership t "
    "ON t.organisation_id = s.organisation_id AND t.group_id = s.group_id "
    "AND t.member_id = r.owner_id "
    "WHERE s.organisation_id = %(organisation)s AND s.robot_id = %(robot)s"
)
_ROBOT_TEAMS_SQL = (
    "SELECT team_id FROM robots_teamrobot "
    "WHERE organisation_id = %(organisation)s AND robot_id = %(robot)s"
)
_TEAM_AUDIENCE_SQL = (
    f"a.kind = 'team' AND a.key IN (SELECT t.team_id::text FROM ({_ROBOT_TEAMS_SQL}) t)"
)
_SHARED_WITH = (
    "a.kind = 'explicit' AND a.id IN (SELECT e.audience_id FROM orgs_audienceentry e "
    "WHERE e.organisation_id = %(organisation)s AND ((e.kind = 'robot' AND e.reader = %(robot)s) "
    f"OR (e.kind = 'team' AND e.reader IN ({_ROBOT_TEAMS_SQL})) "
    "OR (e.kind = 'group' AND e.reader IN ({seats}))))"
)

# What the robot was told in direct conversations: by the member for whom it acts, and by anybody.
_HAD_DIRECT_SQL = (
    "a.kind = 'explicit' AND a.id IN (SELECT e.audience_id FROM orgs_audienceentry e "
    "WHERE e.organisation_id = %(organisation)s AND e.kind = 'direct' AND e.reader = %(robot)s)"
)
_TOLD_BY_MEMBER_SQL = (
    "a.kind = 'explicit' AND a.id IN (SELECT t.audience_id FROM orgs_audienceentry t "
    "WHERE t.organisation_id = %(organisation)s AND t.kind = 'member' AND t.reader = %(member)s "
    "AND EXISTS (SELECT FROM orgs_audienceentry e WHERE e.organisation_id = %(organisation)s "
    "AND e.audience_id = t.audience_id AND e.kind = 'direct' AND e.reader = %(robot)s))"
)


def robot_audience_conditions(actor: Actor) -> list[str]:
    """A robot reads its own notes; alone also what its groups and teams read and is shared with it.

    When it acts for a member it reads none of the latter, because that member gets its answers.
    What it was told in a direct conversation it reads for the member who told it, never in a group;
    alone only where a call names a row by its id, so that answers of several people never mix.
    """
    found = ["a.kind = 'robot' AND a.key = %(robot)s::text"]
    if actor.member_id is not None:
        return [*found, _TOLD_BY_MEMBER_SQL] if actor.told and not actor.group_id else found
    if actor.names_row and not actor.group_id:
        found.append(_HAD_DIRECT_SQL)
    found.append(_TEAM_AUDIENCE_SQL)
    seats = _OWNERS_SEATS if actor.owner_id else _ROBOT_GROUPS_SQL
    shared = _SHARED_WITH.format(seats=seats)
    if actor.group_id:
        found.append("a.kind = 'group' AND a.group_id = %(group)s")
        found.append(f"(a.group_id = %(group)s OR a.group_id IS NULL) AND {shared}")
    else:
        found.append(f"a.kind = 'group' AND a.group_id IN ({seats})")
        found.append(shared)
    return found


# The own audience of the member whom the robot serves alone.
OWNER = (
    "SELECT v.id FROM robots_robot r JOIN orgs_audience v "
    "ON v.organisation_id = r.organisation_id AND v.kind = 'member' AND v.key = r.owner_id::text "
    "WHERE r.organisation_id = %(organisation)s AND r.id = %(robot)s"
)


def owner_audience_sql() -> str:
    """The query of that audience; no row for a robot that serves nobody alone."""
    return OWNER
