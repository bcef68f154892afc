"""What a caller may not know of looks like what does not exist; what is no key opens nothing."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from robots.access.keys import create_key, revoke_key
from robots.models.robots import Robot
from tests.memories.api.problems import BATCH, MEMORIES, RECALL, are_equal_problems, assert_problem
from tests.world import Tenant, World

ABSENT = str(UUID(int=12345))


def ask(tenant: Tenant, robot: str, body: dict[str, Any]) -> Any:
    return tenant.api(robot).post(RECALL, {"query": "x", **body}, format="json")


def test_an_unknown_group_is_not_found_like_a_foreign_or_closed_one(world: World) -> None:
    """Absent, of another organisation, and one the caller is not in: one answer."""
    here, there = world.here, world.there
    closed = str(here.groups["launch"].id)
    names = [ABSENT, "nowhere", str(there.groups["launch"].id), closed, "launch"]
    calls: dict[str, list[dict[str, Any]]] = {}

    def note(call: str, body: dict[str, Any]) -> None:
        calls.setdefault(call, []).append(body)

    for name in names:
        clio = here.api("clio")
        for field in ("group", "shareable_with"):
            note(field, assert_problem(ask(here, "clio", {field: name}), 404, field=field))
        note("path", assert_problem(clio.get(f"/api/v1/groups/{name}"), 404))
        note("path", assert_problem(clio.get(f"/api/v1/groups/{name}/members"), 404))
        body = {"content": "x", "group": name}
        note("group", assert_problem(clio.post(MEMORIES, body, format="json"), 404))
        batch = clio.post(BATCH, {"items": [body]}, format="json").json()
        note("group", batch["results"][0]["problem"])
        asked = {"query": "x", "group": name}
        vera = here.browser("vera").post(RECALL, asked, format="json")
        note("group", assert_problem(vera, 404))
    for bodies in calls.values():
        assert len(bodies) >= len(names)
        assert are_equal_problems(bodies)
    assert not calls["path"][0]["errors"]
    assert not any(
        name in str(one) for bodies in calls.values() for one in bodies for name in names
    )


def test_an_unknown_group_narrows_like_one_without_a_readable_row(world: World) -> None:
    here, there = world.here, world.there
    here.remember(here.robot("aria"), "x", group="launch")
    for name in (ABSENT, "nowhere", "launch", str(there.groups["launch"].id)):
        assert ask(here, "clio", {"filters": {"groups": [name]}}).json()["results"] == []
        assert here.api("clio").get(MEMORIES, {"group": name}).json()["results"] == []


def test_an_unknown_member_is_not_found_like_a_foreign_or_absent_one(world: World) -> None:
    here, there = world.here, world.there
    here.add_robot("dora", groups=("launch",), scopes=("read", "write", "act_for"))
    outside = str(here.members["vera"].id)
    names = [ABSENT, "telegram:1", str(there.members["mina"].id), outside, "x" * 300]
    asked = [{"member": name, "group": "launch"} for name in names]
    bodies = [assert_problem(ask(here, "dora", body), 404) for body in asked]
    bodies += [
        assert_problem(
            here.api("dora").post(MEMORIES, {"content": "x", **body}, format="json"), 404
        )
        for body in asked
    ]
    assert are_equal_problems(bodies)
    assert [error["field"] for error in bodies[0]["errors"]] == ["member"]
    in_path = [
        assert_problem(here.api("dora").get(f"/api/v1/members/{name}"), 404) for name in names
    ]
    assert are_equal_problems(in_path)


def test_a_memory_of_others_is_not_found_like_an_absent_one(world: World) -> None:
    here, there = world.here, world.there
    hidden = [
        ABSENT,
        there.remember(there.robot("aria"), "Theirs.").id,
        here.remember(here.robot("clio"), "Of #design.", group="design").id,
        here.remember(here.person("mina"), "Mina's.").id,
        here.remember(here.robot("aria"), "Aria's own.", visibility="internal").id,
    ]
    bodies = []
    for api in (here.api("bolt"), here.browser("bob")):
        for id_ in hidden:
            address = f"{MEMORIES}/{id_}"
            bodies += [
                api.get(address),
                api.patch(address, {"content": "Mine!"}, format="json"),
                api.delete(address),
                api.post(f"{address}/archive", {}, format="json"),
                api.post(f"{address}/restore", {}, format="json"),
                api.post(f"{address}/share", {"visibility": "organisation"}, format="json"),
            ]
    assert are_equal_problems([assert_problem(body, 404) for body in bodies])


def client(header: str) -> APIClient:
    found = APIClient()
    if header:
        found.credentials(HTTP_AUTHORIZATION=header)
    return found


def test_keys_that_open_nothing(world: World) -> None:
    here, now = world.here, timezone.now()
    robot = here.robots["aria"].id
    _, expired = create_key(
        organisation_id=here.id, robot_id=robot, now=now, expires_at=now - timedelta(seconds=1)
    )
    key, revoked = create_key(organisation_id=here.id, robot_id=robot, now=now)
    assert client(f"Bearer {revoked}").get(MEMORIES).status_code == 200
    revoke_key(organisation_id=here.id, key_id=key.id, now=now)
    good = here.keys["aria"]
    mark, organisation, prefix, secret = good.split("_", 3)
    there = world.there.id.hex
    wrong = [
        expired, revoked, "x", "cmk_", f"{mark}_{organisation}_{prefix}_", f"{good}x", good[:-1],
        f"{mark}_{there}_{prefix}_{secret}", f"{mark}_{'0' * 32}_{prefix}_{secret}",
        f"{mark}_{organisation}_{prefix}%_{secret}", f"{mark}_{organisation}_%_{secret}",
        f"{mark}_{organisation}_{prefix}\x00_{secret}", "\u00e9" * 50, "a" * 10_000,
    ]  # fmt: skip
    assert are_equal_problems(
        [assert_problem(client(f"Bearer {key}").get(MEMORIES), 401, case=key) for key in wrong]
    )
    for header in ("", "Basic eA==", good, "Bearer"):
        answer = client(header).post(RECALL, {"query": "x"}, format="json")
        assert_problem(answer, 401, case=header)
        assert answer["WWW-Authenticate"] == "Bearer"
    with organisation_scope(here.id):
        Robot.objects.filter(id=robot).update(retired_at=now)
    assert_problem(here.api("aria").get(MEMORIES), 401)


def test_a_key_does_what_its_scopes_say(world: World) -> None:
    here = world.here
    here.add_robot("reader", scopes=("read",))
    here.add_robot("writer", scopes=("write",))
    reader, writer = here.api("reader"), here.api("writer")
    assert writer.post(MEMORIES, {"content": "x"}, format="json").status_code == 201
    assert reader.post(RECALL, {"query": "x"}, format="json").status_code == 200
    for answer in (
        reader.post(MEMORIES, {"content": "x"}, format="json"),
        reader.post(BATCH, {"items": [{"content": "x"}]}, format="json"),
        writer.post(RECALL, {"query": "x"}, format="json"),
        writer.get(MEMORIES),
        writer.get("/api/v1/stats"),
        writer.post("/api/v1/groups", {"external_id": "x"}, format="json"),
    ):
        assert assert_problem(answer, 403)["type"].endswith("missing-scope")


def test_a_viewer_writes_nothing(world: World) -> None:
    here = world.here
    shared = here.remember(here.robot("aria"), "Shared.").id
    vera = here.browser("vera")
    assert vera.get(f"{MEMORIES}/{shared}").status_code == 200
    for answer in (
        vera.post(MEMORIES, {"content": "x"}, format="json"),
        vera.patch(f"{MEMORIES}/{shared}", {"content": "x"}, format="json"),
        vera.delete(f"{MEMORIES}/{shared}"),
        vera.post(f"{MEMORIES}/{shared}/share", {"visibility": "private"}, format="json"),
    ):
        assert_problem(answer, 403)


def test_cursors(world: World) -> None:
    here = world.here
    for text in ("one", "two", "three"):
        here.remember(here.robot("aria"), text)
    first = here.api("aria").get(MEMORIES, {"limit": 2}).json()
    here.remember(here.robot("aria"), "four")
    second = here.api("aria").get(first["next"]).json()
    assert [m["content"] for m in first["results"]] == ["three", "two"]
    assert [m["content"] for m in second["results"]] == ["one"]
    assert second["next"] is None
    for stranger in (here.api("bolt"), world.there.api("aria"), here.browser("mina")):
        assert_problem(stranger.get(first["next"]), field="cursor")
    for cursor in ("x", "", "a:b:c", "MTIz", "é", "x" * 1999):
        assert_problem(
            here.api("aria").get(MEMORIES, {"cursor": cursor}), field="cursor", case=cursor
        )
