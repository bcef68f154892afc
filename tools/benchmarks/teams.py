"""Teams of robots: how soon one has what another remembered, and what looking costs."""

import argparse
import time
from pathlib import Path
from typing import Any

from django.utils import timezone

from memories.context import team_working_memory
from memories.evaluation.measures.metrics import percentiles
from memories.evaluation.report.tables import Table
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Role
from orgs.principals import Actor
from robots.models.robots import Robot
from robots.models.teams import TeamRobot, TeamStatus
from robots.teams.teams import create_team
from tests.robot_process import RobotProcess
from tools.benchmarks.synthetic import Synthetic, fill_organisation

ROUNDS, QUICK_ROUNDS = 200, 20
LOOKS, QUICK_LOOKS = 60, 10
SIZES, QUICK_SIZES = (2, 10, 100, 1_000), (2, 10)
MEMORIES, AT_HAND, WARM_UP = 2_000, 100, 5

Figures = dict[str, Any]


def run(chosen: argparse.Namespace, folder: Path) -> tuple[Figures, list[Table]]:
    quick = chosen.quick
    made = fill_organisation(MEMORIES // 10 if quick else MEMORIES)
    figures = {
        "sync": measure_synchronisation(made, QUICK_ROUNDS if quick else ROUNDS),
        "looks": [
            {"robots": size, "ms": measure_read(made, size, QUICK_LOOKS if quick else LOOKS)}
            for size in (QUICK_SIZES if quick else SIZES)
        ],
    }
    return figures, [table(figures)]


def create_team_of(made: Synthetic, name: str, robots: list[Robot]) -> str:
    """A team of these robots; the first is active."""
    organisation = made.organisation.id
    person = Actor(organisation_id=organisation, member_id=organisation, role=Role.ADMIN)
    now = timezone.now()
    team = create_team(person, {"name": name, "working_memory_tokens": 10_000}, now=now)
    with organisation_scope(organisation):
        TeamRobot.objects.bulk_create(
            TeamRobot(
                organisation_id=organisation, team_id=team.id, robot_id=robot.id,
                status=TeamStatus.PASSIVE if number else TeamStatus.ACTIVE, status_at=now,
                joined_at=now,
            )
            for number, robot in enumerate(robots)
        )  # fmt: skip
    return str(team.id)


def drafts(made: Synthetic, count: int) -> list[Draft]:
    texts = made.words.texts(count, 10, 30)
    return [Draft(content=text, visibility="organisation") for text in texts]


def measure_synchronisation(made: Synthetic, rounds: int) -> Figures:
    """ms from before one process sends what it remembers until another has it at hand.

    Both call the API in their own process; the one that waits asks again and again.
    """
    first, second = made.reader("10 %"), made.reader("10 %")
    with organisation_scope(made.organisation.id):
        robots = [Robot.objects.get(id=one.actor.robot_id) for one in (first, second)]
    path = f"/api/v1/teams/{create_team_of(made, 'bench pair', robots)}/working-memory"
    writer, reader = RobotProcess(first.key), RobotProcess(second.key)
    times = []
    try:
        for number, draft in enumerate(drafts(made, WARM_UP + rounds)):
            mark = f"{draft.content} {number}."
            reader.begin("get", path, until=mark)
            began = time.monotonic()
            body = {"content": mark, "visibility": "organisation", "importance": 1.0}
            kept = writer.call("post", "/api/v1/memories", body)
            seen = reader.answer()
            if kept["status"] != 201 or mark not in str(seen["body"]):
                raise AssertionError(f"not synchronised: {kept['status']}, {seen['status']}")
            times.append((seen["at"] - began) * 1000)
    finally:
        writer.kill()
        reader.kill()
    return percentiles(times[WARM_UP:])


def measure_read(made: Synthetic, size: int, count: int) -> Figures:
    """ms of one robot's look at what a team of this size has at hand, some AT_HAND memories."""
    organisation = made.organisation.id
    one = made.reader("10 %")
    others = [
        Robot(organisation_id=organisation, name=f"bench {size} {n}", created_at=timezone.now())
        for n in range(size - 1)
    ]
    with organisation_scope(organisation):
        Robot.objects.bulk_create(others)
        own = Robot.objects.get(id=one.actor.robot_id)
    team = create_team_of(made, f"bench of {size}", [own, *others])
    remember_many(one.actor, drafts(made, AT_HAND), now=timezone.now())
    times = []
    for _ in range(WARM_UP + count):
        began = time.perf_counter()
        found = team_working_memory.get_team_working_memory(one.actor, team, now=timezone.now())
        times.append((time.perf_counter() - began) * 1000)
    if not found.count:
        raise AssertionError("nothing is at hand")
    return {**percentiles(times[WARM_UP:]), "memories": found.count}


def table(figures: Figures) -> Table:
    sync = figures["sync"]
    rows: list[list[Any]] = [
        ["remembered by one process, at hand in another", 2, sync["p50"], sync["p95"], sync["n"]]
    ]
    rows += [
        ["look", row["robots"], row["ms"]["p50"], row["ms"]["p95"], row["ms"]["n"]]
        for row in figures["looks"]
    ]
    note = (
        "The first line: from before the one sends until the other, which asks without a pause, "
        f"has the answer. Looks: in process, {figures['looks'][0]['ms']['memories']} memories."
    )
    return Table("Teams", ["what", "robots", "ms p50", "ms p95", "n"], rows, note)
