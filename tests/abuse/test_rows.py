"""Nobody fills the database by asking: the rows that reading and /gate leave behind are bounded.

Every reading address is called by a key that only reads and by a viewer. Each table that grows by
it has to be named here with what bounds it, and each bound has its test below.
"""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.conf import settings
from django.contrib.messages import get_messages
from django.urls import reverse
from django.utils import timezone

from memories.browsing.models import SavedView
from memories.browsing.saved_views import MOST_VIEWS
from memories.retrieval.recall_log import first_id_of, remove_old_recalls
from orgs.audit import MOST_A_DAY, record_seldom
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.models.base import new_id
from orgs.principals import resolve_principal
from tests.fuzz.test_no_server_error import ids_of
from tests.isolation.api_surface import example, openapi_schema
from tests.world import World
from tests.world_copies import shared_admin_connection

# What only answers although it is a POST.
ASKING = {
    "/api/v1/recall", "/api/v1/answer", "/api/v1/context", "/api/v1/gate", "/api/v1/feedback",
    "/api/v1/streams/recall", "/api/v1/memories/{memory_id}/explain",
}  # fmt: skip
RECALL, GATE = "/api/v1/recall", "/api/v1/gate"
# The tables that may grow, with what bounds them.
BOUNDED = {
    "memories_recall": "OPERATIONS_DAYS",
    "memories_operation": "OPERATIONS_DAYS",
    "personas_tooloutcome": "one for each tool and day of a persona: at most 101 tools in 57 days",
    "memories_feedback": "goes with its recall; one for each of its hits",
    "memories_use": "one of a memory and a reader",
    "memories_workingentry": "one of a memory and a robot",
    "orgs_auditentry": "MOST_A_DAY of an asker",
    "robots_robot": "a member has one personal robot",
    "orgs_audience": "one of a robot",
    "personas_block": "the blocks that each member has",
}
ACTIONS = {"gate.asked", "robot.personal"}


def counts(tables: list[str]) -> Counter[str]:
    parts = (f"SELECT '{table}', count(*) FROM \"{table}\"" for table in tables)
    rows = shared_admin_connection().execute(" UNION ALL ".join(parts)).fetchall()
    return Counter(dict(rows))


def tables() -> list[str]:
    query = (
        "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
    )
    return [name for (name,) in shared_admin_connection().execute(query).fetchall()]


def calls(ids: dict[str, list[str]]) -> list[tuple[str, str, Any]]:
    """(method, path, body) of every address that only reads."""
    found = []
    for address, methods in openapi_schema()["paths"].items():
        for method, operation in methods.items():
            if method != "get" and address not in ASKING:
                continue
            path = address
            for name in [part.partition("}")[0] for part in address.split("{")[1:]]:
                path = path.replace(f"{{{name}}}", (ids.get(name) or [str(new_id())])[0])
            needed = [p for p in operation.get("parameters", []) if p.get("required")]
            query = {p["name"]: "launch" for p in needed if p["in"] == "query"}
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            body = example(content["schema"]) if content else None
            found.append((method, f"{path}?{urlencode(query)}" if query else path, body))
    return found


@pytest.mark.conformance("T30")
@pytest.mark.timeout(600)
def test_each_table_that_grows_by_asking_has_a_bound(lasting_world: World) -> None:
    here = lasting_world.here
    here.remember(here.robot("aria"), "The launch is on Monday.", group="launch")
    here.remember(here.robot("aria"), "The canteen closes at two.")
    here.add_robot("reader", groups=("launch",), scopes=("read", "act_for"))
    clients = here.api("reader"), here.browser("vera")
    every, asked = tables(), calls(ids_of(here))
    assert len(asked) >= 60
    before, began = counts(every), timezone.now()
    answered = 0
    for client in clients:
        for method, path, body in asked:
            answer = client.generic(
                method.upper(), path, json.dumps(body) if body else "", "application/json"
            )
            answered += answer.status_code == 200
    # It stores nothing, but takes a key that may write.
    assert here.api("aria").post(GATE, {"text": "A shelf."}, format="json").status_code == 200
    grown = counts(every) - before
    assert answered >= 40
    assert {"memories_recall", "orgs_auditentry"} <= set(grown)
    assert set(grown) <= set(BOUNDED), grown - Counter(dict.fromkeys(BOUNDED, 10**6))
    with organisation_scope(here.id):
        new = AuditEntry.objects.filter(organisation_id=here.id, at__gte=began)
        assert set(new.values_list("action", flat=True)) <= ACTIONS


@pytest.mark.conformance("T30")
def test_questions_to_the_gate_leave_a_hundred_entries_a_day(world: World) -> None:
    here, now = world.here, datetime.now(UTC)
    aria, bolt = here.robot("aria"), here.robot("bolt")

    def entries() -> Counter[Any]:
        rows = AuditEntry.objects.filter(organisation_id=here.id, action="gate.asked")
        return Counter(rows.values_list("robot", flat=True))

    with organisation_scope(here.id):
        for _ in range(MOST_A_DAY + 20):
            record_seldom("gate.asked", actor=aria, now=now, audience="group")
        record_seldom("gate.asked", actor=bolt, now=now, audience="group")
        assert entries() == {aria.robot_id: MOST_A_DAY, bolt.robot_id: 1}
        last = AuditEntry.objects.filter(robot=aria.robot_id).order_by("-id").first()
        assert last is not None
        assert last.detail == {"audience": "group", "further": True}
    # The address itself, whose answer stays the same.
    api = here.api("aria")
    assert api.post(GATE, {"text": "The shelf is green."}, format="json").status_code == 200
    with organisation_scope(here.id):
        assert entries()[aria.robot_id] == MOST_A_DAY
        record_seldom("gate.asked", actor=aria, now=now + timedelta(days=1, seconds=1))
        assert entries()[aria.robot_id] == MOST_A_DAY + 1


@pytest.mark.conformance("T30")
def test_records_of_recalls_go_after_the_days_of_the_log(lasting_world: World) -> None:
    here, there = lasting_world.here, lasting_world.there
    here.remember(here.robot("aria"), "The canteen closes at two.")
    api = here.api("aria")
    asked = api.post(RECALL, {"query": "canteen"}, format="json").json()
    hit = {"recall_id": asked["recall_id"], "memory": asked["results"][0]["id"], "usefulness": 1}
    assert api.post("/api/v1/feedback", hit, format="json").status_code in (200, 201)
    there.api("aria").post(RECALL, {"query": "canteen"}, format="json")

    def kept(organisation_id: UUID) -> int:
        query = "SELECT count(*) FROM memories_recall WHERE organisation_id = %s"
        ((count,),) = shared_admin_connection().execute(query, [organisation_id]).fetchall()
        return int(count)

    days, now = timedelta(days=settings.OPERATIONS_DAYS), datetime.now(UTC)
    before = kept(here.id)
    assert remove_old_recalls(here.id, now=now + days - timedelta(minutes=30)) == 0
    assert remove_old_recalls(here.id, now=now + days + timedelta(minutes=1)) == before
    assert (kept(here.id), kept(there.id)) == (0, 1)
    # What was learned stays on the memory.
    assert api.get(f"/api/v1/memories/{hit['memory']}").status_code == 200


def test_ids_of_a_time_are_not_below_its_first_one() -> None:
    now = datetime.now(UTC)
    assert (
        first_id_of(now - timedelta(seconds=1)) < new_id() < first_id_of(now + timedelta(minutes=1))
    )


@pytest.mark.conformance("T30")
def test_a_viewer_keeps_fifty_views_and_may_change_them(world: World) -> None:
    here, browser = world.here, world.here.browser("vera")

    def keep(name: str) -> str:
        answer = browser.post(reverse("view-save"), {"name": name, "query": "q=x"})
        return " ".join(map(str, get_messages(answer.wsgi_request)))

    principal = resolve_principal(here.person("vera"))
    with principal.scope():
        SavedView.objects.bulk_create(
            SavedView(
                organisation_id=here.id, member_id=here.members["vera"].id, name=f"View {n}",
                audience_id=principal.own_audience,
            )
            for n in range(MOST_VIEWS - 1)
        )  # fmt: skip
    assert "Kept" in keep("One more")
    assert "remove one first" in keep("Too many")
    assert "Kept" in keep("View 1")
    with principal.scope():
        assert SavedView.objects.filter(member_id=here.members["vera"].id).count() == MOST_VIEWS
