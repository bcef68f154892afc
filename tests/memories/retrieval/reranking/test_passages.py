"""What the cross-encoder reads: nothing that the answer itself might not show."""

from datetime import timedelta
from typing import Any

import pytest

from memories.lifecycle.forget import forget_memory
from memories.retrieval.reranking import rerank as module
from memories.retrieval.reranking.rerank import (
    MAX_BEFORE_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    format_passage,
)
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.memories.retrieval.reranking.test_rerank import Listening, ask
from tests.world import NOW, Tenant, World

pytestmark = pytest.mark.conformance("Q07")

ASKED = "Which locker holds the umbrella?"
ANSWER = "The umbrella is in locker nine."


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Listening:
    listening = Listening(lambda text: 0.0)
    monkeypatch.setattr(module, "get_cross_encoder", lambda: listening)
    return listening


def say(here: Tenant, text: str, position: int, **more: Any) -> Any:
    given = {"group": "launch", "conversation": "hall", "speaker": "Mina", "position": position}
    return here.remember(here.robot("aria"), text, **{**given, **more}).id


def read(here: Tenant, model: Listening, **asked: Any) -> list[str]:
    """What was read of the answer."""
    model.read.clear()
    found = ask(here.api("aria"), "locker nine", rerank=True, **asked)
    assert found["reranked"]
    return [text for text in model.read if text.endswith(ANSWER)]


def test_the_turn_before_stands_before_the_text(here: Tenant, model: Listening) -> None:
    say(here, "Good morning to everyone here.", 1)
    say(here, ASKED, 2, speaker="Bob")
    say(here, ANSWER, 3)
    say(here, "And the keys are at the desk.", 4)
    assert read(here, model) == [f"{ASKED} Mina: {ANSWER}"]


def test_only_the_end_of_a_long_turn_and_the_beginning_of_a_text(
    here: Tenant, model: Listening
) -> None:
    say(here, "x" * 300 + "the end", 1)
    say(here, "locker nine " + "y" * 2_000, 2)
    ask(here.api("aria"), "locker nine", rerank=True)
    [found] = [text for text in model.read if "locker" in text]
    assert (MAX_BEFORE_CHARACTERS, MAX_TEXT_CHARACTERS) == (200, 1_000)
    assert found == "x" * 193 + "the end Mina: locker nine " + "y" * 988


@pytest.mark.parametrize(
    "other",
    [
        {"conversation": "yard"},
        {"conversation": None},
        {"visibility": "internal"},
        {"group": "design"},
        {"member": "mina", "visibility": "private"},
        {"expires_at": NOW - timedelta(days=1)},
        {"position": 4},
    ],
    ids=str,
)
def test_a_turn_of_elsewhere_or_for_others_is_not_read(
    here: Tenant, model: Listening, other: dict[str, Any]
) -> None:
    if "member" in other:
        other = {**other, "member": str(here.members["mina"].id)}
    say(here, ASKED, **{"position": 2, **other})
    say(here, ANSWER, 3)
    for asked in ({}, {"group": "launch"}, {"group": "launch", "include_direct": True}):
        assert read(here, model, **asked) == [f"Mina: {ANSWER}"]


def test_a_forgotten_turn_is_not_read(here: Tenant, model: Listening) -> None:
    first = say(here, "Umbrellas are lent out at the door.", 1)
    gone = say(here, ASKED, 2)
    say(here, ANSWER, 3)
    forget_memory(here.robot("aria"), gone, now=NOW)
    assert read(here, model) == [f"Umbrellas are lent out at the door. Mina: {ANSWER}"]
    forget_memory(here.robot("aria"), first, now=NOW)
    assert read(here, model) == [f"Mina: {ANSWER}"]


def test_where_only_the_sayable_is_shown_only_the_sayable_is_read(
    here: Tenant, model: Listening
) -> None:
    """The answer may leave its group because it is flagged; the turn before it is not."""
    design = {"group": "design", "conversation": "studio"}
    before = say(here, ASKED, 1, **design)
    say(here, ANSWER, 2, **design, shareable=True)
    secret = say(here, "The locker nine has a secret floor.", 3, **design)

    assert read(here, model) == [f"{ASKED} Mina: {ANSWER}"]
    assert read(here, model, shareable_with="launch") == [f"Mina: {ANSWER}"]
    assert len(model.read) == 1

    with resolve_principal(here.robot("aria")).scope():
        Memory.objects.filter(id=before).update(
            shareable=True, member=here.members["mina"].id, kind="user"
        )
        Memory.objects.filter(id=secret).update(sensitive=True, shareable=True)
    assert read(here, model, shareable_with="launch") == [f"{ASKED} Mina: {ANSWER}"]
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(sharing_off_at=NOW)
    assert read(here, model, shareable_with="launch") == [f"Mina: {ANSWER}"]
    assert len(model.read) == 1


def test_nothing_of_another_organisation_or_reader_is_read(world: World, model: Listening) -> None:
    here = world.here
    for tenant in (world.here, world.there):
        say(tenant, f"locker nine of {tenant.id}", 1, group="design", conversation=None)
    ask(here.browser("bob"), "locker nine", rerank=True)
    assert model.read == []
    ask(here.browser("mina"), "locker nine", rerank=True)
    assert model.read == [f"Mina: locker nine of {here.id}"]


def test_what_is_not_known_is_left_out() -> None:
    assert format_passage("", "text", None) == "text"
    assert format_passage("", "text", "before") == "before text"
    assert format_passage("Mina", "text", "") == "Mina: text"
