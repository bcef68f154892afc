"""How calls of tools turned out for people of a persona, as their robots report it.

There are counts by persona, tool and day, and nothing of who reported them. Figures hold whole days
that are over, so nobody who looks again and again learns when a report came.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from memories.access.consent import lock_sharing_opt_out
from memories.retrieval.feedback import CountedToolCall, ToolReport
from orgs.database.prepared_statements import fetch_all
from orgs.errors import ReferenceNotFoundError
from orgs.models.base import day_id
from orgs.models.memberships import sharing_sql
from orgs.principals import Actor, Principal, resolve_principal
from personas.blocks.block_views import readable_persona_audiences
from personas.blocks.teachers import ENOUGH
from personas.errors import MissingAssociationError
from personas.learning.trends import WINDOW_COUNT, WINDOW_LENGTH
from personas.models.personas import Association, Persona, ToolOutcome
from personas.registry.handle_check import names_somebody
from robots.access.personal_robot_actor import resolve_owner_actor
from robots.errors import KeyGroupsError

ROBOTS_REPORT = "Robots report how calls of tools turned out."
READS_ONLY = "This robot's member only reads; ask an admin for a role that writes."
# How many tools a persona has by name within the weeks of the figures, and under which name all
# others count.
MAX_TOOLS, OTHER_TOOLS = 100, "other"
# Where a name has words: at its marks, and at capitals within it.
_WORD_ENDS = re.compile(r"[_.:/-]+|(?<=[a-z0-9])(?=[A-Z])")

_COUNT_SQL = """
INSERT INTO personas_tooloutcome AS t
    (id, organisation_id, persona_id, tool, day, successes, failures)
VALUES (%(id)s, %(organisation)s, %(persona)s, %(tool)s, %(day)s, %(success)s, %(failure)s)
ON CONFLICT (organisation_id, persona_id, tool, day) DO UPDATE
SET successes = t.successes + excluded.successes, failures = t.failures + excluded.failures
"""
# Personas that enough members have who are here and share; of each its tools, the most used first,
# or one row without a tool.
_RATES_SQL = f"""
WITH held AS (
    SELECT s.persona_id FROM personas_association s
    JOIN orgs_member m ON m.organisation_id = s.organisation_id AND m.id = s.member_id
        AND {sharing_sql("m")}
    WHERE s.organisation_id = %(organisation)s AND s.confirmed_at IS NOT NULL
    GROUP BY 1 HAVING count(*) >= {ENOUGH}
)
SELECT held.persona_id, t.tool, sum(t.successes)::bigint, sum(t.failures)::bigint
FROM held LEFT JOIN personas_tooloutcome t ON t.organisation_id = %(organisation)s
    AND t.persona_id = held.persona_id AND t.day >= %(first)s AND t.day < %(today)s
GROUP BY 1, 2 ORDER BY 1, sum(t.successes + t.failures) DESC, 2
"""


def record_tool_outcome(actor: Actor, report: ToolReport, *, now: datetime) -> CountedToolCall:
    """Count how a call turned out, for a persona that the robot reads.

    A name that is new to the persona counts as OTHER_TOOLS where it has MAX_TOOLS already or the
    name seems to name somebody. Raises PermissionError for people and robots of viewers,
    KeyGroupsError for a key that is limited to groups, in which no persona is, NotFoundError,
    SharingOptOutError, and MissingAssociationError where no persona is given and the member has
    none that the robot reads.
    """
    if actor.is_person:
        raise PermissionError(ROBOTS_REPORT)
    if actor.key_groups is not None:
        raise KeyGroupsError("No persona is in a group.")
    acting = resolve_owner_actor(actor, report.member)
    if acting.only_reads:
        raise PermissionError(READS_ONLY)
    principal = resolve_principal(acting)
    with principal.scope():
        lock_sharing_opt_out(principal)
        persona = _find_persona(principal, report.persona)
        tool = _counted_name(persona, report.tool, now)
        values = {
            "id": day_id(now),
            "organisation": persona.organisation_id,
            "persona": persona.id,
            "tool": tool,
            "day": _day(now),
            "success": int(report.outcome == "success"),
            "failure": int(report.outcome == "failure"),
        }
        fetch_all(_COUNT_SQL, values)
    return CountedToolCall(persona=persona.handle, tool=tool)


def _find_persona(principal: Principal, handle: str | None) -> Persona:
    """The persona of this handle, or the surest of the member; of those that the robot reads."""
    tenant = {"organisation_id": principal.organisation_id}
    read = Persona.objects.filter(**tenant, id__in=list(readable_persona_audiences(principal)))
    if handle is not None:
        named = read.filter(handle=handle).first()
        if named is None:
            raise ReferenceNotFoundError("persona", handle)
        return named
    actor = principal.actor
    theirs = Association.objects.filter(
        **tenant,
        member_id=actor.member_id or actor.owner_id,  # type: ignore[misc]  # nobody: no persona
        confirmed_at__isnull=False,
        persona__in=read,
    )
    surest: Association | None = (
        theirs.order_by("-confidence", "persona__handle").select_related("persona").first()
    )
    if surest is None:
        raise MissingAssociationError
    found: Persona = surest.persona
    return found


def _counted_name(persona: Persona, tool: str, now: datetime) -> str:
    """The name under which it counts. Deletes days before those of the figures where it is new."""
    rows = ToolOutcome.objects.filter(
        organisation_id=persona.organisation_id, persona_id=persona.id
    )
    if tool == OTHER_TOOLS or rows.filter(tool=tool, day__gte=_first_day(now)).exists():
        return tool
    # One report at a time brings a new name, so that there are never more than MAX_TOOLS.
    Persona.objects.select_for_update(no_key=True).get(
        organisation_id=persona.organisation_id, id=persona.id
    )
    rows.filter(day__lt=_first_day(now)).delete()
    known = set(rows.exclude(tool=OTHER_TOOLS).values_list("tool", flat=True).distinct())
    if tool in known:
        return tool
    words = " ".join(filter(None, _WORD_ENDS.split(tool)))
    if len(known) >= MAX_TOOLS or names_somebody(persona.organisation_id, words):
        return OTHER_TOOLS
    return tool


def _day(now: datetime) -> date:
    return now.astimezone(UTC).date()


def _first_day(now: datetime) -> date:
    """The first day of the figures."""
    return _day(now - WINDOW_COUNT * WINDOW_LENGTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRate:
    """How calls of one tool turned out. success_rate: successes of all calls, 0-1."""

    tool: str
    successes: int
    failures: int
    success_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolMetrics:
    """The tools of a persona, the most used first. few_people: too few have the persona or taught
    it, so there are none."""

    persona: str
    few_people: bool
    tools: tuple[ToolRate, ...]


def load_tool_rates(organisation_id: UUID, now: datetime) -> dict[UUID, tuple[ToolRate, ...]]:
    """The rates of each persona that has any and that at least three members have, over whole days.

    Call inside the scope of who curates.
    """
    values: dict[str, Any] = {
        "organisation": organisation_id,
        "first": _first_day(now),
        "today": _day(now),
    }
    found: dict[UUID, list[ToolRate]] = {}
    for persona_id, tool, successes, failures in fetch_all(_RATES_SQL, values):
        rates = found.setdefault(persona_id, [])
        if tool is not None:
            rates.append(_to_rate(tool, successes, failures))
    return {id_: tuple(rates) for id_, rates in found.items()}


def _to_rate(tool: str, successes: int, failures: int) -> ToolRate:
    return ToolRate(
        tool=tool,
        successes=successes,
        failures=failures,
        success_rate=successes / (successes + failures),
    )
