"""The page of a robot: what it wrote, was served and was refused, and its keys.

Everybody in the organisation may know a robot, and sees those memories that it wrote or was served
that they read anyway. Keys, other groups, errors and numbers are for curators and admins; of a
personal robot for its member, itself and admins (`robots.registry.robots`), and its recalls only
for its member and itself. Refusals by gates are in the audit trail, so they are counted for admins,
as far as the trail names the robot to them, and for the member of a personal robot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, F, Max, OuterRef, QuerySet
from django.db.models.functions import JSONObject, TruncDate

from memories.browsing.conversation_pages.folded_list import (
    FoldedConversation,
    folded_conversation,
    load_lines,
)
from memories.browsing.memory_pages import ListedMemory, to_listed_memories
from memories.browsing.selection import Selection, select_memories
from memories.insights.operations import robot_recall_operations
from memories.insights.statistics import count_written_in_scope
from memories.store.models.memory import Memory
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal, readable_groups, resolve_principal
from robots.access.robot_administration import NO_MEMORIES, MemoryCount
from robots.models.keys import Key
from robots.models.robots import Robot
from robots.models.teams import TeamRobot
from robots.registry.robots import may_see_activity, may_see_work
from robots.registry.untold_entries import with_untold

MAX_WRITTEN, MAX_CONVERSATIONS, MAX_SERVED = 10, 5, 10
# What says something by itself is looked for among so many that it wrote last.
MAX_SCANNED = 2_000
DAYS = 14
# Actions of gates: a refused change, and a held new memory.
REFUSAL_ACTIONS = ("gate.refused", "gate.held", "gate.quarantined")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedMemory:
    """A memory that was lately served to the robot, and when last."""

    shown: ListedMemory
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalCounts:
    """How often gates refused or held what the robot wrote, by kind, and when last."""

    counts: dict[str, int] = field(default_factory=dict)
    last: datetime | None = None

    @property
    def total(self) -> int:
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySummary:
    """A key as it is shown. made_by: the member's name, empty if unknown. groups: to how many it is
    limited, networks: from which it opens anything; None without a limit."""

    label: str
    prefix: str
    scopes: Sequence[str]
    made_at: datetime
    made_by: str
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None
    groups: int | None = None
    networks: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotPage:
    """One robot. A part that the asker may not know is None.

    followed: whether the asker may know when it was heard from and whom it serves; wrote: how many
    memories of those that the asker reads; written: the newest of these that say something by
    themselves; talks: the conversations with the others, the newest first; groups: those that the
    asker knows, as (id, name); hidden_seats: how many others; served: of the last DAYS days;
    by_day: how many of its questions in each of them were answered with something that the asker
    reads, the oldest first.
    """

    robot: Robot
    followed: bool
    wrote: MemoryCount
    written: Sequence[ListedMemory]
    talks: Sequence[FoldedConversation]
    groups: Sequence[tuple[UUID, str]]
    served: Sequence[ServedMemory] | None = None
    by_day: Sequence[tuple[date, int]] | None = None
    hidden_seats: int | None = None
    teams: Sequence[tuple[UUID, str]] | None = None
    keys: Sequence[KeySummary] | None = None
    refusals: RefusalCounts | None = None


def get_robot_page(actor: Actor, robot_id: UUID, *, organisation: str, now: datetime) -> RobotPage:
    """The page of a robot for the asker. now: in their time zone.

    organisation: its name, for sentences. Raises NotFoundError, also for built-in robots, which
    people use to write.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        robot = _get_robot(principal, robot_id)
        asks = may_see_work(robot, actor)
        followed = may_see_activity(actor, robot)
        looks_after = actor.moderates or (robot.owner_id is not None and asks)
        judged = actor.role == Role.ADMIN or (robot.owner_id is not None and asks)
        times = _load_served(principal, robot, now) if asks else {}
        written, talks = _load_written(principal, robot, now)
        shown = _load_listed(principal, [*written, *times], organisation)
        served = [ServedMemory(shown=shown[id_], at=times[id_]) for id_ in times if id_ in shown]
        groups = [(UUID(one["id"]), one["name"]) for one in robot.in_groups]
        teams = [(UUID(one["id"]), one["name"]) for one in robot.in_teams]
        return RobotPage(
            robot=robot,
            followed=followed,
            wrote=count_written_in_scope(principal, [robot.id], now).get(robot.id, NO_MEMORIES),
            written=[shown[id_] for id_ in written if id_ in shown],
            talks=talks,
            groups=groups,
            served=served if asks else None,
            by_day=_count_by_day(principal, robot, now) if asks and looks_after else None,
            hidden_seats=robot.seats - len(groups) if looks_after else None,
            teams=teams if looks_after else None,
            keys=[_to_key_summary(one) for one in robot.its_keys] if looks_after else None,
            refusals=_to_refusal_counts(robot.refused) if judged else None,
        )


def _get_robot(principal: Principal, robot_id: UUID) -> Any:
    """The robot with all its related rows, in one query."""
    its = {"organisation_id": OuterRef("organisation_id"), "robot_id": OuterRef("id")}
    teams = TeamRobot.objects.filter(**its, team__removed_at=None)
    groups = readable_groups(principal.actor).filter(robot_memberships__robot_id=OuterRef("id"))
    keys = Key.objects.filter(**its).order_by("-id")
    refused = with_untold(
        AuditEntry.objects.filter(
            organisation_id=OuterRef("organisation_id"),
            robot=OuterRef("id"),
            action__in=REFUSAL_ACTIONS,
        )
    ).filter(robot_untold=False)
    key = {name: name for name in ("label", "prefix", "scopes", "created_at", "last_used_at")}
    key |= {name: name for name in ("expires_at", "revoked_at", "groups", "networks")}
    key |= {"by": "created_by__name"}
    robots = Robot.objects.filter(organisation_id=principal.organisation_id, builtin=None)
    robot = (
        robots.filter(id=robot_id)
        .select_related("owner")
        .annotate(
            seats=Count("group_memberships"),
            in_groups=_json_array(groups.order_by("name", "id"), id="id", name="name"),
            in_teams=_json_array(teams.order_by("team__name"), id="team_id", name="team__name"),
            its_keys=_json_array(keys, **key),
            refused=ArraySubquery(
                refused.order_by("action")
                .values("action")
                .annotate(n=Count("id"), last=Max("at"))
                .values(one=JSONObject(action="action", n="n", last="last"))
            ),
        )
        .first()
    )
    if robot is None:
        raise NotFoundError("no such robot")
    return robot


def _json_array(rows: "QuerySet[Any]", **fields: str) -> ArraySubquery:
    return ArraySubquery(rows.values(one=JSONObject(**{k: F(v) for k, v in fields.items()})))


def _parse_time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _to_key_summary(one: dict[str, Any]) -> KeySummary:
    return KeySummary(
        label=one["label"],
        prefix=one["prefix"],
        scopes=one["scopes"],
        made_at=datetime.fromisoformat(one["created_at"]),
        made_by=one["by"] or "",
        last_used_at=_parse_time(one["last_used_at"]),
        expires_at=_parse_time(one["expires_at"]),
        revoked_at=_parse_time(one["revoked_at"]),
        groups=None if one["groups"] is None else len(one["groups"]),
        networks=one["networks"],
    )


def _to_refusal_counts(counted: Sequence[dict[str, Any]]) -> RefusalCounts:
    return RefusalCounts(
        counts={one["action"].partition(".")[2]: one["n"] for one in counted},
        last=max((datetime.fromisoformat(one["last"]) for one in counted), default=None),
    )


def _load_written(
    principal: Principal, robot: Robot, now: datetime
) -> tuple[list[UUID], Sequence[FoldedConversation]]:
    """What says something by itself, and the conversations in which it said the rest."""
    rows = select_memories(principal, Selection(robot=robot.id), now)
    keyed = (
        rows.order_by("-id")
        .annotate(talk=folded_conversation(now))
        .values_list("id", "talk", "group_id")
    )
    facts: list[UUID] = []
    opened: dict[tuple[str, UUID | None], UUID] = {}
    for id_, within, group in keyed[:MAX_SCANNED]:
        if within is None:
            facts.append(id_)
        else:
            opened.setdefault((within, group), id_)
    lines = load_lines(rows, list(opened.values())[:MAX_CONVERSATIONS], now)
    return facts[:MAX_WRITTEN], [one for one in lines if isinstance(one, FoldedConversation)]


def _load_listed(
    principal: Principal, ids: Sequence[UUID], organisation: str
) -> dict[UUID, ListedMemory]:
    rows = Memory.objects.filter(organisation_id=principal.organisation_id).with_names()
    found = list(rows.in_bulk(ids).values())
    return {one.memory.id: one for one in to_listed_memories(principal, found, organisation)}


def _load_served(principal: Principal, robot: Robot, now: datetime) -> dict[UUID, datetime]:
    """The memories that were last served to it, the latest first, each with the time."""
    lines = robot_recall_operations(principal, robot, since=now - timedelta(days=DAYS), until=now)
    latest = lines.order_by().values("memory_id").annotate(last=Max("at"))
    rows = latest.order_by("-last", "memory_id").values_list("memory_id", "last")
    return dict(rows[:MAX_SERVED])


def _count_by_day(principal: Principal, robot: Robot, now: datetime) -> list[tuple[date, int]]:
    """Recalls by day. All lines of one answer have the same time, so the distinct times are
    counted."""
    first = now.date() - timedelta(days=DAYS - 1)
    lines = robot_recall_operations(
        principal, robot, since=now - timedelta(days=DAYS + 1), until=now
    )
    days = lines.order_by().annotate(day=TruncDate("at", tzinfo=now.tzinfo)).values("day")
    counted = dict(days.annotate(n=Count("at", distinct=True)).values_list("day", "n"))
    return [(day, counted.get(day, 0)) for day in (first + timedelta(days=n) for n in range(DAYS))]
