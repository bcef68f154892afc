"""The keys rotated by the command: everything under the newest, and then the old one can go."""

import json
import os
from base64 import b64encode
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connections

from memories.curation.edit_memory import edit_memory
from memories.encryption import rotate_keys
from memories.encryption.checks import check_keys, check_keys_in_use
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.store.encryption.keys import compute_key_id, load_keyring
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from tests.databases import rolled_back_connection
from tests.memories.privacy.test_erase import MARK, STEM, holding
from tests.world import NOW, Tenant, World

OLD, NEW = b"o" * 32, b"n" * 32
TEXT = f"The code of {MARK} is 1."


def given(*keys: bytes) -> list[str]:
    return [b64encode(key).decode() for key in keys]


@pytest.fixture(autouse=True)
def old_key(settings: Any) -> None:
    settings.ENCRYPTION_KEYS = given(OLD)


def rotated(here: Tenant) -> dict[str, Any]:
    said = StringIO()
    call_command("rotate_keys", organisation=here.organisation.slug, json=True, stdout=said)
    return json.loads(said.getvalue())


def contents(here: Tenant, name: str) -> list[str]:
    with resolve_principal(here.person(name)).scope():
        return [row.content for row in Memory.objects.order_by("id")]


def filled(here: Tenant) -> list[UUID]:
    """Two under the old key, one of them with an older version."""
    mina = here.person("mina")
    ids = [
        remember(
            mina, Draft(content=f"{TEXT} {n}", visibility="private", sensitive=True), now=NOW
        ).id
        for n in range(2)
    ]
    edit_memory(mina, ids[0], {"content": f"{TEXT} newer"}, now=NOW)
    return ids


@pytest.mark.conformance("H42")
def test_after_a_rotation_the_old_key_can_go(lasting_world: World, settings: Any) -> None:
    here = lasting_world.here
    ids = filled(here)
    before = contents(here, "mina")
    settings.ENCRYPTION_KEYS = given(NEW, OLD)
    told = rotated(here)
    assert (told["memories"], told["versions"], told["encrypted"]) == (2, 1, 0)
    assert told["keys"] == [
        {"key": compute_key_id(NEW), "rows": 3, "newest": True, "there": True},
        {"key": compute_key_id(OLD), "rows": 0, "newest": False, "there": True},
    ]
    settings.ENCRYPTION_KEYS = given(NEW)
    assert contents(here, "mina") == before == [f"{TEXT} newer", f"{TEXT} 1"]
    history = here.browser("mina").get(f"/api/v1/memories/{ids[0]}/history").json()
    assert f"{TEXT} 0" in json.dumps(history)
    assert "made_sensitive" not in json.dumps(history)
    with resolve_principal(here.person("mina")).scope():
        assert [row.version for row in Memory.objects.order_by("id")] == [2, 1], "no version of it"
    with organisation_scope(here.id):
        entry = AuditEntry.objects.get(action="encryption.rotated")
    assert entry.detail == {
        "key": compute_key_id(NEW),
        "encrypted": 0,
        "memories": 2,
        "versions": 1,
    }

    again = rotated(here)
    assert (again["memories"], again["versions"]) == (0, 0), "nothing is left to do"
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(action="encryption.rotated").count() == 1
    same = remember(
        here.person("mina"),
        Draft(content=f"{TEXT} 1", visibility="private", sensitive=True),
        now=NOW,
    )
    assert (same.id, same.deduplicated) == (ids[1], True), "and it is still told from others"


def test_before_it_a_text_is_known_under_the_older_key(world: World, settings: Any) -> None:
    mina = world.here.person("mina")
    draft = Draft(content=TEXT, visibility="private", sensitive=True, key="code")
    first = remember(mina, draft, now=NOW)
    settings.ENCRYPTION_KEYS = given(NEW, OLD)
    assert remember(mina, draft, now=NOW).id == first.id


def test_what_was_stored_in_plain_is_encrypted(lasting_world: World) -> None:
    """Rows that were flagged before there were keys, with all that was made of them."""
    here = lasting_world.here
    mina, aria = here.person("mina"), here.robot("aria")
    plain = here.remember(aria, TEXT, group="launch").id
    here.embed()
    edit_memory(aria, plain, {"content": f"{TEXT} newer"}, now=NOW)
    here.embed()
    with resolve_principal(aria).scope():
        Memory.objects.filter(id=plain).update(sensitive=True)
    with rolled_back_connection("admin") as admin:
        assert {"memories_memory", "memories_text", "memories_version"} <= set(
            holding(here, admin, STEM)
        )
    told = rotated(here)
    assert (told["encrypted"], told["refused"]) == (1, 0)
    with rolled_back_connection("admin") as admin:
        assert holding(here, admin, STEM) == {}
    with resolve_principal(mina).scope():
        found = Memory.objects.get(id=plain)
    assert (found.content, found.version) == (f"{TEXT} newer", 2)


def test_a_run_that_breaks_off_is_finished_by_the_next(
    lasting_world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    filled(here)
    settings.ENCRYPTION_KEYS = given(NEW, OLD)
    monkeypatch.setattr(rotate_keys, "BATCH_SIZE", 1)
    done = []

    def tick(count: int) -> None:
        done.append(count)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rotate_keys.rotate_keys(here.id, now=NOW, tick=tick)
    assert rotate_keys.count_by_key(here.id) == {compute_key_id(NEW): 1, compute_key_id(OLD): 2}
    assert len(contents(here, "mina")) == 2
    told = rotated(here)
    assert (done, told["memories"], told["versions"]) == ([1], 1, 1)


def test_what_no_key_opens_is_counted_and_checked(lasting_world: World, settings: Any) -> None:
    here, lost = lasting_world.here, os.urandom(32)
    settings.ENCRYPTION_KEYS = given(lost)
    filled(here)
    settings.ENCRYPTION_KEYS = given(NEW)
    told = rotated(here)
    assert (told["unreadable"], told["memories"], told["versions"]) == (3, 0, 0)
    assert {"key": compute_key_id(lost), "rows": 3, "newest": False, "there": False} in told["keys"]

    def said() -> list[tuple[str, str]]:
        # Other tests leave organisations with other keys.
        found = check_keys_in_use(databases=["worker"])
        return [(str(one.id), one.msg) for one in found if compute_key_id(lost) in one.msg]

    assert said() == [
        (
            "memories.E002",
            f"The key {compute_key_id(lost)} is missing: 3 encrypted texts cannot be read.",
        )
    ]
    assert check_keys_in_use(databases=["default"]) == []
    settings.ENCRYPTION_KEYS = given(NEW, lost)
    assert said() == []
    assert rotated(here)["unreadable"] == 0


def test_without_a_key_the_command_says_what_is_wrong(settings: Any) -> None:
    settings.ENCRYPTION_KEYS = [*given(NEW), "abc"]
    with pytest.raises(CommandError, match="key 2 of ENCRYPTION_KEYS is not the base64"):
        call_command("rotate_keys")
    assert [one.id for one in check_keys()] == ["memories.E001"]
    settings.ENCRYPTION_KEYS = []
    with pytest.raises(CommandError, match="has no key"):
        call_command("rotate_keys")
    assert check_keys() == []
    assert load_keyring().keys == ()


def test_no_role_writes_plain_words_into_a_version(lasting_world: World) -> None:
    here = lasting_world.here
    filled(here)
    with organisation_scope(here.id, using="worker"), connections["worker"].cursor() as cursor:
        with pytest.raises(IntegrityError):
            cursor.execute("UPDATE memories_version SET content = 'x', sealed = NULL")
        connections["worker"].set_rollback(True)
