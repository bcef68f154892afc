"""Whatever was edited, a restore with replace gives the snapshot again."""

import string
from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memories.curation.edit_memory import edit_memory
from memories.lifecycle.forget import archive_memory
from memories.snapshots.read_snapshot import load_page
from memories.snapshots.restore_snapshot import RestoreMode, restore_snapshot
from memories.snapshots.snapshot_format import to_bytes
from orgs.principals import Actor
from tests.world import NOW, World

words = st.text(string.ascii_letters + "äß€ \n'\"\\", min_size=1, max_size=30).filter(str.strip)
states = st.fixed_dictionaries(
    {
        "content": words,
        "importance": st.floats(0, 1),
        "tags": st.lists(st.sampled_from(["a", "b", "c"]), max_size=3, unique=True),
        "metadata": st.dictionaries(st.sampled_from("xy"), st.integers(-9, 9), max_size=2),
        "category": st.sampled_from(["", "fact", "event"]),
        "expires_at": st.sampled_from([None, datetime(2031, 1, 2, tzinfo=UTC)]),
    }
)
acts = st.lists(
    st.tuples(st.integers(0, 2), states, st.sampled_from(["edit", "sink", "archive"])), max_size=4
)
_counter = iter(range(10**6))


def snapshot(who: Actor) -> list[dict[str, Any]]:
    found, _ = load_page(who, {}, None, limit=1000, now=NOW)
    lines: list[dict[str, Any]] = orjson.loads(to_bytes(found))["memories"]
    for line in lines:
        line.pop("version")
    return lines


@pytest.mark.slow
@pytest.mark.conformance("G33")
@settings(
    max_examples=6,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(first=st.lists(states, min_size=3, max_size=3), then=acts)
def test_replace_after_any_edits_gives_the_snapshot_again(
    world: World, first: list[dict[str, Any]], then: list[tuple[int, dict[str, Any], str]]
) -> None:
    mina = world.here.person("mina")
    for one in first:
        # Two equal texts are one memory; the number keeps them apart.
        fields = one | {"content": f"{one['content']} {next(_counter)}", "tags": tuple(one["tags"])}
        world.here.remember(mina, visibility="private", **fields)
    before = snapshot(mina)
    ids = [line["id"] for line in before][-3:]
    archived = set()
    for number, state, act in then:
        id_ = ids[number]
        if act == "archive" and id_ not in archived:
            archive_memory(mina, id_, now=NOW)
            archived.add(id_)
        elif act != "archive":
            changes = state | {"content": f"{state['content']} {next(_counter)}"}
            tier = {"tier": "glacial"} if act == "sink" else {}
            edit_memory(mina, id_, changes | tier, now=NOW)
    lines = orjson.loads(orjson.dumps(before))
    results = restore_snapshot(mina, world.here.id, lines, RestoreMode.REPLACE, now=NOW)
    assert {one.result for one in results} == {"replaced"}, results
    after = snapshot(mina)
    for line, was in zip(after, before, strict=True):
        # A move is remembered by its time, also that of the way back.
        assert line == was
