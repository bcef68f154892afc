"""No entry of the audit trail says who taught a persona something: not by its words, not by a
filter, not by its time, and not once the lesson is gone either.

Generated from the kinds of acts that the source records: a new one is untold until somebody puts it
on the list of those that never concern what is taught, and says here why.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from urllib.parse import quote
from uuid import UUID

import pytest
from django.db import connection
from rest_framework.test import APIClient

from memories.store.models.memory import Memory
from memories.views.insights.audit_labels import ACTION_LABELS
from orgs import audit
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import create_delegation, resolve_actor
from robots.access.personal_robot_actor import resolve_owner_actor
from tests.architecture.service_actions import writing_actions
from tests.isolation.comparable_responses import response_text
from tests.orgs.support.support_staff import make_staff, open_organisation
from tests.page_client import make_signed_in_client
from tests.personas.persona_helpers import (
    QSR,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
    make_personal_robot,
    members_publish,
)
from tests.sampling import run_seed
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T05", "T06")
# A moment that no other entry has.
THEN = datetime(2026, 3, 1, 13, 37, 42, 424242, UTC)
FINER = ("13:37:42", "424242")

# Why acts of these kinds never concern what is taught.
NEVER = {
    "account": "a member's own calendar, mailbox or feed",
    "association": "who has which persona; those who curate see that anyway",
    "delegation": "what a member lets robots do",
    "demo": "the whole organisation",
    "embedding": "work for everybody, by hand",
    "encryption": "keys, by the worker",
    "folder": "where an admin has files imported from",
    "group": "people in a group",
    "identity": "names of people elsewhere",
    "job": "work of people; robots begin none",
    "key.created": "keys of robots",
    "key.limited": "keys of robots",
    "key.renewed": "keys of robots",
    "key.revoked": "keys of robots",
    "learning": "a member's own wish",
    "member": "people of the organisation",
    "playground": "a curator asks",
    "policy": "what happens by itself",
    "question": "a curator about a question, without its words",
    "questions": "a wish of a member, or of an admin for a robot",
    "restating": "work for everybody, by hand",
    "robot": "robots and their seats",
    "sharing": "a member's own wish",
    "support": "people of support",
    "team": "robots in teams",
    "trace": "a person looks at a recall",
    "gate.policy_changed": "an admin's setting",
    "gate.term_added": "names that stay inside",
    "gate.term_removed": "names that stay inside",
    "organisation.resumed": "whoever runs the server",
    "organisation.suspended": "whoever runs the server",
    "persona.described": "people describe it",
    "persona.made": "made with an association",
    "persona.removed": "only without lessons",
    "snapshot.exported": "a number",
    "webhook": "where a robot or an admin is called",
}


@cache
def kinds() -> list[str]:
    """Every act that the source records, and every one that the pages have words for."""
    recorded = {one for actions in writing_actions().values() for one in actions if "*" not in one}
    return sorted(recorded | set(ACTION_LABELS))


def listed() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT act FROM unnest(%s::text[]) act WHERE never_teaches(act)", [kinds()])
        return {act for (act,) in cursor.fetchall()}


@pytest.mark.django_db
def test_what_is_on_the_list_has_a_reason() -> None:
    said = {one for one in kinds() if one in NEVER or one.partition(".")[0] in NEVER}
    assert listed() == said
    assert len(kinds()) - len(said) > 50, "most acts are on no list"


class Trails:
    """All that shows the trail to an admin and to support, with what would name the teacher."""

    def __init__(self, world: World, robot: Actor, *, told: tuple[str, ...] = ()) -> None:
        here = world.here
        self.mina = here.members["mina"].id
        self.marks = [str(self.mina), "Mina", str(robot.robot_id), robot.name]
        self.marks = [one for one in self.marks if one not in told]
        self.ada = make_signed_in_client(here, "ada")
        _, self.support = make_staff()
        open_organisation(self.support, world)
        self.filters = [f"?who={self.mina}", "?person=Mina", f"?about={self.mina}"]
        if not told:
            self.filters += [f"?who={robot.robot_id}", f"?robot={quote(robot.name)}"]

    def of_admins(self) -> dict[str, str]:
        places = [f"/audit/entries.csv{one}" for one in ["", *self.filters]]
        places += ["/audit/", *(f"/audit/{one}" for one in self.filters)]
        places += [f"/people/{self.mina}/trail/"]
        return {place: self._asked(self.ada, place) for place in places}

    def of_support(self) -> str:
        return self._asked(self.support, "/admin/organisation/audit/")

    def _asked(self, client: APIClient, place: str) -> str:
        answer = client.get(place)
        assert answer.status_code == 200, place
        return response_text(answer)

    def named(self) -> dict[str, int]:
        """By address, how many lines of it name the teacher; with a filter, how many it finds."""
        found = {}
        for place, told in self.of_admins().items():
            rows = told.splitlines() if ".csv" in place else told.split("<tr")
            found[place] = sum(
                "?" in place or any(mark in row for mark in self.marks) for row in rows
            )
        rows = self.of_support().split("<tr")
        found["support"] = sum(any(mark in row for mark in self.marks) for row in rows)
        return found


def names_no_more(now: dict[str, int], before: dict[str, int]) -> bool:
    """A page has the newest entries alone, so older ones that name somebody may have left it."""
    assert all(now[place] == n for place, n in before.items() if ".csv" in place), (now, before)
    return all(now[place] <= n for place, n in before.items())


def acting(here: Tenant) -> Actor:
    """Aria with Mina's leave, as she acts for her."""
    create_delegation(
        organisation_id=here.id, member_id=here.members["mina"].id,
        robot_id=here.robots["aria"].id, actor=here.person("mina"), now=NOW,
    )  # fmt: skip
    return resolve_actor(here.robot("aria"), member=str(here.members["mina"].id))


def targets(here: Tenant, lesson: UUID) -> list[tuple[str, UUID | None]]:
    shared = get_block_by_label(make_owner_actor(here, "bob")).block.id
    own = get_block_by_label(make_owner_actor(here, "mina"), "human").block.id
    hers = here.remember(here.person("mina"), "Only hers.", visibility="private").id
    found = [("memory", lesson), ("memory", new_id()), ("memory", hers)]
    return [*found, ("block", shared), ("block", own), ("association", new_id()), ("", None)]


Doer = Callable[[Tenant], Actor]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("one_of", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("who", "told"),
    [
        (lambda here: resolve_owner_actor(make_personal_robot(here, "mina")), ()),
        (lambda here: make_personal_robot(here, "mina"), ()),
        (acting, ("aria",)),
    ],
    ids=["her robot for her", "her robot", "a robot with her leave"],
)
def test_no_act_on_what_is_taught_names_its_teacher(
    lasting_world: World,
    who: Doer,
    told: tuple[str, ...],
    one_of: int,
    request: pytest.FixtureRequest,
) -> None:
    """Each act about each target; in the quick suite about one target or two."""
    world, here = lasting_world, lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    lesson = make_entries(here, "mina", "Leases are checked before visits.")[0]
    actor = who(here)
    known = (*told, str(here.robots["aria"].id)) if told else ()
    trails = Trails(world, actor, told=known)
    before = trails.named()
    some = targets(here, lesson)
    with resolve_principal(actor).scope():
        for number, one in enumerate(sorted(set(kinds()) - listed())):
            for type_, target in some[(number + run_seed(request)) % one_of :: one_of]:
                audit.record_entry(
                    one, actor=actor, now=THEN, target=target, target_type=type_, by=1
                )
        audit.record_entry(
            "gate.held", actor=actor, now=THEN, target=new_id(), target_type="memory",
            audience="persona", found={},
        )  # fmt: skip
    assert names_no_more(trails.named(), before)
    shown = trails.of_admins()
    assert not [place for place, page in shown.items() if any(one in page for one in FINER)]
    assert not any(one in trails.of_support() for one in FINER)
    assert "2026-03-01," in shown["/audit/entries.csv"], "the day is told, or nothing is proven"
    # Nor is it once what it was about is gone.
    with resolve_principal(here.person("ada")).scope():
        assert Memory.objects.filter(id=lesson).delete()[0]
    assert names_no_more(trails.named(), before)


def test_ids_of_such_entries_tell_the_day_alone(world: World) -> None:
    """A page of the trail goes on behind an id, whoever made it up."""
    here = world.here
    make_association(here, "mina")
    make_entries(here, "mina", "Leases are checked before visits.")
    robot = resolve_owner_actor(make_personal_robot(here, "mina"))
    with resolve_principal(robot).scope():
        audit.record_entry(
            "block.written", actor=robot, now=THEN, target=new_id(), target_type="block"
        )
    with organisation_scope(here.id), connection.cursor() as cursor:
        cursor.execute("SELECT id, at FROM orgs_auditentry WHERE action = 'block.written'")
        rows = cursor.fetchall()
    assert len(rows) == 2
    for id_, at in rows:
        assert (id_.int >> 80) % 86_400_000 == 0
        assert id_.version == 7
        assert at.time() == datetime.min.time()


def test_what_is_said_to_everybody_is_told(world: World) -> None:
    """The same robot, in the same trail: else nobody would have done anything."""
    here = world.here
    make_association(here, "mina")
    members_publish(here)
    robot = resolve_owner_actor(make_personal_robot(here, "mina"))
    told = here.remember(robot, "Visits are on Mondays.", visibility="organisation").id
    with resolve_principal(robot).scope():
        audit.record_entry(
            "memory.edited", actor=robot, now=THEN, target=told, target_type="memory"
        )
        audit.record_entry("key.created", actor=robot, now=THEN, target=new_id(), target_type="key")
    rows = response_text(
        make_signed_in_client(here, "ada").get(f"/audit/entries.csv?who={robot.robot_id}")
    )
    mine = [row for row in rows.splitlines() if "13:37:42.424242" in row]
    assert len(mine) == 2
    assert all("Mina" in row and robot.name in row for row in mine)
    assert QSR not in rows
