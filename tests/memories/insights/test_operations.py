"""The log of operations: what is in it, who sees a line, how long it is kept (H47)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import Error, transaction
from django.test import override_settings
from django.utils import timezone

from memories.access.references import ReaderReferences
from memories.insights.operations import delete_old_operations
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.version import Operation
from orgs.database.rls import Scope, scope
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant, World

URL = "/api/v1/operations"


def log_of(here: Tenant, name: str, **asked: Any) -> list[tuple[str, str | None, UUID]]:
    """(verb, robot, memory) as the asker is shown them, oldest first."""
    client = here.api(name) if name in here.robots else here.browser(name)
    answer = client.get(URL, asked)
    assert answer.status_code == 200, answer.json()
    return [
        (row["verb"], row["robot"] and row["robot"]["name"], UUID(row["memory"]))
        for row in reversed(answer.json()["results"])
    ]


def put(here: Tenant, robot: str, memory: UUID) -> Any:
    path = f"/api/v1/robots/{here.robots[robot].id}/working-memory"
    return here.api(robot).post(path, {"memory": str(memory)}, format="json").json()


@pytest.mark.conformance("H47")
@override_settings(WORKING_MEMORY_TOKENS=12)
def test_each_act_leaves_a_line_with_its_robot(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    said = here.remember(aria, "The zebra is called Zoe.").id
    here.remember(here.robot("bolt"), "The zebra is called Zoe.")
    here.api("bolt").post("/api/v1/recall", {"query": "zebra"}, format="json")
    put(here, "aria", said)
    other = here.remember(aria, "A lion sleeps there, they say.", importance=1.0).id
    assert put(here, "aria", other)["evicted"] == [str(said)]
    forget_memory(aria, said, now=timezone.now())
    assert log_of(here, "aria", memory=str(said)) == [
        ("remember", "aria", said),
        ("remember", "bolt", said),
        ("recall", "bolt", said),
        ("evict", "aria", said),
        ("forget", "aria", said),
    ]
    assert log_of(here, "aria", verb="remember", robot=str(here.robots["aria"].id)) == [
        ("remember", "aria", said),
        ("remember", "aria", other),
    ]
    columns = {field.column for field in Operation._meta.concrete_fields}
    assert columns == {
        *("id", "organisation_id", "memory_id", "audience_id", "kind"),
        *("robot_id", "verb", "at", "reader", "folded"),
    }


def test_every_hit_is_a_line_and_a_look_of_a_curator_is_none(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    ids = {here.remember(aria, f"Zebra number {n}.").id for n in range(3)}
    recall(here.robot("bolt"), Query(text="zebra"), now=NOW)
    recall(here.robot("bolt"), Query(text="zebra", counts=False), now=NOW)
    recall(here.person("bob"), Query(text="zebra", limit=1), now=NOW)
    found = log_of(here, "aria", verb="recall")
    assert {memory for _, robot, memory in found if robot == "bolt"} == ids
    assert len(found) == 3
    assert [robot for _, robot, _ in log_of(here, "bob", verb="recall")].count(None) == 1


def test_a_line_is_shown_to_who_reads_its_memory(world: World) -> None:
    here = world.here
    mina = here.person("mina")
    memories = {
        "everyone": here.remember(here.robot("aria"), "Tea is at four.").id,
        "design": here.remember(here.robot("aria"), "Tea is green.", group="design").id,
        "mina": here.remember(mina, "Tea makes me nervous.", visibility="private").id,
        "aria": here.remember(here.robot("aria"), "They like tea.", visibility="internal").id,
    }
    world.there.remember(world.there.robot("aria"), "Tea is elsewhere.")
    for name in (*here.members, *here.robots):
        who: Actor = here.person(name) if name in here.members else here.robot(name)
        assert {m for _, _, m in log_of(here, name)} == here.readable(who), name
    assert {m for _, _, m in log_of(here, "clio")} == {memories["everyone"], memories["design"]}
    assert log_of(here, "bolt", memory=str(memories["design"])) == []
    assert log_of(here, "bolt", memory=str(here.id)) == []
    assert log_of(here, "bolt", robot="nobody") == []


def test_what_is_forgotten_has_no_lines_for_who_may_not_bring_it_back(world: World) -> None:
    here = world.here
    said = here.remember(here.robot("aria"), "Tea is at four.").id
    assert log_of(here, "bob") != []
    forget_memory(here.robot("aria"), said, now=NOW)
    assert log_of(here, "bob") == []
    assert log_of(here, "bolt") == []
    assert {verb for verb, _, _ in log_of(here, "aria")} == {"remember", "forget"}
    restore_memory(here.robot("aria"), said, now=NOW)
    assert {verb for verb, _, _ in log_of(here, "bob")} == {"remember", "forget"}


@pytest.mark.conformance("T29")
def test_what_a_members_own_robot_asks_is_told_to_that_member_alone(world: World) -> None:
    here = world.here
    said = here.remember(here.robot("aria"), "Tea is at four.").id
    with resolve_principal(here.person("ada")).scope():
        here.give_owner("bolt", "mina")
    recall(here.robot("bolt"), Query(text="tea"), now=NOW)
    shown = {
        name: [robot for _, robot, _ in log_of(here, name, verb="recall")]
        for name in ("mina", "bolt", "bob", "ada", "aria")
    }
    assert shown == {"mina": ["bolt"], "bolt": ["bolt"], "bob": [], "ada": [], "aria": []}
    assert log_of(here, "bob", robot=str(here.robots["bolt"].id)) == []
    assert log_of(here, "mina", robot=str(here.robots["bolt"].id)) == [("recall", "bolt", said)]


def test_pages_and_times(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    for n in range(5):
        here.remember(aria, f"Note {n}.")
    api, seen, url = here.api("aria"), [], f"{URL}?limit=2"
    while url:
        body = api.get(url).json()
        assert len(body["results"]) <= 2
        seen += [row["id"] for row in body["results"]]
        url = body["next"]
    assert len(seen) == len(set(seen)) == 5
    later = (NOW + timedelta(seconds=1)).isoformat()
    assert log_of(here, "aria", since=later) == []
    assert len(log_of(here, "aria", until=NOW.isoformat())) == 5
    for wrong in ({"verb": "read"}, {"memory": "x"}, {"since": "soon"}, {"by": "me"}, {"limit": 0}):
        assert api.get(URL, wrong).status_code == 400, wrong
    assert here.api("bolt").get(body_cursor(api)).status_code == 400


def body_cursor(api: Any) -> str:
    return str(api.get(f"{URL}?limit=2").json()["next"])


@pytest.mark.conformance("H47")
def test_curators_see_numbers_of_what_they_read(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "Tea is at four.")
    here.remember(here.robot("aria"), "Tea is green.", group="design")
    here.remember(here.person("mina"), "Tea makes me nervous.", visibility="private")
    recall(here.robot("bolt"), Query(text="tea"), now=NOW)
    none = {"remember": 0, "recall": 0, "evict": 0, "forget": 0}
    found = here.browser("chidi").get(f"{URL}/counts").json()["results"]
    counted = {row.pop("robot")["name"]: row for row in found}
    assert counted == {"aria": {**none, "remember": 1}, "bolt": {**none, "recall": 1}}
    later = (NOW + timedelta(seconds=1)).isoformat()
    assert here.browser("ada").get(f"{URL}/counts", {"since": later}).json() == {"results": []}
    for client in (here.browser("mina"), here.browser("vera"), here.api("aria")):
        assert client.get(f"{URL}/counts").status_code == 403


def test_a_deposit_is_logged_for_those_who_read_it(world: World) -> None:
    here = world.here
    mina = str(here.members["mina"].id)
    said = here.remember(
        here.robot("bolt"),
        "For Mina alone.",
        visibility="shared",
        readers=ReaderReferences(members=(mina,)),
    ).id
    assert log_of(here, "mina") == [("remember", "bolt", said)]
    assert said not in {memory for _, _, memory in log_of(here, "bob")}


def test_the_log_goes_after_its_days_and_not_before(lasting_world: World) -> None:
    here = lasting_world.here
    for n in range(3):
        here.remember(here.robot("aria"), f"Note {n}.")
    assert delete_old_operations(here.id, now=NOW + timedelta(days=90)) == 0
    assert len(log_of(here, "aria")) == 3
    with override_settings(OPERATIONS_DAYS=30):
        assert delete_old_operations(here.id, now=NOW + timedelta(days=30, seconds=1)) == 3
    assert log_of(here, "aria") == []


def test_more_than_a_batch_of_old_lines_goes(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    monkeypatch.setattr("memories.jobs.old_rows.BATCH_SIZE", 2)
    for n in range(5):
        here.remember(here.robot("aria"), f"Note {n}.")
    with override_settings(OPERATIONS_DAYS=30):
        assert delete_old_operations(here.id, now=NOW + timedelta(days=30, seconds=1)) == 5
    assert log_of(here, "aria") == []


def test_nobody_rewrites_the_log(world: World) -> None:
    here = world.here
    here.remember(here.robot("aria"), "Tea is at four.")
    principal = resolve_principal(here.robot("aria"))
    open_to_all = Scope(organisation=here.id, audiences=tuple(sorted(principal.audiences)))
    for change in (
        lambda: Operation.objects.update(verb="forget"),
        lambda: Operation.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(Error), transaction.atomic(), scope(open_to_all):
            change()


@pytest.mark.conformance("H47", "T29")
def test_counts_tell_of_a_members_own_robot_no_more_than_lists_do(world: World) -> None:
    here = world.here
    here.remember(here.robot("bolt"), "Tea is at four.")
    for name, owner in (("bolt", "mina"), ("clio", "ada")):
        with resolve_principal(here.person("ada")).scope():
            here.give_owner(name, owner)
        recall(here.robot(name), Query(text="tea"), now=NOW)
    none = {"remember": 0, "recall": 0, "evict": 0, "forget": 0}

    def counts(name: str) -> dict[str | None, Any]:
        found = here.browser(name).get(f"{URL}/counts").json()["results"]
        return {(robot := row.pop("robot")) and robot["name"]: row for row in found}

    brought = {**none, "remember": 1}
    assert counts("chidi") == {"bolt": brought}
    assert counts("ada") == {"bolt": brought, "clio": {**none, "recall": 1}}
