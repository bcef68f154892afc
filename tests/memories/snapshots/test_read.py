"""A snapshot holds exactly what its asker reads."""

from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from memories.lifecycle.forget import archive_memory, forget_memory
from memories.snapshots import read_snapshot
from memories.snapshots.read_snapshot import export_snapshot, load_page
from memories.snapshots.snapshot_format import to_bytes
from orgs.models.audit import AuditEntry
from orgs.principals import Actor, resolve_principal
from tests.world import NOW, Tenant, World


def contents(who: Actor, **filters: Any) -> set[str]:
    found, _ = load_page(who, filters, None, limit=1000, now=NOW)
    return {line["content"] for line in found["memories"]}


def fill(here: Tenant) -> None:
    mina, bob = here.person("mina"), here.person("bob")
    here.remember(mina, "Mina alone.", visibility="private")
    here.remember(bob, "Bob alone.", visibility="private")
    here.remember(mina, "In launch.", visibility="group", group="launch")
    here.remember(mina, "In design.", visibility="group", group="design")
    here.remember(here.person("ada"), "For all.", visibility="organisation")
    here.remember(here.robot("clio"), "A robot's own.", visibility="internal")
    here.remember(mina, "Waits.", visibility="organisation")


def test_two_members_of_different_groups_do_not_find_each_others_words(here: Tenant) -> None:
    fill(here)
    assert contents(here.person("mina")) == {"Mina alone.", "In launch.", "In design.", "For all."}
    assert contents(here.person("bob")) == {"Bob alone.", "In launch.", "For all."}
    assert contents(here.person("ada")) == {"For all."}
    assert contents(here.person("vera")) == {"For all."}
    assert contents(here.robot("bolt")) == {"For all."}
    assert contents(here.robot("clio")) == {"For all.", "In design.", "A robot's own."}


def test_another_organisation_finds_nothing(world: World) -> None:
    fill(world.here)
    assert contents(world.there.person("ada")) == set()


def test_only_active_memories_are_in_it(here: Tenant) -> None:
    mina = here.person("mina")
    ids = [here.remember(mina, f"{n}.", visibility="private").id for n in range(3)]
    here.remember(mina, "Over.", visibility="private", expires_at=NOW - timedelta(seconds=1))
    archive_memory(mina, ids[0], now=NOW)
    forget_memory(mina, ids[1], now=NOW)
    assert contents(mina) == {"2."}


def test_filters_narrow_it(here: Tenant) -> None:
    mina, march = here.person("mina"), datetime(2026, 3, 1, tzinfo=UTC)
    here.remember(mina, "A.", visibility="group", group="design", type="preference")
    here.remember(mina, "B.", visibility="private", tier="fast", occurred_at=march)
    assert contents(mina, group="design") == {"A."}
    assert contents(mina, type="preference") == {"A."}
    assert contents(mina, tier="fast") == {"B."}
    assert contents(mina, since=march + timedelta(days=1)) == {"A."}
    assert contents(mina, until=march) == {"B."}
    assert contents(here.person("bob"), group="design") == set()


def test_what_a_group_tells_is_told_to_those_in_it(here: Tenant) -> None:
    fill(here)
    by_content = {
        line["content"]: line
        for line in load_page(here.person("mina"), {}, None, limit=9, now=NOW)[0]["memories"]
    }
    assert by_content["In launch."]["group"] == str(here.groups["launch"].id)
    assert (by_content["Mina alone."]["group"], by_content["Mina alone."]["audience"]) == (
        None, "member",
    )  # fmt: skip
    assert not {"author", "robot", "member", "speaker_member"} & by_content["In launch."].keys()


@pytest.mark.parametrize(("limit", "size"), [(1, 10**9), (2, 10**9), (7, 1), (4, 10**9)])
def test_pages_have_each_memory_once(
    here: Tenant, monkeypatch: pytest.MonkeyPatch, limit: int, size: int
) -> None:
    monkeypatch.setattr(read_snapshot, "MAX_PAGE_BYTES", size)
    monkeypatch.setattr(read_snapshot, "BATCH_SIZE", 3)
    mina, after, seen = here.person("mina"), None, []
    for number in range(7):
        here.remember(mina, f"{number}.", visibility="private")
    while True:
        found, after = load_page(mina, {}, after, limit=limit, now=NOW)
        assert found["head"]["memories"] == len(found["memories"]) <= limit
        assert size > 1 or len(found["memories"]) == 1
        seen += [line["content"] for line in found["memories"]]
        if after is None:
            break
    assert seen == [f"{number}." for number in range(7)]


def test_a_whole_snapshot_is_a_head_and_a_line_a_memory(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_snapshot, "BATCH_SIZE", 3)
    mina = here.person("mina")
    for number in range(7):
        here.remember(mina, f"{number}.\nNext line.", visibility="private")
    total, chunks = export_snapshot(mina, {}, now=NOW)
    found = list(chunks)
    first, *lines = b"".join(lines for _, lines in found).splitlines()
    assert (total, found[-1][0], len(lines)) == (7, 7, 7)
    assert orjson.loads(first) == {
        "format": "commonmind-snapshot",
        "version": 1,
        "organisation": str(here.id),
        "made_at": "2026-03-02T12:00:00Z",
        "memories": 7,
        "asker": {"member": str(here.members["mina"].id), "robot": None},
    }
    assert to_bytes(orjson.loads(lines[0])) == lines[0] + b"\n"
    with resolve_principal(mina).scope():
        assert AuditEntry.objects.get(action="snapshot.exported").detail == {"total": 7}
