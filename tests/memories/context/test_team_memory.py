"""What a team of robots has at hand together: what enters, what leaves, who sees it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.context import team_working_memory
from memories.context.models import WorkingEntry
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.store.models.version import Operation, OperationVerb
from orgs.database.rls import Scope, organisation_scope, scope
from orgs.principals import resolve_principal
from robots.access.acting_for_members import create_delegation
from robots.conversations.conversations import ensure_conversation
from robots.conversations.message_types import NewMessage
from robots.conversations.post_messages import post_messages
from robots.models.teams import Team, TeamRobot
from robots.registry.robots import add_robot_to_groups, remove_robot_from_group
from robots.teams.team_robots import add_team_robot
from robots.teams.teams import ensure_team_audience
from tests.world import NOW, Tenant, World

EVERYONE = {"visibility": "organisation"}


@pytest.fixture
def team(here: Tenant) -> Team:
    """Aria leads, Clio waits; both sit in #design, Aria alone in #launch."""
    return here.add_team("coding", "aria", "clio")


def got(tenant: Tenant, robot: str, part: str = "working-memory", **asked: Any) -> Any:
    answer = tenant.api(robot).get(f"/api/v1/teams/coding/{part}", asked)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def texts(found: Any) -> list[str]:
    return [entry["content"] for entry in found["entries"]]


def put(tenant: Tenant, robot: str, memory: UUID, status: int = 200) -> Any:
    body = {"memory": str(memory)}
    answer = tenant.api(robot).post("/api/v1/teams/coding/working-memory", body, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


def remove_from_working_memory(tenant: Tenant, robot: str, query: str = "") -> int:
    return int(tenant.api(robot).delete(f"/api/v1/teams/coding/working-memory{query}").status_code)


@pytest.mark.conformance("H13", "H38")
@pytest.mark.usefixtures("team")
def test_what_one_robot_remembers_appears_with_all(here: Tenant) -> None:
    kept = here.remember(here.robot("aria"), "The parser is slow.", **EVERYONE).id
    for robot in ("aria", "clio"):
        found = got(here, robot)
        assert [e["memory"] for e in found["entries"]] == [str(kept)]
        assert (found["budget"], found["tokens"], found["count"]) == (4_000, 6, 1)
        assert found["team"] == {"id": "coding", "name": "coding"}
    # Nobody's own working memory has it.
    own = f"/api/v1/robots/{here.robots['clio'].id}/working-memory"
    assert here.api("clio").get(own).json()["count"] == 0
    here.remember(here.robot("bolt"), "Bolt is in no team.", **EVERYONE)
    assert got(here, "aria")["count"] == 1


@pytest.mark.conformance("H38")
@pytest.mark.usefixtures("team")
def test_only_what_every_robot_reads_alone_enters(here: Tenant) -> None:
    aria, hers = here.robot("aria"), str(here.members["mina"].id)
    create_delegation(
        organisation_id=here.id,
        member_id=here.members["mina"].id,
        robot_id=here.robots["aria"].id,
        actor=here.person("mina"),
        now=NOW,
    )
    here.remember(aria, "My own note.", visibility="internal")
    here.remember(aria, "Mina is ill.", member=hers, visibility="private")
    here.remember(aria, "Said to Mina.", member=hers, group="design", visibility="protected")
    here.remember(aria, "The launch is red.", group="launch")
    assert got(here, "aria")["count"] == 0
    here.remember(aria, "The design is blue.", group="design")
    here.remember(aria, "A note for robots.", visibility="team:coding")
    # For whom it was said is no matter where all read it.
    here.remember(aria, "Mina likes blue.", member=hers, group="design", visibility="group")
    assert texts(got(here, "clio")) == texts(got(here, "aria"))
    assert sorted(texts(got(here, "clio"))) == [
        "A note for robots.", "Mina likes blue.", "The design is blue.",
    ]  # fmt: skip


@pytest.mark.conformance("H38")
def test_who_loses_a_seat_takes_it_out_of_everybodys_sight(here: Tenant, team: Team) -> None:
    here.remember(here.robot("aria"), "The design is blue.", group="design")
    here.remember(here.robot("aria"), "The office closes at six.", **EVERYONE)
    seat = {"organisation_id": here.id, "robot_id": here.robots["clio"].id}
    remove_robot_from_group(**seat, group_id=here.groups["design"].id)
    for robot in ("aria", "clio"):
        found = got(here, robot)
        assert texts(found) == ["The office closes at six."]
        assert (found["count"], found["tokens"], found["evicted"]) == (1, 6, [])
    add_robot_to_groups(**seat, group_ids=[here.groups["design"].id])
    assert got(here, "clio")["count"] == 2
    # Who joins without the seat narrows it as well.
    add_team_robot(here.person("ada"), str(team.id), str(here.robots["bolt"].id), now=NOW)
    for robot in ("aria", "bolt", "clio"):
        assert texts(got(here, robot)) == ["The office closes at six."]


@pytest.mark.usefixtures("team")
def test_a_repeated_text_enters_and_a_message_does_not(here: Tenant) -> None:
    kept = here.remember(here.robot("bolt"), "The parser is slow.", **EVERYONE).id
    assert got(here, "aria")["count"] == 0
    again = here.remember(here.robot("clio"), "The parser is slow.", **EVERYONE)
    assert (again.id, again.deduplicated) == (kept, True)
    assert [e["memory"] for e in got(here, "aria")["entries"]] == [str(kept)]
    chat, _ = ensure_conversation(here.robot("aria"), {"group": "design"}, now=NOW)
    said = NewMessage(content="We decided that the design of the page is blue.")
    (posted,) = post_messages(here.robot("aria"), chat.id, [said], now=NOW)
    assert posted.promoted.memory  # type: ignore[union-attr]
    assert got(here, "aria")["count"] == 1


@pytest.mark.usefixtures("team")
def test_a_batch_enters_and_what_is_refused_does_not(here: Tenant) -> None:
    drafts = [Draft(content=f"Fact {n}.", **EVERYONE) for n in range(3)]
    drafts.append(Draft(content="Elsewhere.", group="nothing"))
    remember_many(here.robot("aria"), drafts, now=NOW)
    assert got(here, "clio")["count"] == 3


@pytest.mark.usefixtures("team")
def test_a_robot_puts_in_and_takes_out_for_all(here: Tenant) -> None:
    kept = here.remember(here.robot("bolt"), "The parser is slow.", **EVERYONE).id
    note = here.remember(here.robot("aria"), "My own note.", visibility="internal").id
    assert put(here, "aria", kept) == {"memory": str(kept), "evicted": []}
    put(here, "aria", note, 404)
    assert texts(got(here, "clio")) == ["The parser is slow."]
    assert got(here, "clio", max_tokens=3)["text"] == ""
    assert got(here, "clio", order="important")["text"] == "The parser is slow."
    assert remove_from_working_memory(here, "clio", f"?memory={kept}") == 204
    found = got(here, "aria")
    assert (found["count"], [e["reason"] for e in found["evicted"]]) == (0, ["removed"])
    assert remove_from_working_memory(here, "clio", f"?memory={kept}") == 404
    put(here, "aria", kept)
    assert remove_from_working_memory(here, "aria") == 204
    assert got(here, "clio")["count"] == 0
    assert here.api("aria").get(f"/api/v1/memories/{kept}").json()["status"] == "active"


@pytest.mark.usefixtures("team")
@override_settings(TEAM_WORKING_MEMORY_TOKENS=20)
def test_what_is_least_important_makes_room_for_all(here: Tenant) -> None:
    low = here.remember(
        here.robot("aria"), "A random note about nothing at all.", importance=0.1, **EVERYONE
    ).id
    for text in ("The architecture is decided: one store.", "The user prefers short answers."):
        here.remember(here.robot("clio"), text, importance=0.9, **EVERYONE)
    for robot in ("clio", "aria"):
        found = got(here, robot)
        assert found["tokens"] <= 20
        assert [(e["memory"], e["reason"]) for e in found["evicted"]] == [(str(low), "budget")]
    state = got(here, "aria", "status")
    assert (state["tokens"], state["count"]) == (found["tokens"], 2)
    assert state["utilisation"] == round(found["tokens"] / 20, 4)


@pytest.mark.usefixtures("team")
def test_a_budget_smaller_than_one_memory_loses_nothing_else(here: Tenant) -> None:
    here.remember(here.robot("aria"), "Short.", importance=0.1, **EVERYONE)
    long = "One two three four five six seven eight nine ten."
    large = here.remember(here.robot("aria"), long, importance=1.0, **EVERYONE).id
    address = "/api/v1/teams/coding"
    body = {"working_memory_tokens": 5}
    assert here.browser("ada").patch(address, body, format="json").status_code == 200
    found = got(here, "clio")
    assert texts(found) == ["Short."]
    assert [e["memory"] for e in found["evicted"]] == [str(large)]
    refused = put(here, "clio", large, 413)
    assert refused["detail"] == "The memory has 11 tokens, and the working memory holds 5."
    assert texts(got(here, "clio")) == ["Short."]
    for wrong in (0, -1, "many", 1.5, True):
        body = {"working_memory_tokens": wrong}  # type: ignore[dict-item]
        assert here.browser("ada").patch(address, body, format="json").status_code == 400


@pytest.mark.usefixtures("team")
def test_what_is_forgotten_leaves_it(here: Tenant) -> None:
    kept = here.remember(here.robot("aria"), "The parser is slow.", **EVERYONE).id
    forget_memory(here.robot("aria"), kept, now=timezone.now())
    for robot in ("aria", "clio"):
        assert (got(here, robot)["count"], got(here, robot)["evicted"]) == (0, [])
    restore_memory(here.robot("aria"), kept, now=timezone.now())
    assert got(here, "clio")["count"] == 0


def test_what_left_long_ago_leaves_no_row(
    here: Tenant, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_working_memory, "EVICTED_SCAN_LIMIT", 2)
    drafts = [Draft(content=f"Fact number {n} of many.", **EVERYONE) for n in range(9)]
    remember_many(here.robot("aria"), drafts, now=NOW)
    with override_settings(TEAM_WORKING_MEMORY_TOKENS=7):
        assert got(here, "aria")["count"] == 1
    with organisation_scope(here.id):
        audience = ensure_team_audience(team)
    with scope(Scope(organisation=here.id, audiences=(audience,))):
        assert WorkingEntry.objects.filter(evicted_at=None).count() == 1
        assert WorkingEntry.objects.exclude(evicted_at=None).count() == 2


@pytest.mark.usefixtures("team")
def test_nobody_else_has_it(world: World) -> None:
    here, there = world.here, world.there
    kept = here.remember(here.robot("aria"), "The parser is slow.", **EVERYONE).id
    address = "/api/v1/teams/coding/working-memory"
    for client in (
        here.api("bolt"), there.api("aria"), here.browser("mina"), here.browser("vera"),
        there.browser("ada"),
    ):  # fmt: skip
        assert client.get(address).status_code == 404
        assert client.post(address, {"memory": str(kept)}, format="json").status_code == 404
        assert client.delete(address).status_code == 404
        assert client.get("/api/v1/teams/coding/status").status_code == 404
    for name in ("ada", "chidi"):
        body = {"memory": str(kept)}
        assert here.browser(name).post(address, body, format="json").status_code == 403
        assert here.browser(name).delete(address).status_code == 403
    assert got(here, "aria")["count"] == 1


@pytest.mark.parametrize("name", ["ada", "chidi"])
@pytest.mark.usefixtures("team")
def test_curators_see_sizes_and_what_they_read_themselves(here: Tenant, name: str) -> None:
    here.remember(here.robot("aria"), "The office closes at six.", **EVERYONE)
    here.remember(here.robot("aria"), "A secret of the design.", group="design")
    here.remember(here.robot("aria"), "A note among robots.", visibility="team:coding")
    found = here.browser(name).get("/api/v1/teams/coding/working-memory").json()
    assert (found["count"], texts(found)) == (3, ["The office closes at six."])
    assert found["tokens"] == got(here, "clio")["tokens"]


def test_the_rows_are_closed_to_who_is_in_no_team(here: Tenant, team: Team) -> None:
    here.remember(here.robot("aria"), "The office closes at six.", **EVERYONE)
    for who, seen in (("aria", 1), ("clio", 1), ("bolt", 0)):
        with resolve_principal(here.robot(who)).scope():
            assert WorkingEntry.objects.count() == seen, who
    for name in here.members:
        with resolve_principal(here.person(name)).scope():
            assert not WorkingEntry.objects.exists()
    with organisation_scope(here.id):
        TeamRobot.objects.filter(robot_id=here.robots["clio"].id, team_id=team.id).delete()
    with resolve_principal(here.robot("clio")).scope():
        assert not WorkingEntry.objects.exists()


def moved(tenant: Tenant, client: Any, status: int = 200, **more: Any) -> Any:
    body = {"to": "research", **more}
    answer = client.post("/api/v1/teams/coding/transfer", body, format="json")
    assert answer.status_code == status, answer.json()
    return answer.json()


@pytest.mark.conformance("H40")
@pytest.mark.parametrize("clear", [None, True, False])
@pytest.mark.usefixtures("team")
def test_a_team_hands_over_what_it_has(here: Tenant, clear: bool | None) -> None:
    here.add_team("research", "aria", "bolt")
    kept = here.remember(here.robot("clio"), "The office closes at six.", **EVERYONE).id
    blue = here.remember(here.robot("clio"), "The design is blue.", group="design").id
    before = got(here, "clio")
    done = moved(here, here.api("aria"), **({} if clear is None else {"clear_source": clear}))
    # Bolt does not sit in #design.
    assert done == {"moved": [str(kept)], "kept": [str(blue)], "evicted": []}
    there = here.api("bolt").get("/api/v1/teams/research/working-memory").json()
    (entry,) = there["entries"]
    same = next(e for e in before["entries"] if e["memory"] == str(kept))
    assert {k: v for k, v in entry.items() if k != "tokens"} == {
        k: v for k, v in same.items() if k != "tokens"
    }
    left = [e["memory"] for e in got(here, "clio")["entries"]]
    assert sorted(left) == sorted([str(blue)] if clear is not False else [str(blue), str(kept)])


@pytest.mark.conformance("H40")
def test_the_status_of_a_team(here: Tenant, team: Team) -> None:
    here.remember(here.robot("clio"), "The office closes at six.", **EVERYONE)
    for robot in ("aria", "clio"):
        answer = here.api(robot).post("/api/v1/teams/coding/heartbeat")
        assert answer.status_code == 200
    found = got(here, "clio", "status")
    names = {part: [r["name"] for r in found[part]] for part in ("active", "passive", "silent")}
    # The clock of the world stood still long ago, so Clio took over from Aria.
    assert sorted(names["active"] + names["passive"]) == ["aria", "clio"]
    assert names["silent"] == []
    assert found["in_sync"] is True
    assert (found["tokens"], found["count"], found["budget"]) == (6, 1, 4_000)
    assert found["utilisation"] == 0.0015
    with organisation_scope(here.id):
        long_ago = timezone.now() - timedelta(seconds=11)
        TeamRobot.objects.filter(team_id=team.id).update(last_seen_at=long_ago, status_at=long_ago)
    found = got(here, "clio", "status")
    assert found["in_sync"] is False
    assert len(found["silent"]) == 2


@pytest.mark.usefixtures("team")
def test_what_the_other_team_cannot_hold_stays(here: Tenant) -> None:
    here.add_team("research", "aria", working_memory_tokens=5)
    kept = here.remember(here.robot("clio"), "The office closes at six.", **EVERYONE).id
    small = here.remember(here.robot("clio"), "Short.", **EVERYONE).id
    done = moved(here, here.browser("chidi"))
    assert (done["moved"], done["kept"]) == ([str(small)], [str(kept)])
    assert [e["memory"] for e in got(here, "aria")["entries"]] == [str(kept)]


@pytest.mark.usefixtures("team")
def test_only_who_is_in_both_hands_over(here: Tenant) -> None:
    here.add_team("research", "bolt")
    here.remember(here.robot("clio"), "The office closes at six.", **EVERYONE)
    for client in (here.api("aria"), here.api("bolt"), here.browser("mina")):
        moved(here, client, 404)
    moved(here, here.api("aria"), 404, to="coding")
    moved(here, here.api("aria"), 404, to="nothing")
    assert got(here, "aria")["count"] == 1


@pytest.mark.usefixtures("team")
def test_who_curates_is_told_of_what_they_read(here: Tenant) -> None:
    here.add_team("research", "aria", "clio", working_memory_tokens=12)
    here.add_team("third", "aria", "clio", working_memory_tokens=3)
    office = {"importance": 0.9, **EVERYONE}
    kept = here.remember(here.robot("clio"), "The office closes at six.", **office).id
    here.remember(here.robot("clio"), "The design is blue.", group="design", importance=0.1)
    chidi = here.browser("chidi")
    done = moved(here, chidi, clear_source=False)
    assert done == {"moved": [str(kept)], "kept": [], "evicted": []}
    assert here.api("aria").get("/api/v1/teams/research/status").json()["count"] == 2
    # What makes room and what stays is told in the same way.
    lunch = here.remember(here.robot("clio"), "Lunch is at noon today.", **office).id
    done = moved(here, chidi, clear_source=False)
    assert (sorted(done["moved"]), done["evicted"]) == (sorted([str(kept), str(lunch)]), [])
    assert here.api("aria").get("/api/v1/teams/research/status").json()["count"] == 2
    done = moved(here, chidi, to="third", clear_source=False)
    assert (done["moved"], sorted(done["kept"])) == ([], sorted([str(kept), str(lunch)]))
    done = moved(here, here.api("aria"), to="third", clear_source=False)
    assert len(done["kept"]) == 3


@pytest.mark.conformance("H47")
def test_what_a_team_hands_over_or_cannot_hold_is_in_the_log(here: Tenant) -> None:
    here.add_team("coding", "aria", working_memory_tokens=4)
    here.add_team("writing", "aria")
    ids = [here.remember(here.robot("aria"), f"Word{n}.", **EVERYONE).id for n in range(6)]

    def evicted() -> set[UUID]:
        with resolve_principal(here.robot("aria")).scope():
            rows = Operation.objects.filter(
                verb=OperationVerb.EVICT, robot_id=here.robots["aria"].id
            )
            return set(rows.values_list("memory_id", flat=True))

    kept = {UUID(entry["memory"]) for entry in got(here, "aria")["entries"]}
    assert len(kept) == 1
    assert evicted() == set(ids) - kept, "what had no room, by number and by tokens"
    assert moved(here, here.api("aria"), to="writing")["moved"] == [str(id_) for id_ in kept]
    assert evicted() == set(ids)


@pytest.mark.conformance("H47")
def test_what_a_person_hands_over_is_in_no_robots_name(here: Tenant) -> None:
    here.add_team("coding", "aria", working_memory_tokens=4)
    here.add_team("research", "bolt", working_memory_tokens=4)
    for robot, word in (("aria", "Word1."), ("aria", "Word2."), ("bolt", "Word3.")):
        here.remember(here.robot(robot), word, **EVERYONE)
    moved(here, here.browser("chidi"))
    with resolve_principal(here.robot("aria")).scope():
        rows = Operation.objects.filter(verb=OperationVerb.EVICT)
        assert set(rows.values_list("robot_id", flat=True)) == {None}
        # No room for two in the first, what was handed over, what made room in the second.
        assert rows.count() == 3


def test_a_persons_look_evicts_nothing_and_is_in_no_log(here: Tenant, team: Team) -> None:
    drafts = [Draft(content=f"Fact number {n} of many.", **EVERYONE) for n in range(3)]
    remember_many(here.robot("aria"), drafts, now=NOW)
    chidi = here.browser("chidi")

    def evicted() -> tuple[int, int]:
        with resolve_principal(here.robot("aria")).scope():
            left = WorkingEntry.objects.exclude(evicted_at=None).count()
            return left, Operation.objects.filter(verb=OperationVerb.EVICT).count()

    with override_settings(TEAM_WORKING_MEMORY_TOKENS=7):
        assert chidi.get("/api/v1/teams/coding/working-memory").json()["count"] == 3
        assert chidi.get("/api/v1/teams/coding/status").json()["count"] == 3
        team_working_memory.get_team_state_and_memory(here.person("chidi"), str(team.id), now=NOW)
        assert evicted() == (0, 0)
        # The look of a robot does.
        assert got(here, "aria")["count"] == 1
        assert evicted() == (2, 2)


def test_it_goes_with_the_team(here: Tenant, team: Team) -> None:
    here.remember(here.robot("clio"), "The office closes at six.", **EVERYONE)
    with organisation_scope(here.id):
        audience = ensure_team_audience(team)
    assert here.browser("ada").delete("/api/v1/teams/coding").status_code == 204
    with scope(Scope(organisation=here.id, audiences=(audience,))):
        assert not WorkingEntry.objects.exists()
    assert here.api("clio").get("/api/v1/teams/coding/working-memory").status_code == 404


def test_an_empty_team_has_nothing(here: Tenant) -> None:
    here.add_team("coding")
    found = here.browser("ada").get("/api/v1/teams/coding/working-memory").json()
    assert (found["count"], found["tokens"], found["entries"]) == (0, 0, [])
    state = here.browser("ada").get("/api/v1/teams/coding/status").json()
    assert (state["active"], state["in_sync"], state["utilisation"]) == ([], False, 0)


def statements(call: Any) -> int:
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


def test_many_robots_change_no_number_of_statements(here: Tenant, team: Team) -> None:
    ada, aria = here.person("ada"), here.robot("aria")

    def acts(number: int) -> list[int]:
        # A robot's row is stamped at most once a second.
        now = timezone.now() + timedelta(minutes=number)
        text = f"The parser is slow, {number}."
        return [
            statements(lambda: here.api("aria").post("/api/v1/teams/coding/heartbeat")),
            statements(lambda: remember_many(aria, [Draft(content=text, **EVERYONE)], now=now)),
            statements(
                lambda: team_working_memory.get_team_working_memory(aria, "coding", now=now)
            ),
            statements(lambda: team_working_memory.get_team_state(aria, "coding", now=now)),
            statements(lambda: here.api("aria").get("/api/v1/teams")),
            statements(lambda: here.api("aria").get("/api/v1/teams/coding/robots")),
        ]

    acts(0)
    few = acts(1)
    for number in range(30):
        here.add_robot(f"robot {number}", scopes=("read",))
        add_team_robot(ada, str(team.id), str(here.robots[f"robot {number}"].id), now=NOW)
    assert acts(2) == few
