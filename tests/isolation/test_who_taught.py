"""Nobody works out who taught a persona something, from whatever the product answers.

Mina's robot teaches a line, says something for everybody and about her, and has a line held back.
Whoever reads the line beside the robot's name or id would know its teacher. Generated from the
addresses that read: one that is added later is asked by itself.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID

import orjson
import pytest
from django.db import transaction
from rest_framework.test import APIClient

from memories.browsing.memory_pages import list_memories
from memories.browsing.selection import Selection
from memories.curation.decision_records.record_decision import (
    ClaimDraft,
    DecisionDraft,
    record_decision,
)
from memories.curation.review_decisions import ReviewDecision, approve_item
from memories.insights.overview import get_overview_figures
from memories.insights.statistics import count_written
from memories.review.models import Proposal
from memories.store.models.memory import Memory
from orgs import audit
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from tests.isolation.api_surface import Operation
from tests.isolation.canaries import CanaryWorld, plant_canaries
from tests.isolation.comparable_responses import response_text, send
from tests.isolation.test_traces_everywhere import SLOT, addresses, references, theirs
from tests.personas.persona_helpers import (
    QSR,
    make_association,
    make_owner_actor,
    make_personal_robot,
    make_robot_client,
    members_publish,
)
from tests.sampling import ALL, sample_slice
from tests.world import NOW, Tenant, World

LESSON = "The canary-persona-mina. word"
TOLD = "Zebra weeks are counted for everybody."
RULED = "Zebra leases are renewed in spring."
# What the reader of an address may put into it; the robot is always Mina's.
# The first two are put into each in the quick tests, all of them in the slow ones.
QUERIES = ("", "?robot={robot}", "?topic=canary", "?topic=zebra", "?q=canary", "?status=active")
BODIES: dict[str, list[dict[str, Any]]] = {
    "/api/v1/recall": [
        {"query": "canary-persona-mina word", "limit": 50},
        {"query": "zebra leases", "limit": 50},
        {"query": "canary-persona-mina word", "filters": {"robots": ["{robot}"]}, "limit": 50},
    ]
}


class Taught:
    """The stage with what Mina's robot taught, and everybody who asks about it."""

    def __init__(self, world: World, *, proposed: bool = False) -> None:
        self.more: list[str] = []
        self.stage: CanaryWorld = plant_canaries(world)
        self.here: Tenant = world.here
        make_association(self.here, "bob")
        self.robot: Actor = make_personal_robot(self.here, "mina")
        hers = make_owner_actor(self.here, "mina")
        if proposed:
            self.propose(hers)
        members_publish(self.here)
        self.lesson: UUID = self.stage.memories["canary-persona-mina"]
        self.for_all: UUID = self.stage.memories["canary-global-mina"]
        self.told = self.here.remember(hers, TOLD, visibility="organisation").id
        draft = DecisionDraft(
            topic="zebra leases",
            conclusion=RULED,
            claims=(ClaimDraft(text="Spring is quiet."),),
            visibility=f"persona:{QSR}",
        )
        self.ruled = record_decision(self.robot, draft, now=NOW).id
        self.here.read()
        self.stage.callers["robot of mina"] = lambda: make_robot_client(self.here, "mina")
        self.stage.callers["robot of bob"] = lambda: make_robot_client(self.here, "bob")

    def propose(self, hers: Actor) -> None:
        """Two lines for everybody, of which a curator has approved the first, and one of a
        profession that a gate holds."""
        told = ("Zebra crates are counted twice.", "Zebra shelves are dusted on Mondays.")
        made = [self.here.remember(hers, one, visibility="industry:*").id for one in told]
        # Held by a gate, which looks for names.
        held = "Jane Roe of 12 Harbour Street wants the zebra report."
        made.append(self.here.remember(hers, held, visibility=f"persona:{QSR}").id)
        chidi = self.here.person("chidi")
        with resolve_principal(chidi).scope():
            items = {id_: Proposal.objects.get(memory_id=id_) for id_ in made}
        decided = approve_item(chidi, items[made[0]].id, ReviewDecision(version=1), now=NOW)
        self.here.read()
        self.items = [str(one.id) for one in items.values()]
        self.waiting = [*map(str, made), str(decided.outcome["made"])]
        self.more = [*told, *self.waiting, *self.items]

    @property
    def marks(self) -> tuple[str, str]:
        """The robot's id and name."""
        return str(self.robot.robot_id), self.robot.name

    @property
    def lines(self) -> list[str]:
        ids = map(str, (self.lesson, self.for_all, self.ruled))
        return [*ids, "canary-persona-mina.", "canary-global-mina.", RULED, *self.more]

    def probes(self, caller: str, *, whole: bool) -> Iterator[tuple[Operation, str, Any]]:
        """Every reading address, opened with what was taught where it opens one thing."""
        kind = "aria" if caller.startswith("robot") else caller
        ids = theirs(self.stage, kind) | self.opened()
        if self.more:
            ids |= {"memory_id": self.waiting, "item_id": self.items}
        for place, method in addresses():
            if caller.startswith("robot") and not place.startswith("/api/"):
                continue
            values = {
                name: references(place, ids) if name == "reference" else ids.get(name, [])
                for name in SLOT.findall(place)
            }
            if not all(values.values()):
                continue
            for n in range(max((len(v) for v in values.values()), default=1)):
                path = place
                for name, known in values.items():
                    path = path.replace(f"{{{name}}}", known[n % len(known)])
                operation = Operation(method, place, (), None, place.startswith("/api/"))
                if method == "post":
                    for body in BODIES.get(place, []):
                        yield operation, path, orjson.loads(self.filled(orjson.dumps(body)))
                    continue
                for query in (QUERIES if whole else QUERIES[:2]) if not n else QUERIES[:1]:
                    yield operation, path + query.replace("{robot}", self.marks[0]), None

    def opened(self) -> dict[str, list[str]]:
        """What is put into an address that opens one thing, by the name of its slot."""
        return {
            "memory_id": [str(self.lesson), str(self.for_all), str(self.ruled)],
            "decision_id": [str(self.ruled)],
            "robot_id": [self.marks[0]],
            "robot": [self.marks[0]],
            "member_id": [str(self.here.members["mina"].id)],
            "block_id": [str(self.block()), str(self.block("global_experience"))],
        }

    def places(self) -> list[str]:
        """Where what waits, and what was approved, is shown."""
        found = ["/review/", "/api/v1/proposals?state=open&limit=100", "/audit/"]
        for one in self.waiting:
            found += [f"/memories/{one}/{part}" for part in ("", "trail/", "readers/")]
            found += [f"/api/v1/memories/{one}"]
            found += [f"/api/v1/memories/{one}/{part}" for part in ("history", "lineage")]
        for one in self.items:
            found += [f"/review/{one}/", f"/api/v1/proposals/{one}", f"/review/{one}/readers/"]
        return found

    def is_tied(self, part: str) -> bool:
        """Whether it says of one thing that it was taught and by which robot."""
        return any(one in part for one in self.marks) and any(one in part for one in self.lines)

    def of_another(self, path: str, body: Any) -> tuple[str, Any] | None:
        """The same question about Bob's robot; None where it asks about no robot."""
        if "?robot=" not in path and not (body and "filters" in body):
            return None
        mine, other = self.marks[0], str(make_personal_robot(self.here, "bob").robot_id)
        changed = orjson.loads(orjson.dumps(body).replace(mine.encode(), other.encode()))
        return path.replace(f"?robot={mine}", f"?robot={other}"), changed

    def filled(self, body: bytes) -> bytes:
        return body.replace(b"{robot}", self.marks[0].encode())

    def block(self, label: str = f"{QSR}_service_experience") -> UUID:
        from tests.personas.persona_helpers import get_block_by_label

        return get_block_by_label(make_owner_actor(self.here, "bob"), label).block.id


def parts(text: str) -> list[str]:
    """An answer in what it says of one thing each: the objects of JSON, the parts of a page, the
    lines of a file."""
    _, _, body = text.partition("\n")
    try:
        return list(_objects(orjson.loads(body)))
    except orjson.JSONDecodeError:
        return re.split(r"<(?:article|li|tr|section|option|form|nav|header|footer)\b|\r\n", body)


def _objects(value: Any) -> Iterator[str]:
    """A list is taken apart, for its elements have nothing to do with each other."""
    if isinstance(value, list):
        for one in value:
            yield from _objects(one)
        return
    if isinstance(value, dict):
        lists = {k: v for k, v in value.items() if isinstance(v, list) and v and _is_rows(v)}
        for rows in lists.values():
            yield from _objects(rows)
        yield orjson.dumps({k: v for k, v in value.items() if k not in lists}).decode()


def _is_rows(rows: list[Any]) -> bool:
    return any(isinstance(one, dict) for one in rows)


def asked(client: APIClient, operation: Operation, path: str, body: Any) -> str:
    """What the caller is told; whatever it changes is undone."""
    with transaction.atomic():
        answer = send(client, operation, path, {}, body)
        transaction.set_rollback(True)
    assert answer.status_code < 500, path
    return response_text(answer)


def tied(
    taught: Taught, caller: str, *, whole: bool = False, part: slice = ALL
) -> tuple[list[str], int]:
    """The answers that say of one thing that it was taught and by which robot, and how many
    answers show anything that was taught."""
    client: APIClient = taught.stage.callers[caller]()
    found, shown = [], 0
    for operation, path, body in [*taught.probes(caller, whole=whole)][part]:
        text = asked(client, operation, path, body)
        if not any(line in text for line in taught.lines):
            continue
        shown += 1
        narrowed = taught.of_another(path, body)
        # What is there for a robot that brought nothing as well is no matter of the robot.
        filtered = narrowed and not any(
            line in asked(client, operation, *narrowed) for line in taught.lines
        )
        # The address asked for may stand in the answer, and its query in the links that keep the
        # list; what it found may not.
        query = path.partition("?")[2] or path
        pieces = [part.replace(path, "").replace(query, "") for part in parts(text)]
        if filtered or any(taught.is_tied(part) for part in pieces):
            found.append(f"{operation.method} {path}")
    return sorted(set(found)), shown


@pytest.mark.conformance("T06")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("caller", "one_of"), [("bob", 18), ("robot of bob", 6)])
def test_nothing_that_is_read_ties_a_lesson_to_its_robot(
    world: World, caller: str, one_of: int, request: pytest.FixtureRequest
) -> None:
    taught = Taught(world)
    found, _ = tied(taught, caller, part=sample_slice(request, one_of))
    assert found == [], "\n".join(found)


@pytest.mark.slow
@pytest.mark.conformance("T06")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("caller", ["bob", "robot of bob", "chidi", "vera", "ada"])
def test_nothing_that_is_read_ties_one_by_any_question(world: World, caller: str) -> None:
    found, shown = tied(Taught(world), caller, whole=True)
    assert found == [], "\n".join(found)
    assert shown >= 15, "nothing is proven of nothing"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_its_member_and_the_robot_itself_are_told(world: World) -> None:
    """The same look at the answers finds the robot where it may be found."""
    taught = Taught(world)
    for caller in ("mina", "robot of mina"):
        found, _ = tied(taught, caller)
        assert f"get /api/v1/memories/{taught.lesson}" in found, caller
        assert f"get /api/v1/memories?robot={taught.marks[0]}" in found, caller


@pytest.mark.conformance("T06")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("caller", ["chidi", "bob"])
def test_nothing_ties_what_waits_for_everybody_to_its_robot(
    world: World, caller: str, request: pytest.FixtureRequest
) -> None:
    """Who decides about a line for everybody does not learn who wrote it, before and after."""
    taught = Taught(world, proposed=True)
    found, _ = tied(taught, caller, part=sample_slice(request, 12))
    client, seen = taught.stage.callers[caller](), 0
    # Bob has the persona as well; of himself a page says "You".
    peer = {"chidi": "Bob", "bob": "Vera"}[caller]
    marks = (*taught.marks, str(taught.here.members["mina"].id))
    for place in taught.places():
        operation = Operation("get", place, (), None, place.startswith("/api/"))
        text = asked(client, operation, place, None)
        pieces = [one.replace(place, "") for one in parts(text)]
        pieces = [one for one in pieces if any(line in one for line in taught.more)]
        seen += bool(pieces)
        told = any(mark in one for one in pieces for mark in marks)
        # Who reads it by now, and who would newly: Mina as everybody else.
        if told or (place.endswith("/readers/") and ("Mina" in text) != (peer in text)):
            found.append(place)
    for one in taught.waiting if caller == "chidi" else ():
        answers = [
            client.get(f"/api/v1/access?memory={one}&member={taught.here.members[name].id}").json()
            for name in ("mina", "bob")
        ]
        assert answers[0]["can_read"] == answers[1]["can_read"], one
    assert found == [], "\n".join(found)
    assert seen >= (6 if caller == "chidi" else 2), "nothing is proven of nothing"


def a_robot_that_acts_for_the_member_without_leave_is_not_told(taught: Taught) -> None:
    aria = resolve_actor(taught.here.robot("aria"), member=str(taught.here.members["mina"].id))
    assert not aria.sees_own
    client = taught.here.api("aria")
    mina = taught.here.members["mina"].id
    answer = client.get(f"/api/v1/memories?member={mina}&robot={taught.marks[0]}")
    assert str(taught.lesson) not in response_text(answer)


def figures_count_no_part_in_what_was_taught(taught: Taught) -> None:
    """The robot brought two lines that a profession reads, a lesson for everybody, one line for
    Mina alone, and one that it said to all."""

    def counted(caller: str) -> dict[str, int]:
        stats = taught.stage.callers[caller]().get("/api/v1/stats").json()
        said = {one["robot"]["id"]: one["memories"] for one in stats["activity"]}
        topic = taught.stage.callers[caller]().get("/api/v1/said?topic=canary").json()
        return {
            "stats": said.get(taught.marks[0], 0),
            "said": {r["robot"]["id"]: r["count"] for r in topic["results"]}.get(
                taught.marks[0], 0
            ),
        }

    assert counted("bob") == counted("robot of bob") == counted("chidi") == {"stats": 1, "said": 0}
    assert counted("mina") == {"stats": 5, "said": 3}
    robot = taught.robot.robot_id
    for name, wrote in {"bob": 1, "chidi": 1, "ada": 1, "mina": 5}.items():
        numbers = count_written(taught.here.person(name), [robot], NOW)
        assert numbers[robot].memories == wrote, name


def the_filter_of_the_pages_finds_nothing_that_was_taught(taught: Taught) -> None:
    chosen = Selection(robot=taught.robot.robot_id)
    for name, wanted in (("bob", {taught.told}), ("chidi", {taught.told})):
        page = list_memories(taught.here.person(name), chosen, organisation="Here", now=NOW)
        assert {row.memory.id for row in page.rows} == wanted, name
    hers = list_memories(taught.here.person("mina"), chosen, organisation="Here", now=NOW)
    assert {taught.told, taught.lesson, taught.for_all, taught.ruled} <= {
        row.memory.id for row in hers.rows
    }


def the_chart_of_robots_counts_no_part_in_what_was_taught(taught: Taught) -> None:

    def drawn(caller: str) -> int:
        bars = get_overview_figures(
            taught.here.person(caller), now=NOW + timedelta(hours=1)
        ).by_robot
        return {name: number for _, name, number in bars}.get(taught.robot.name, 0)

    assert [drawn(caller) for caller in ("bob", "chidi", "mina")] == [1, 1, 5]


def when_a_personal_robot_was_heard_from_is_for_its_member_and_admins(taught: Taught) -> None:
    place = f"/api/v1/robots/{taught.marks[0]}"

    def heard(caller: str) -> list[Any]:
        client = taught.stage.callers[caller]()
        rows = client.get("/api/v1/robots?limit=100").json()["results"]
        listed = next(one for one in rows if one["id"] == taught.marks[0])
        return [
            listed["last_active_at"] is None,
            client.get(place).json()["last_active_at"] is None,
        ]

    for caller in ("bob", "robot of bob", "chidi", "aria"):
        assert heard(caller) == [True, True], caller
    for caller in ("mina", "robot of mina", "ada"):
        assert heard(caller) == [False, False], caller
    others = taught.stage.callers["bob"]().get("/api/v1/robots?limit=100").json()["results"]
    assert any(one["last_active_at"] for one in others)
    page = taught.stage.callers["chidi"]().get("/robots/").content.decode()
    assert f"{taught.robot.name}" in page
    assert "Mina’s robot" not in page
    assert "Serves one member" in page
    assert "Mina’s robot" in taught.stage.callers["ada"]().get("/robots/").content.decode()


def a_personal_robot_keeps_its_neutral_name(taught: Taught) -> None:
    for caller in ("robot of mina", "ada", "chidi"):
        client = taught.stage.callers[caller]()
        place = f"/api/v1/robots/{taught.marks[0]}"
        refused = client.patch(place, {"name": "Robot of Mina"}, format="json")
        assert refused.status_code == 400, refused.content
        assert "keeps its name" in refused.content.decode()
        kept = client.patch(place, {"name": taught.robot.name, "purpose": "Leases"}, format="json")
        assert kept.status_code == 200, kept.content


def the_trail_of_admins_names_no_teacher(taught: Taught) -> None:
    """Nor by a filter; what the robot wrote for everybody is told."""
    ada = taught.stage.callers["ada"]()
    mina, (robot, name) = taught.here.members["mina"].id, taught.marks
    # An act that says nothing of readers itself.
    act = {"now": NOW, "target_type": "memory", "target": taught.lesson}
    with resolve_principal(taught.robot).scope():
        audit.record_entry("memory.edited", actor=taught.robot, **act)
    found: dict[str, list[str]] = {}
    for place in (
        "/audit/",
        f"/audit/?who={robot}",
        f"/audit/?who={mina}",
        f"/audit/?robot={quote(name)}",
        "/audit/?person=Mina",
        f"/people/{mina}/trail/",
        "/audit/entries.csv",
        f"/audit/entries.csv?who={robot}",
    ):
        answer = ada.get(place)
        assert answer.status_code == 200, place
        whole = (answer.getvalue() if answer.streaming else answer.content).decode()
        found[place] = re.split(r"<tr\b", whole) if "<tr" in whole else whole.splitlines()
        rows = [part for part in found[place] if str(taught.lesson) in part]
        assert not any(mark in row for row in rows for mark in (robot, name, str(mina), "Mina"))
        assert bool(rows) == (place in ("/audit/", "/audit/entries.csv")), place
        told = [part for part in found[place] if str(taught.told) in part]
        assert told, place
        assert all("Mina" in row and name in row for row in told), place
    assert any("A personal robot" in row for row in found["/audit/"])
    trail = ada.get(f"/memories/{taught.lesson}/trail/").content.decode()
    assert "A personal robot" in trail
    assert name not in trail
    # Nor once the lesson is gone: its gate's entry says for whom it was.
    with resolve_principal(taught.here.person("ada")).scope():
        assert Memory.objects.filter(id=taught.lesson).delete()[0]
    passed = re.split(r"<tr\b", ada.get("/audit/?act=gate.passed").content.decode())
    for_them = [part for part in passed if "for a persona" in part]
    assert for_them
    assert not any(mark in part for part in for_them for mark in (robot, name, str(mina), "Mina"))
    assert not any(
        "for a persona" in part
        for part in re.split(r"<tr\b", ada.get(f"/audit/?who={robot}").content.decode())
    )


def test_no_other_way_tells_who_taught(world: World) -> None:
    """One stage for all of these, which costs more than any of them."""
    taught = Taught(world)
    a_robot_that_acts_for_the_member_without_leave_is_not_told(taught)
    figures_count_no_part_in_what_was_taught(taught)
    the_filter_of_the_pages_finds_nothing_that_was_taught(taught)
    the_chart_of_robots_counts_no_part_in_what_was_taught(taught)
    when_a_personal_robot_was_heard_from_is_for_its_member_and_admins(taught)
    a_personal_robot_keeps_its_neutral_name(taught)
    the_trail_of_admins_names_no_teacher(taught)
