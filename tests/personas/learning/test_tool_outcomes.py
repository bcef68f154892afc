"""How calls of tools turned out: reported by robots, counted by persona, tool and day."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.utils import timezone

from memories.access.consent import SharingOptOutError
from memories.privacy.opt_out import set_sharing
from memories.retrieval.feedback import CountedToolCall, ToolReport
from orgs.errors import NotFoundError
from orgs.principals import Actor
from personas.associations.association_changes import ensure_association
from personas.errors import MissingAssociationError
from personas.learning import tool_outcomes
from personas.learning.metrics import compute_persona_metrics
from personas.learning.tool_outcomes import OTHER_TOOLS, ToolMetrics, record_tool_outcome
from tests.databases import autocommit_connection
from tests.page_client import make_signed_in_client, response_text
from tests.personas.persona_helpers import (
    QSR,
    RETAIL,
    make_association,
    make_entries,
    make_owner_actor,
    make_personal_robot,
    make_robot_client,
)
from tests.world import NOW, Tenant, World

DAY = timedelta(days=1)
SEARCH, MAPS = "search_places", "maps.directions"


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    """Three members have a persona, and their robots taught it."""
    here = lasting_world.here
    for name, line in (("mina", "They look at places."), ("bob", "They want maps."),
                       ("ada", "They read the rent roll first.")):  # fmt: skip
        make_association(here, name)
        make_entries(here, name, line)
    return here


def report(
    who: Actor, tool: str = SEARCH, outcome: str = "success", *, at: datetime = NOW, **more: Any
) -> CountedToolCall:
    return record_tool_outcome(who, ToolReport(tool=tool, outcome=outcome, **more), now=at)


def tools_of(here: Tenant, handle: str = QSR, *, now: datetime = NOW) -> ToolMetrics:
    found = compute_persona_metrics(here.person("chidi"), now=now).tools
    return next(one for one in found if one.persona == handle)


@pytest.fixture
def database(committed: None) -> Iterator[psycopg.Connection[Any]]:
    """As the administrator of the server, whom no policy binds."""
    with autocommit_connection("admin") as connection:
        yield connection


@pytest.mark.conformance("P29")
def test_each_rate_is_what_plain_sql_says(here: Tenant, database: psycopg.Connection[Any]) -> None:
    make_association(here, "mina", RETAIL, confidence=0.5)
    mina, bob = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")
    for days in (1, 2, 55, 56, 57, 70):
        report(mina, at=NOW - days * DAY)
        report(bob, outcome="failure", at=NOW - days * DAY)
        report(bob, MAPS, at=NOW - days * DAY)
    report(bob, at=NOW - DAY)
    report(mina, at=NOW)
    report(mina, at=NOW - DAY, persona=RETAIL)
    plain = database.execute(
        "SELECT t.tool, sum(t.successes), sum(t.failures) FROM personas_tooloutcome t "
        "JOIN personas_persona p ON p.id = t.persona_id WHERE p.organisation_id = %s "
        "AND p.handle = %s AND t.day BETWEEN %s AND %s GROUP BY t.tool",
        [here.id, QSR, (NOW - 56 * DAY).date(), (NOW - DAY).date()],
    ).fetchall()
    told = tools_of(here)
    assert not told.few_people
    assert {(one.tool, one.successes, one.failures) for one in told.tools} == set(plain)
    assert set(plain) == {(SEARCH, 5, 4), (MAPS, 4, 0)}
    assert [one.tool for one in told.tools] == [SEARCH, MAPS], "the most used first"
    assert [one.success_rate for one in told.tools] == [pytest.approx(5 / 9), 1.0]
    body = make_signed_in_client(here, "chidi").get("/api/v1/personas/metrics").json()
    assert next(one for one in body["tools"] if one["persona"] == QSR)["few_people"] is False


def test_a_row_says_nothing_of_who_reported(
    here: Tenant, database: psycopg.Connection[Any]
) -> None:
    at = NOW + timedelta(hours=3, minutes=7)
    report(make_owner_actor(here, "mina"), at=at)
    report(make_owner_actor(here, "bob"), outcome="failure", at=at)
    columns = [
        name
        for (name,) in database.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'personas_tooloutcome'::regclass "
            "AND attnum > 0"
        )
    ]
    assert sorted(columns) == sorted(
        ["id", "organisation_id", "persona_id", "tool", "day", "successes", "failures"]
    )
    [(id_, day, successes, failures)] = database.execute(
        "SELECT id, day, successes, failures FROM personas_tooloutcome WHERE organisation_id = %s",
        [here.id],
    ).fetchall()
    assert (day, successes, failures) == (NOW.date(), 1, 1)
    told = datetime.fromtimestamp((id_.int >> 80) / 1000, tz=NOW.tzinfo)
    assert (told.date(), told.hour, told.minute) == (NOW.date(), 0, 0), "the id keeps the day"


def test_of_a_persona_of_few_people_nothing_is_shown(here: Tenant) -> None:
    for name in ("mina", "bob", "ada"):
        report(make_owner_actor(here, name), at=NOW - DAY)
    assert [one.successes for one in tools_of(here).tools] == [3]
    set_sharing(here.person("bob"), out=True, now=NOW)
    told = tools_of(here)
    assert (told.few_people, told.tools) == (True, ()), "two who share are few"
    set_sharing(here.person("bob"), out=False, now=NOW)
    assert not tools_of(here).few_people
    # Three have the other one, and fewer taught it.
    for name in ("mina", "bob", "ada"):
        make_association(here, name, RETAIL, confidence=0.4)
        report(make_owner_actor(here, name), persona=RETAIL, at=NOW - DAY)
    make_entries(here, "mina", "They plan by centre.", handle=RETAIL)
    told = tools_of(here, RETAIL)
    assert (told.few_people, told.tools) == (True, ())


@pytest.mark.conformance("P29")
def test_the_page_shows_the_rates(here: Tenant) -> None:
    mina, at = make_owner_actor(here, "mina"), timezone.now() - DAY
    for outcome in ("success", "success", "failure"):
        report(mina, outcome=outcome, at=at)
    client = make_signed_in_client(here, "chidi")
    page = response_text(client.get("/personas/figures/"))
    row = next(part for part in page.split("<tr>") if SEARCH in part)
    assert "Real Estate in QSR" in row
    assert ">3<" in row
    assert ">67%<" in row
    set_sharing(here.person("bob"), out=True, now=NOW)
    assert SEARCH not in response_text(client.get("/personas/figures/"))
    assert make_signed_in_client(here, "mina").get("/personas/figures/").status_code == 404


def test_today_is_not_shown_yet(here: Tenant) -> None:
    report(make_owner_actor(here, "mina"))
    assert tools_of(here).tools == ()
    assert [one.successes for one in tools_of(here, now=NOW + DAY).tools] == [1]


def test_who_may_report_for_whom(world: World) -> None:
    here = world.here
    mina, bob = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")
    with pytest.raises(MissingAssociationError):
        report(mina)
    make_association(here, "mina", confidence=0.6)
    make_association(here, "mina", RETAIL, confidence=0.9)
    assert report(mina).persona == RETAIL, "the surest"
    assert report(make_personal_robot(here, "mina")).persona == RETAIL
    assert report(mina, persona=QSR).persona == QSR
    for who, asked in (
        (bob, QSR), (here.robot("aria"), QSR), (mina, "no_such"), (world.there.robot("aria"), QSR),
    ):  # fmt: skip
        with pytest.raises(NotFoundError):
            report(who, persona=asked)
    # Without the member's leave a robot learns neither which personas they have nor whether any.
    hers = str(here.members["mina"].id)
    with pytest.raises(MissingAssociationError):
        report(here.robot("aria"), member=hers)
    with pytest.raises(NotFoundError):
        report(here.robot("aria"), member=hers, persona=QSR)
    for name in ("mina", "chidi", "ada"):
        with pytest.raises(PermissionError):
            report(here.person(name), persona=QSR)
    set_sharing(here.person("mina"), out=True, now=NOW)
    for more in ({}, {"persona": QSR}):
        with pytest.raises(SharingOptOutError):
            report(mina, **more)


def test_a_viewers_robot_reports_nothing(world: World) -> None:
    here = world.here
    vera = str(here.members["vera"].id)
    ensure_association(here.person("chidi"), member=vera, handle=QSR, confidence=1, now=NOW)
    with pytest.raises(PermissionError):
        report(make_owner_actor(here, "vera"))


def test_a_persona_has_so_many_tools_and_the_others_are_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    make_association(here, "mina")
    mina = make_owner_actor(here, "mina")
    monkeypatch.setattr(tool_outcomes, "MAX_TOOLS", 3)
    counted = [report(mina, f"tool_{letter}").tool for letter in "abcdeab"]
    assert counted == ["tool_a", "tool_b", "tool_c", OTHER_TOOLS, OTHER_TOOLS, "tool_a", "tool_b"]
    assert report(mina, "tool_d", at=NOW + 40 * DAY).tool == OTHER_TOOLS
    report(mina, "tool_a", at=NOW + 40 * DAY)
    # What was not called for eight weeks makes room.
    later = NOW + 57 * DAY
    assert [report(mina, name, at=later).tool for name in ("tool_d", "tool_e", "tool_f")] == [
        "tool_d", "tool_e", OTHER_TOOLS,
    ]  # fmt: skip


@pytest.mark.parametrize("tool", [SEARCH, MAPS, "getWeather", "jira/create_issue", "web.search:v2"])
def test_names_of_tools_are_counted_as_they_are(world: World, tool: str) -> None:
    make_association(world.here, "mina")
    assert report(make_owner_actor(world.here, "mina"), tool).tool == tool


@pytest.mark.parametrize("tool", ["call_jane_miller", "callJaneMiller", "mail/Jane.Miller"])
def test_a_name_that_names_somebody_is_counted_with_the_others(world: World, tool: str) -> None:
    make_association(world.here, "mina")
    assert report(make_owner_actor(world.here, "mina"), tool).tool == OTHER_TOOLS


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"tool": SEARCH, "outcome": "failure"}, 200, ""),
        ({"tool": SEARCH, "outcome": "failure", "persona": QSR}, 200, ""),
        ({"tool": SEARCH}, 400, "outcome"),
        ({"tool": SEARCH, "outcome": "partial"}, 400, "outcome"),
        ({"tool": "It failed, for the map was old.", "outcome": "failure"}, 400, "tool"),
        ({"tool": "x" * 65, "outcome": "success"}, 400, "tool"),
        ({"tool": "-x", "outcome": "success"}, 400, "tool"),
        ({"tool": SEARCH, "outcome": "success", "usefulness": 1}, 400, "usefulness"),
        ({"tool": SEARCH, "outcome": "success", "persona": "no_such"}, 404, "persona"),
        ({"outcome": "success"}, 400, "memory"),
        ({"usefulness": 1, "persona": QSR}, 400, "memory"),
    ],
)
def test_over_the_api(world: World, body: dict[str, Any], status: int, field: str) -> None:
    make_association(world.here, "mina")
    client = make_robot_client(world.here, "mina")
    answer = client.post("/api/v1/feedback", body, format="json")
    assert answer.status_code == status, answer.content
    if status == 200:
        assert answer.json() == {"persona": QSR, "tool": SEARCH}
    else:
        assert field in {one["field"] for one in answer.json()["errors"]}


def test_people_are_refused_over_the_api(world: World) -> None:
    make_association(world.here, "mina")
    body = {"tool": SEARCH, "outcome": "success"}
    answer = world.here.browser("mina").post("/api/v1/feedback", body, format="json")
    assert answer.status_code == 403
