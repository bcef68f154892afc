"""Keys: made, shown once, used, rotated, expired, revoked (T16)."""

import hashlib
import json
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.core import serializers

from orgs.database.rls import organisation_scope
from robots.access.keys import (
    LAST_USED_INTERVAL,
    authenticate_key,
    create_key,
    revoke_key,
    rotate_key,
)
from robots.models.keys import Key
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("T16")
HOUR = timedelta(hours=1)


def made(here: Tenant, **wishes: object) -> tuple[Key, str]:
    return create_key(organisation_id=here.id, robot_id=here.robots["bolt"].id, now=NOW, **wishes)


def stored(here: Tenant, key: Key) -> Key:
    with organisation_scope(here.id):
        return Key.objects.get(id=key.id)


def test_only_a_hash_of_256_bits_is_kept(world: World) -> None:
    key, whole = made(world.here)
    mark, organisation, prefix, secret = whole.split("_", 3)
    assert (mark, organisation, prefix) == ("cmk", world.here.id.hex, key.prefix)
    assert len(secret) == 43, "32 random bytes in base64url"
    row = stored(world.here, key)
    assert row.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in json.dumps(serializers.serialize("python", [row]), default=str)
    assert secret not in f"{row!r} {row}"
    assert len({made(world.here)[1] for _ in range(50)}) == 50


def test_a_good_key_is_its_robot_and_its_scopes(world: World) -> None:
    here = world.here
    key, whole = made(here, scopes=("read", "act_for"))
    caller = authenticate_key(whole, NOW)
    assert caller is not None
    assert (caller.organisation_id, caller.robot_id, caller.key_id) == (
        here.id,
        here.robots["bolt"].id,
        key.id,
    )
    assert caller.actor().scopes == {"read", "act_for"}
    with pytest.raises(ValueError, match="unknown scope: root"):
        made(here, scopes=("root",))


def test_whatever_is_not_exactly_the_key_is_nobody(world: World) -> None:
    here, there = world.here, world.there
    _, whole = made(here)
    mark, organisation, prefix, secret = whole.split("_", 3)
    wrong = [
        "",
        "_",
        "cmk",
        whole[:-1],
        whole + "A",
        whole.replace(mark, "cmx", 1),
        whole.replace(organisation, there.id.hex, 1),
        whole.replace(organisation, uuid4().hex, 1),
        whole.replace(organisation, "0" * 31, 1),
        whole.replace(prefix, "0" * 12, 1),
        f"{mark}_{organisation}_{prefix}_",
        f"{mark}_{organisation}_{prefix}_{secret[::-1]}",
        f"{mark}_{organisation}_\x00{prefix}_{secret}",
        f"{mark}_{organisation}_{prefix}_é",
        f"{mark}_{organisation}_{prefix}_{hashlib.sha256(secret.encode()).hexdigest()}",
        "cmk_" + "a" * 100_000,
        # Calls are counted by the text of the key, so it has one spelling.
        whole.upper(),
        whole.replace(organisation, organisation.upper(), 1),
        whole.replace(organisation, str(UUID(organisation)), 1),
        whole.replace(organisation, f"{{{organisation}}}", 1),
        whole.replace(organisation, f"urn:uuid:{organisation}", 1),
        whole.replace(prefix, prefix.upper(), 1),
        f" {whole}",
        f"{whole}\n",
    ]
    # A prefix without a letter is the same in capitals.
    wrong = [key for key in wrong if key != whole]
    assert [authenticate_key(key, NOW) for key in wrong] == [None] * len(wrong)
    assert authenticate_key(whole, NOW) is not None


def test_a_key_ends_at_its_expiry(world: World) -> None:
    _, whole = made(world.here, expires_at=NOW + HOUR)
    assert authenticate_key(whole, NOW + HOUR - timedelta(microseconds=1)) is not None
    assert authenticate_key(whole, NOW + HOUR) is None


def test_revoking_closes_at_once_and_for_good(world: World) -> None:
    here = world.here
    key, whole = made(here)
    revoke_key(organisation_id=here.id, key_id=key.id, now=NOW)
    assert authenticate_key(whole, NOW) is None
    revoke_key(organisation_id=here.id, key_id=key.id, now=NOW + HOUR)
    assert stored(here, key).revoked_at == NOW, "the first time is kept"


def test_another_organisation_cannot_revoke(world: World) -> None:
    key, whole = made(world.here)
    revoke_key(organisation_id=world.there.id, key_id=key.id, now=NOW)
    assert authenticate_key(whole, NOW) is not None


def test_during_rotation_both_keys_work_and_then_the_new_one(world: World) -> None:
    here = world.here
    old, old_key = made(here, scopes=("read",), label="chat")
    new, new_key = rotate_key(
        organisation_id=here.id, key=old, now=NOW, created_by_id=None, overlap=HOUR
    )
    assert (new.robot_id, new.scopes, new.label) == (old.robot_id, ["read"], "chat")
    assert new.id != old.id
    during, after = NOW + HOUR / 2, NOW + HOUR
    assert [bool(authenticate_key(k, during)) for k in (old_key, new_key)] == [True, True]
    assert [bool(authenticate_key(k, after)) for k in (old_key, new_key)] == [False, True]


def test_rotation_never_lengthens_a_life(world: World) -> None:
    here = world.here
    soon, _ = made(here, expires_at=NOW + HOUR)
    rotate_key(organisation_id=here.id, key=soon, now=NOW, created_by_id=None, overlap=24 * HOUR)
    assert stored(here, soon).expires_at == NOW + HOUR


def test_a_retired_robot_has_no_key(world: World) -> None:
    here = world.here
    _, whole = made(here)
    with organisation_scope(here.id):
        robot = here.robots["bolt"]
        robot.retired_at = NOW
        robot.save(update_fields=["retired_at"])
    assert authenticate_key(whole, NOW) is None


def test_last_use_is_stamped_but_not_with_every_call(world: World) -> None:
    here = world.here
    key, whole = made(here)
    assert stored(here, key).last_used_at is None
    authenticate_key(whole + "x", NOW)
    assert stored(here, key).last_used_at is None, "a wrong secret is not a use"
    authenticate_key(whole, NOW)
    authenticate_key(whole, NOW + LAST_USED_INTERVAL / 2)
    assert stored(here, key).last_used_at == NOW
    authenticate_key(whole, NOW + LAST_USED_INTERVAL)
    assert stored(here, key).last_used_at == NOW + LAST_USED_INTERVAL


@pytest.mark.parametrize(
    ("scopes", "call", "status"),
    [
        (("read",), ("get", "/api/v1/memories", None), 200),
        (("write",), ("get", "/api/v1/memories", None), 403),
        (("read",), ("post", "/api/v1/memories", {"content": "x"}), 403),
        (("write",), ("post", "/api/v1/memories", {"content": "x"}), 201),
        (("read",), ("post", "/api/v1/recall", {"query": "x"}), 200),
        (("write",), ("post", "/api/v1/recall", {"query": "x"}), 403),
        (("read", "write"), ("post", "/api/v1/groups", {"external_id": "g"}), 403),
        (("manage",), ("post", "/api/v1/groups", {"external_id": "g"}), 201),
        (("read",), ("post", "/api/v1/recall", {"query": "x", "member": "a:b"}), 403),
        (("read", "act_for"), ("post", "/api/v1/recall", {"query": "x", "member": "a:b"}), 404),
    ],
)
def test_each_scope_opens_its_calls_and_no_others(
    world: World, scopes: tuple[str, ...], call: tuple[str, str, object], status: int
) -> None:
    here = world.here
    here.add_robot("dora", scopes=scopes)
    method, path, body = call
    answer = getattr(here.api("dora"), method)(path, body, format="json")
    assert answer.status_code == status, answer.content
    if status == 403:
        assert answer.json()["type"] == "urn:commonmind:problem:missing-scope"
        assert "scope `" in answer.json()["detail"]


def test_over_http_a_revoked_key_is_nobody_at_once(world: World) -> None:
    here = world.here
    client = here.api("bolt")
    assert client.get("/api/v1/memories").status_code == 200
    with organisation_scope(here.id):
        key = Key.objects.get(robot=here.robots["bolt"])
    revoke_key(organisation_id=here.id, key_id=key.id, now=NOW)
    answer = client.get("/api/v1/memories")
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
