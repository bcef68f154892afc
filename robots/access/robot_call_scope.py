"""One statement that says who calls with a key, for whom and where, and opens what they may read.

`authenticate_key`, `act` and `resolve` one after the other are three round trips. This is one
statement that does the same, for calls of robots that narrow nothing further. An OAuth client acts
unasked for its member, which `authenticate_key` says. It opens the scope
only for a valid key: digest, expiry, revocation, the robot's retirement and the scopes are checked.
What may be read follows from the rules registered with `orgs.principals`; a test compares both
ways.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from uuid import UUID

import orjson

from orgs.cohort_types import COHORT_TYPES_SQL
from orgs.database.driver.pipeline import Rows
from orgs.database.rls import Scope, StatementAndValues, scope_statement
from orgs.models.organisations import ENCODERS_SQL, parse_encoders
from orgs.principals import (
    READER_FOR_KEY_GROUPS,
    READER_FOR_MEMBER,
    WITHIN_KEY_GROUPS,
    Actor,
    Principal,
    audience_conditions,
)
from robots.access.acting_for_members import ACTING_SQL, reference_parameters
from robots.access.keys import (
    CALLER_COLUMNS,
    CALLER_SQL,
    USED_COLUMN,
    PresentedKey,
    key_parameters,
    last_used_statement,
    parse_caller,
)
from robots.access.robot_audience_rules import OWNER
from robots.models.keys import KeyScope

_CALLER = f"""
WITH caller AS MATERIALIZED (
    SELECT * FROM ({CALLER_SQL} AND k.scopes @> %(needed)s::jsonb AND k.resource = '') AS known
    WHERE known.admitted), """
_ACTING_ALONE_SQL = """acting AS MATERIALIZED (
    SELECT c.id AS robot_id, NULL::uuid AS group_id, NULL::uuid AS member_id, false AS delegated
    FROM caller c WHERE c.owner_id IS NULL
), """
_ACTING_FOR_SQL = f"""acting AS MATERIALIZED (
    SELECT c.id AS robot_id, s.group_id, s.member_id, s.delegated
    FROM caller c, ({ACTING_SQL.format(robot="caller")}) AS s
    WHERE {{held}}
), """
# What a limit of the key leaves of what the robot reads. Its own notes and the organisation are
# named also where it opens neither; what it was served is recorded among its own all the same.
_WITHIN = WITHIN_KEY_GROUPS.format(
    groups="(SELECT key_groups FROM caller)::uuid[]", group="readable.group_id"
)
_READABLE = f"""readable AS MATERIALIZED (
    {{parts}}
), opened AS MATERIALIZED (
    SELECT coalesce(array_agg(DISTINCT id) FILTER (WHERE {_WITHIN}), '{{{{}}}}') AS ids,
        (array_agg(id) FILTER (WHERE kind = 'organisation'))[1] AS everyone,
        (array_agg(id) FILTER (WHERE kind = 'robot'))[1] AS own,
        (array_agg(id) FILTER (WHERE kind = 'member'))[1] AS private,
        array_agg(DISTINCT id) FILTER (
            WHERE kind IN {COHORT_TYPES_SQL} AND {_WITHIN}) AS cohorts
    FROM readable
)
SELECT c.*, acting.group_id, acting.member_id, acting.delegated, o.language, opened.ids,
    opened.everyone, opened.own, opened.cohorts, {ENCODERS_SQL},
    set_config('app.reader', (CASE
        WHEN c.key_groups IS NOT NULL THEN {
    READER_FOR_KEY_GROUPS.format(own="opened.own", member="acting.member_id", groups="c.key_groups")
}
        WHEN acting.member_id IS NULL THEN coalesce(({{owner}}), opened.own)
        WHEN acting.delegated AND opened.private IS NOT NULL THEN opened.private
        ELSE {READER_FOR_MEMBER.format(own="opened.own", member="acting.member_id")}
    END)::text, true),
    set_config('app.audiences', '{{{{' || array_to_string(opened.ids, ',') || '}}}}', true),
    set_config('app.deposit_audiences', '{{{{' || opened.own || '}}}}', true),
    set_config('app.place', coalesce(acting.group_id::text, ''), true),
    set_config('app.everyone', opened.everyone::text, true)
FROM caller c, acting, opened, orgs_organisation o
WHERE o.id = %(organisation)s AND o.removed_at IS NULL
    AND opened.own IS NOT NULL AND opened.everyone IS NOT NULL
"""
_AUDIENCE_SQL = (
    "SELECT a.id, a.kind, a.group_id FROM orgs_audience a "
    "WHERE a.organisation_id = %(organisation)s AND {guard} AND ({condition})"
)
# The rules name these by parameters, but here they are known only inside the statement.
_PARAMETER_SQL = {
    "organisation": "%(organisation)s",
    "robot": "(SELECT robot_id FROM acting)",
    "member": "(SELECT member_id FROM acting)",
    "group": "(SELECT group_id FROM acting)",
}
# Settings of the transaction that a statement behind this one, in the same message, can name.
CURRENT_GROUP_SQL = "NULLIF(current_setting('app.place', true), '')::uuid"
CURRENT_EVERYONE_SQL = "NULLIF(current_setting('app.everyone', true), '')::uuid"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedScope:
    """A principal whose scope is open. stamp: the statement that notes the use of the key; none if
    it was noted lately, or without a key."""

    principal: Principal
    stamp: tuple[StatementAndValues, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRequest:
    """A presented key, and the group and the member that the call names, as references."""

    key: PresentedKey
    group: str | None
    member: str | None
    now: datetime

    @property
    def organisation_id(self) -> UUID:
        """The organisation of the key."""
        return self.key.organisation_id

    def statements(self) -> list[StatementAndValues]:
        """The statements that open the scope; the last returns one row if the call is allowed."""
        needed = [KeyScope.READ, *([KeyScope.ACT_FOR] if self.member is not None else [])]
        values = key_parameters(self.key, self.now)
        values["needed"] = orjson.dumps([str(scope) for scope in needed]).decode()
        if self.member is not None or self.group is not None:
            values |= reference_parameters(self.member, self.group)
        statement = _build_statement(
            with_member=self.member is not None, with_group=self.group is not None
        )
        return [
            scope_statement(Scope(organisation=self.key.organisation_id, relaxed=True)),
            (statement, values),
        ]

    def opened(self, rows: Rows) -> OpenedScope | None:
        """The principal from the rows of the last statement; None without a row."""
        if not rows:
            return None
        row = rows[0]
        caller, used_at, first = parse_caller(row), row[USED_COLUMN], CALLER_COLUMNS
        group, member, delegated, language, ids, everyone, own, cohorts, *last = row[
            first : first + 10
        ]
        encoders, reader = last
        actor = replace(caller.actor(), member_id=member, group_id=group, delegated=delegated)
        principal = Principal(
            actor,
            frozenset(ids),
            organisation_audience=everyone,
            own_audience=own,
            reader=UUID(reader),
            language=language,
            cohorts=frozenset(cohorts or ()),
            encoders=parse_encoders(encoders),
        )
        stamp = last_used_statement(caller, used_at, self.now)
        return OpenedScope(principal=principal, stamp=(stamp,) if stamp else ())


@cache
def _build_statement(*, with_member: bool, with_group: bool) -> str:
    """The statement for calls that name a member, a group, both or neither."""
    held = []
    if with_group:
        held.append("s.group_id IS NOT NULL")
    if with_member:
        held.append("s.member_id IS NOT NULL AND (s.group_id IS NULL OR s.together)")
        # As `check_acting_for`: a personal robot acts for its owner alone.
        held.append("(c.owner_id IS NULL OR s.member_id = c.owner_id)")
    elif held:
        # Alone it reads what its owner's groups read, which `resolve` looks up.
        held.append("c.owner_id IS NULL")
    acting = _ACTING_FOR_SQL.format(held=" AND ".join(held)) if held else _ACTING_ALONE_SQL
    owner = OWNER % (_PARAMETER_SQL | {"robot": "acting.robot_id"})
    readable = _READABLE.format(parts=_audience_parts(with_member, with_group), owner=owner)
    return _CALLER + acting + readable


def _audience_parts(with_member: bool, with_group: bool) -> str:
    """The registered rules, once with and once without the member's delegation: only the database
    knows which of them holds."""
    somebody = UUID(int=0)
    alone, trusted = (
        audience_conditions(
            Actor(
                organisation_id=somebody,
                robot_id=somebody,
                member_id=somebody if with_member else None,
                group_id=somebody if with_group else None,
                delegated=delegated,
            )
        )
        for delegated in (False, True)
    )
    parts = [("EXISTS (SELECT FROM acting)", one) for one in alone if one in trusted]
    if with_member:
        parts += [
            ("(SELECT NOT delegated FROM acting)", one) for one in alone if one not in trusted
        ]
        parts += [("(SELECT delegated FROM acting)", one) for one in trusted if one not in alone]
    return " UNION ALL ".join(
        _AUDIENCE_SQL.format(guard=guard, condition=condition % _PARAMETER_SQL)
        for guard, condition in parts
    )
