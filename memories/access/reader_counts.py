"""Whether enough people can read an audience for its readers to learn of each other's uses.

Who reads a memory with few others knows whose use it was. So uses are counted for all readers only
where each of them has at least FEWEST_OTHERS beside them. Counted are members who have joined:
robots, names without an account and the curators of a group are not.
"""

from dataclasses import dataclass

from memories.store.operation_log import ASKS_FOR_NOBODY
from orgs.models.audiences import COHORT_AUDIENCE_TYPES, AudienceType
from orgs.models.memberships import joined_sql
from orgs.wired_functions import wired

FEWEST_OTHERS = 5
_ENOUGH = FEWEST_OTHERS + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortReadersSQL:
    """SELECTs of the readers of audiences of personas, industries and roles.

    Over the audiences `wanted`: members: (audience, member, 'seat', 1). robots: the same for robots
    that read by themselves. names: (audience, 'cohort', '', true, false, 1, audience, what people
    call it, true). Over an audience `a`: ids: the id of each member who has joined, once.
    """

    members: str
    robots: str
    names: str
    ids: str


@wired
def cohort_readers_sql() -> CohortReadersSQL:
    """The SELECTs, which use tables of a higher app."""
    raise NotImplementedError


_JOINED_SQL = joined_sql("p")
_MEMBER = f"JOIN orgs_member p ON p.organisation_id = %(organisation)s AND {_JOINED_SQL}"
_OF_LIST = f"""
    SELECT p.id FROM orgs_audienceentry e {_MEMBER} AND p.id = e.reader
    WHERE e.organisation_id = %(organisation)s AND e.audience_id = a.id AND e.kind = 'member'
    UNION
    SELECT p.id FROM orgs_audienceentry e
    JOIN orgs_groupmembership s ON s.organisation_id = %(organisation)s AND s.group_id = e.reader
    {_MEMBER} AND p.id = s.member_id
    WHERE e.organisation_id = %(organisation)s AND e.audience_id = a.id AND e.kind = 'group'"""
# Queries that yield the id of each reader of an audience `a` once, by its kind, besides those of
# cohorts. A kind without one has too few.
_READERS: dict[str, str] = {
    AudienceType.ORGANISATION: f"""
    SELECT p.id FROM orgs_member p
    WHERE p.organisation_id = %(organisation)s AND {_JOINED_SQL}""",
    AudienceType.GROUP: f"""
    SELECT p.id FROM orgs_groupmembership s {_MEMBER} AND p.id = s.member_id
    WHERE s.organisation_id = %(organisation)s AND s.group_id = a.group_id""",
    AudienceType.EXPLICIT: _OF_LIST,
}


def _has_enough_readers() -> str:
    """A condition of SQL on an audience `a`; with the parameter %(organisation)s."""
    cohorts = dict.fromkeys(COHORT_AUDIENCE_TYPES, cohort_readers_sql().ids)
    counts = " ".join(
        f"WHEN '{kind}' THEN (SELECT count(*) FROM ({query} LIMIT {_ENOUGH}) AS reader)"
        for kind, query in [*_READERS.items(), *cohorts.items()]
    )
    return f"CASE a.kind {counts} ELSE 0 END >= {_ENOUGH}"


def counts_for_others() -> str:
    """A condition of SQL on an audience `a`: what a caller uses or reports counts for whoever reads
    it. So it is where nobody else reads it, for a robot that asks for nobody, and where enough
    read. With the parameters organisation and reader."""
    return f"(a.id = %(reader)s OR {ASKS_FOR_NOBODY} OR {_has_enough_readers()})"
