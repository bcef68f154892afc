"""Nobody lays the time of a lesson beside what somebody did at that time.

Mina's robot does everything that it may do for a persona, at one moment that nothing else has, and
with ids of some seconds that nothing else has. Then every reading address is asked by those who may
read what she taught: the moment stands in no answer, and no id of those seconds. What the robot
said to everybody in the same call is told with its time and its robot, or nothing were proven.
"""

import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.utils import timezone
from rest_framework.test import APIClient

from memories.review.models import Proposal
from orgs.principals import resolve_principal
from tests.isolation.test_who_taught import Taught, asked, parts
from tests.personas.persona_helpers import QSR
from tests.sampling import ALL, sample_slice
from tests.world import World

DAY = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
THEN = DAY.replace(hour=13, minute=37, second=42, microsecond=424242)
# A call that brings a lesson and something for everybody.
BOTH = DAY.replace(hour=14, minute=38, second=43, microsecond=535353)
ID = re.compile(r"\b[0-9a-f]{8}-?[0-9a-f]{4}-?7[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}\b")
LINES = ("They read rents by quarter.", "They call before they visit.", "They want short answers.")
EVERYBODY = "Quarterly zebra reports come on Mondays."


def written(at: datetime) -> tuple[str, ...]:
    """A moment as answers may write it."""
    clock, seconds = at.strftime("%H:%M:%S"), str(int(at.timestamp()))
    return (clock, f".{at.microsecond}", seconds)


def always(client: APIClient) -> Callable[[], APIClient]:
    """The same client for each question, so that no sign-in comes with it."""
    return lambda: client


class Busy(Taught):
    """Mina's robot at its work."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.robots_key: APIClient = self.stage.callers["robot of mina"]()
        self.stage.callers["robot of mina"] = always(self.robots_key)
        others = {name: self.stage.callers[name]() for name in ("bob", "chidi", "ada")}
        self.block_id = self.block()
        self.lessons: list[str] = []
        self.said: dict[str, int] = {}
        time.sleep(0.002)
        began = time.time_ns() // 1_000_000
        with time_machine.travel(THEN, tick=False):
            self.teach()
        with time_machine.travel(BOTH, tick=False):
            self.teach_and_tell()
        self.here.read()
        self.seconds = (began, time.time_ns() // 1_000_000)
        time.sleep(0.002)
        # An admin may know when a robot was last heard from: now.
        self.call("post", "/memories", {"content": "Later.", "visibility": "private"}, expect=201)
        self.stage.callers |= {name: always(one) for name, one in others.items()}

    def call(self, method: str, path: str, body: Any = None, *, expect: int) -> Any:
        answer = getattr(self.robots_key, method)(f"/api/v1{path}", body, format="json")
        assert answer.status_code == expect, (path, answer.content)
        self.said[f"{method} {path.partition('?')[0]}"] = answer.status_code
        return answer.json() if answer.content else None

    def lesson_of(self, text: str, **fields: Any) -> str:
        body = {"content": text, "visibility": f"persona:{QSR}", **fields}
        made: str = self.call("post", "/memories", body, expect=201)["id"]
        self.lessons.append(made)
        return made

    def teach(self) -> None:
        first = self.lesson_of(LINES[0], occurred_at=THEN.isoformat(), topic="rents")
        gone, erased, away = (self.lesson_of(f"They like chart {n}.") for n in (2, 3, 4))
        self.lesson_of("Jane Miller, jane.miller@example.com, asks on Mondays.")
        self.lesson_of("Everybody asks for the period.", visibility="industry:*")
        place = f"/blocks/{self.block_id}"
        entry = self.call("post", f"{place}/entries", {"text": LINES[1]}, expect=201)["id"]
        self.lessons.append(entry)
        self.call("post", f"{place}/entries/{entry}/confirm", expect=200)
        now = self.call("get", place, expect=200)
        text = now["text"].replace("They like chart 2.", LINES[2])
        self.call("put", place, {"text": text, "version": now["version"]}, expect=200)
        self.call("patch", f"/memories/{first}", {"importance": 0.9}, expect=200)
        self.call("patch", f"/memories/{first}", {"content": "They read rents."}, expect=200)
        self.call("post", f"/memories/{first}/archive", {}, expect=200)
        self.call("post", f"/memories/{first}/restore", expect=200)
        self.call("post", "/reports", {"memory": first, "reason": "Is it so?"}, expect=201)
        self.call("post", f"/memories/{first}/red-line", {"reason": "It is."}, expect=202)
        self.call("delete", f"/memories/{away}", expect=204)
        self.call("delete", f"/memories/{erased}?hard=true&confirm={erased}", expect=200)
        ruled = {"topic": "visits", "conclusion": "Visits come first.", "claims": []}
        ruled |= {"visibility": f"persona:{QSR}"}
        made = self.call("post", "/decisions", ruled, expect=201)["id"]
        self.lessons.append(made)
        no = {"kind": "risk_warning", "content": "Not in winter."}
        self.call("post", f"/decisions/{made}/dissents", no, expect=201)
        del gone

    def teach_and_tell(self) -> None:
        items = [
            {"content": "They plan by street.", "visibility": f"persona:{QSR}"},
            {"content": EVERYBODY, "visibility": "organisation"},
        ]
        found = self.call("post", "/memories/batch", {"items": items}, expect=200)["results"]
        self.lessons.append(found[0]["id"])
        self.told = UUID(found[1]["id"])

    def opened(self) -> dict[str, list[str]]:
        with resolve_principal(self.here.person("chidi")).scope():
            items = Proposal.objects.filter(memory_id__in=self.lessons)
            waiting = [str(id_) for id_ in items.values_list("id", flat=True)]
        assert len(waiting) >= 3, "a held line, a report, and a wish for protection"
        return super().opened() | {
            "memory_id": [*self.lessons, str(self.told)],
            "item_id": waiting,
            "proposal_id": waiting,
        }

    def leaks(self, text: str) -> Iterator[str]:
        """What an answer tells that is finer than a day, of the moment of the lessons."""
        # Rows that belong to what was told to everybody stand apart from it, without its id.
        somewhere = str(self.told) in text or EVERYBODY in text
        for part in parts(text):
            tells_all = str(self.told) in part or EVERYBODY in part
            tells_lesson = any(one in part for one in self.lessons) and not tells_all
            for at in (THEN,) if somewhere and not tells_lesson else (THEN, BOTH):
                yield from (one for one in written(at) if one in part)
            for id_ in () if tells_all else map(UUID, ID.findall(part)):
                first, last = self.seconds
                if first <= id_.int >> 80 <= last:
                    yield str(id_)


def told_by(busy: Busy, caller: str, *, whole: bool, part: slice = ALL) -> tuple[list[str], int]:
    """The addresses whose answers tell the moment, and how many were asked."""
    client = busy.stage.callers[caller]()
    found, known = [], 0
    for operation, path, body in [*busy.probes(caller, whole=whole)][part]:
        text = asked(client, operation, path, body)
        known += any(one in text for one in busy.lessons)
        found += [f"{operation.method} {path}: {one}" for one in busy.leaks(text)]
    return sorted(set(found)), known


@pytest.mark.conformance("T05", "T06")
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("caller", "one_of"),
    [
        ("chidi", 15),
        pytest.param("ada", 7, marks=pytest.mark.slow),
        pytest.param("robot of bob", 2, marks=pytest.mark.slow),
    ],
)
def test_no_answer_tells_the_moment_of_a_lesson(
    world: World, caller: str, one_of: int, request: pytest.FixtureRequest
) -> None:
    found, _ = told_by(Busy(world), caller, whole=False, part=sample_slice(request, one_of))
    assert found == [], "\n".join(found)


@pytest.mark.slow
@pytest.mark.conformance("T05", "T06")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("caller", ["chidi", "ada", "bob", "robot of bob", "vera"])
def test_no_answer_tells_it_to_any_question(world: World, caller: str) -> None:
    found, known = told_by(Busy(world), caller, whole=True)
    assert found == [], "\n".join(found)
    assert known >= 20 or caller == "vera", "nothing is proven of nothing"


def test_the_robot_itself_did_all_that_and_was_not_refused(world: World) -> None:
    """And what it told everybody in the same call is told, with its time and with its robot."""
    busy = Busy(world)
    assert len(busy.said) >= 15
    told = busy.stage.callers["chidi"]().get(f"/api/v1/memories/{busy.told}").json()
    assert told["created_at"].startswith(BOTH.isoformat()[:26])
    assert told["robot"]["id"] == busy.marks[0]
    for id_ in busy.lessons:
        answer = busy.stage.callers["chidi"]().get(f"/api/v1/memories/{id_}")
        if answer.status_code != 200:
            continue
        one = answer.json()
        assert one["created_at"] == DAY.isoformat().replace("+00:00", "Z"), one["content"]
        assert one["robot"] is None
