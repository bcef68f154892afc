"""Whether enough people can read an audience for its readers to learn of each other's uses.

Who reads a memory with few others knows whose use it was. So uses are counted for all readers only
where each of them has at least FEWEST_OTHERS beside them. Counted are members who can sign in:
robots, names without an account and the curators of a group are not.
"""

from collections.abc import Iterable

from orgs.models.audiences import AudienceType

FEWEST_OTHERS = 5
_ENOUGH = FEWEST_OTHERS + 1
# For a member `p`.
CAN_SIGN_IN = "p.user_id IS NOT NULL AND p.joined_at IS NOT NULL AND p.removed_at IS NULL"
_MEMBER = f"JOIN orgs_member p ON p.organisation_id = %(organisation)s AND {CAN_SIGN_IN}"
_OF_LIST = f"""
    SELECT p.id FROM orgs_audienceentry e {_MEMBER} AND p.id = e.reader
    WHERE e.organisation_id = %(organisation)s AND e.audience_id = a.id AND e.kind = 'member'
    UNION
    SELECT p.id FROM orgs_audienceentry e
    JOIN orgs_groupmembership s ON s.organisation_id = %(organisation)s AND s.group_id = e.reader
    {_MEMBER} AND p.id = s.member_id
    WHERE e.organisation_id = %(organisation)s AND e.audience_id = a.id AND e.kind = 'group'"""
# Queries that yield the id of each reader of an audience `a` once, by its kind. A kind without one
# has too few.
_READERS: dict[str, str] = {
    AudienceType.ORGANISATION: f"""
    SELECT p.id FROM orgs_member p WHERE p.organisation_id = %(organisation)s AND {CAN_SIGN_IN}""",
    AudienceType.GROUP: f"""
    SELECT p.id FROM orgs_groupmembership s {_MEMBER} AND p.id = s.member_id
    WHERE s.organisation_id = %(organisation)s AND s.group_id = a.group_id""",
    AudienceType.EXPLICIT: _OF_LIST,
}


def register_readers(kinds: Iterable[str], query: str) -> None:
    """Add the query of the readers of audiences of an upper app; see `_READERS`."""
    _READERS.update(dict.fromkeys(kinds, query))


def has_enough_readers() -> str:
    """A condition of SQL on an audience `a`; with the parameter %(organisation)s."""
    counts = " ".join(
        f"WHEN '{kind}' THEN (SELECT count(*) FROM ({query} LIMIT {_ENOUGH}) AS reader)"
        for kind, query in _READERS.items()
    )
    return f"CASE a.kind {counts} ELSE 0 END >= {_ENOUGH}"
