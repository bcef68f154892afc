"""A text that only hidden rows have is answered like one that nobody has ever written (T05, T06).

The two texts differ in words alone: they are as long as each other, no visible row has a word of
either, and the encoder is made to give both the same vector. So whatever their answers differ in
comes from a row that the asker may not read.
"""

import difflib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from memories.embedding.fake_encoder import FakeEncoder
from memories.indexing import exact_scan
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from tests.isolation import test_attacks
from tests.isolation.api_surface import Operation, Slot, api_operations, page_operations
from tests.isolation.canaries import CanaryWorld, plant_canaries
from tests.isolation.test_attacks import SOUGHT, Attack, everything_open
from tests.isolation.test_traces import hidden_rows
from tests.large_scopes import force_index_search
from tests.sampling import ALL, sample_slice
from tests.world import NOW, PEOPLE, World

HIDDEN, UNWRITTEN = ("quoblit", "zanfrew"), ("brindox", "ulwetch")
STRATEGIES = ("keyword", "vector", "hybrid", "graph", "partitioned", "triple_tenant")
Sought = tuple[Operation, Slot]


def searches(caller: str) -> list[Sought]:
    """Every place of a call that looks for a text, and recall by each strategy."""
    shown = [page for page in page_operations() if page.method == "get"] if caller in PEOPLE else []
    offered = api_operations() + shown
    found = [(o, slot) for o in offered for slot in o.slots if slot.path[-1] in SOUGHT]
    for operation, slot in list(found):
        if operation.address == "/api/v1/recall":
            for strategy in STRATEGIES:
                body = {**operation.body, "strategy": strategy, "explain": True, "limit": 5}
                found.append((replace(operation, body=body), slot))
    return found


def texts(operation: Operation) -> Iterator[tuple[str, str]]:
    """Pairs of a hidden text and its twin: both words, and of the API one as well."""
    yield " ".join(HIDDEN), " ".join(UNWRITTEN)
    if operation.described:
        yield HIDDEN[0], UNWRITTEN[0]


def in_other_words(text: str) -> str:
    """The twin of a text; of a hidden one the unwritten one, and nothing else is changed."""
    for hidden, unwritten in zip(HIDDEN, UNWRITTEN, strict=True):
        text = text.replace(unwritten, hidden).replace(unwritten.capitalize(), hidden.capitalize())
    return text


@pytest.fixture
def same_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both texts have the vector of the hidden one, so that meaning leads to hidden rows too."""
    encode = FakeEncoder.encode

    def alike(self: FakeEncoder, given: list[str]) -> Any:
        return encode(self, [in_other_words(text) for text in given])

    monkeypatch.setattr(FakeEncoder, "encode", alike)


def plant(stage: CanaryWorld, caller: str) -> int:
    """The words in every place that is hidden from the caller; returns in how many."""
    planted = hidden_rows(stage, caller)
    for who, fields in planted:
        said = "Quoblit Zanfrew knows how a quoblit zanfrew is mended."
        remember(who, Draft(content=said, topic=HIDDEN[0], conversation="one", **fields), now=NOW)
    embed(stage)
    return len(planted)


def embed(stage: CanaryWorld) -> None:
    stage.world.here.embed()
    stage.world.there.embed()


def told_apart(stage: CanaryWorld, caller: str, part: slice = ALL) -> list[str]:
    """The calls whose answers to a text and to its twin differ, each with the difference."""
    found = []
    machine = Attack(stage)
    with time_machine.travel(timezone.now(), tick=False):
        for operation, slot in searches(caller)[part]:
            for text, twin in texts(operation):
                one, other = (
                    in_other_words(machine.answer((caller, operation, slot, value))[0])
                    for value in (text, twin)
                )
                assert not one.startswith("5"), (caller, operation, slot, one)
                if one != other:
                    lines = difflib.unified_diff(other.split("\n"), one.split("\n"), "absent", n=0)
                    found.append(f"{caller}: {operation} {slot}:\n" + "\n".join(lines)[:2000])
    return found


def stage_of(world: World, caller: str, large: bool, patch: pytest.MonkeyPatch) -> CanaryWorld:
    stage = plant_canaries(world)
    assert plant(stage, caller) >= 6
    if large:
        force_index_search(patch, world.here.id, world.there.id)
    return stage


@pytest.mark.conformance("T05")
@pytest.mark.conformance("T06")
@pytest.mark.usefixtures("same_meaning")
@pytest.mark.parametrize(
    ("caller", "large", "one_of"),
    [("bolt", False, 3)]
    + [
        # Who browses takes a second for each page that there is.
        pytest.param(name, large, 1, marks=pytest.mark.slow)
        for name in ("bolt", "mina", "aria", "bob", "clio", "ada", "chidi", "vera", "stranger")
        for large in (False, True)
    ],
)
def test_a_hidden_text_is_answered_like_an_unwritten_one(
    lasting_world: World,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    caller: str,
    large: bool,
    one_of: int,
) -> None:
    stage = stage_of(lasting_world, caller, large, monkeypatch)
    assert len(searches(caller)) >= 8
    assert told_apart(stage, caller, sample_slice(request, one_of)) == []


@pytest.mark.slow
@pytest.mark.conformance("T06")
@pytest.mark.usefixtures("same_meaning")
@pytest.mark.parametrize("large", [False, True])
def test_the_machine_notices_a_row_that_is_read(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    stage = stage_of(lasting_world, "bolt", large, monkeypatch)
    here = lasting_world.here
    remember(here.robot("aria"), Draft(content="A quoblit zanfrew for all.", topic="x"), now=NOW)
    embed(stage)
    found = told_apart(stage, "bolt")
    assert any("/api/v1/recall" in one for one in found)
    assert any("GET /api/v1/memories" in one for one in found)


@pytest.mark.slow
@pytest.mark.conformance("T05", "T06")
@pytest.mark.usefixtures("same_meaning")
def test_the_machine_notices_a_scope_that_is_open(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = stage_of(lasting_world, "bolt", False, monkeypatch)
    assert exact_scan.EXACT_SCAN_LIMIT > 0
    monkeypatch.setattr("orgs.principals.Principal.scope", everything_open)
    # It would notice that an answer counted a hidden memory; here the answers alone have to tell.
    monkeypatch.setattr(Attack, "unchanged", lambda *given: None)
    # The straight way opens no such scope, and would say that the two differ.
    monkeypatch.setattr(test_attacks, "fast_path_answer", lambda *given: None)
    assert told_apart(stage, "bolt") != []
