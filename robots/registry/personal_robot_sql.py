"""The rule of `personal_robot_privacy` as conditions of SQL.

Text alone: rules that are tested without Django are built of it.
"""

from orgs.cohort_types import COHORT_TYPES

IN_SCOPE = "(SELECT NULLIF(current_setting('app.audiences', true), '')::uuid[])::uuid[]"
# What a profession reads, and what waits for a review. Of what lies here no count and no filter
# tells others the robot: what waits may be meant for a profession, and a filter needs no more
# columns than the lists' index has.
HIDING_AUDIENCE_TYPES = (*COHORT_TYPES, "review")
_HIDING_TYPES_SQL = ", ".join(f"'{kind}'" for kind in HIDING_AUDIENCE_TYPES)


def hidden_robot_sql(organisation: str, robot: str, audience: str) -> str:
    """The condition that who asks is not told of this robot beside what this audience reads; all
    are columns."""
    return f"""EXISTS (
    SELECT 1 FROM robots_robot teacher JOIN orgs_audience taught
        ON taught.organisation_id = teacher.organisation_id
        AND taught.id = {audience} AND taught.kind IN ({_HIDING_TYPES_SQL})
    WHERE teacher.organisation_id = {organisation} AND teacher.id = {robot}
        AND teacher.owner_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM orgs_audience own WHERE own.organisation_id = {organisation}
                AND own.id = ANY ({IN_SCOPE}) AND (
                    (own.kind = 'robot' AND own.key = teacher.id::text)
                    OR (own.kind = 'member' AND own.key = teacher.owner_id::text))))"""


def visible_robot_sql(robot: str, row: str) -> str:
    """The condition that who asks is told of a row of robots beside a row with an audience.

    Both are aliases. Most robots serve nobody, so that is looked at first.
    """
    untold = hidden_robot_sql(f"{row}.organisation_id", f"{robot}.id", f"{row}.audience_id")
    return f"({robot}.owner_id IS NULL OR NOT {untold})"
