"""Nobody makes another's name appear as author or speaker without a right on record (T22, T11)."""

import random
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from memories.access.speakers import Speaker

from orgs.errors import NotFound
from tests.drawn import drawn, seed_of
from tests.isolation.forgery import CLAIMS, Attempt, Scene, attempts, run, set_scene, writing
from tests.world import World

# What stands in addresses beside memories, items, conversations and their like, and names nobody's
# words: tokens, jobs, sessions.
NO_WORDS = {"identity", "identity_id", "delegation_id", "job_id", "key_id", "entity_id", "name"}
NO_WORDS |= {"organisation_id", "secret", "slug", "token", "invitation_id", "robot", "team_id"}
NO_WORDS |= {"account_id", "erasure_id", "link", "association_id", "block_id", "entry_id", "handle"}
NO_WORDS |= {"suggestion_id"}
NO_WORDS |= {"term_id", "recall_id", "preview_id", "act", "audience_id"}


# Everybody may do this: these attempts are made in each run, and write something.
TAKEN = ("memories", "memories/batch", "conversations", "debates")


def chosen(scene: Scene, most: int, seed: int, about: str) -> list[Attempt]:
    """What is always taken; then a third that names nobody and leaves it to the address, a third
    that names the speaker, the rest one for each caller, operation and place of a name; in an order
    that the seed gives."""
    every = list(attempts(scene, about))
    random.Random(seed).shuffle(every)  # noqa: S311
    plain = [one for one in every if not one.slot]
    telling = [one for one in every if one.slot and "speaker" in str(one.slot[-1])]
    first: dict[Any, Attempt] = {}
    for one in every:
        first.setdefault((one.caller, str(one.operation), one.slot), one)
    third = most // 3
    known = [one for one in plain if str(one.operation) in {f"POST /api/v1/{at}" for at in TAKEN}]
    return [*known, *plain[:third], *telling[:third], *first.values()][:most]


def forge(world: World, most: int, seed: int, about: str = "") -> Counter[int]:
    """Make the attempts; how many were answered with which status."""
    scene, found = set_scene(world), Counter[int]()
    with time_machine.travel(timezone.now(), tick=False):
        for attempt in chosen(scene, most, seed, about):
            found[run(scene, attempt)] += 1
    return found


@pytest.mark.conformance("T22", "T11")
@pytest.mark.timeout(300)
def test_no_request_puts_words_into_anothers_mouth(
    world: World, request: pytest.FixtureRequest
) -> None:
    seed = seed_of(request)
    found = forge(world, 120, seed)
    taken = sum(n for status, n in found.items() if status < 300)
    assert taken >= 4 * len(TAKEN), f"nothing is proven where all is refused: {found}"


@pytest.mark.conformance("T22")
def test_every_writing_address_is_tried(world: World) -> None:
    scene = set_scene(world)
    tried = {str(one.operation) for one in attempts(scene)}
    for operation in writing():
        assert str(operation) in tried, f"{operation} is not tried"
        for slot in operation.slots:
            if slot.where == "path":
                known = {*scene.ids, *NO_WORDS}
                assert slot.path[0] in known, f"{operation}: what stands at {slot.path[0]}?"


@pytest.mark.conformance("T11")
def test_who_wrote_it_is_no_field_of_any_call(world: World, request: pytest.FixtureRequest) -> None:
    """A third of them, which the seed of the run draws."""
    scene = set_scene(world)
    asked = {
        (str(one.operation), one.slot): one
        for one in attempts(scene, "/api/v1/")
        if one.caller == "mina" and one.whole and one.slot and one.slot[0] in CLAIMS
    }
    assert len(asked) > 100
    for attempt in [*asked.values()][drawn(request, 3)]:
        assert run(scene, attempt) >= 400, attempt


def _anybody(actor: Any, given: str, references: Any, group: Any) -> Speaker:
    """As it was: whoever is named speaks."""
    with suppress(NotFound):
        member = references.member(given, group)
        return Speaker(member.name, member.id)
    return Speaker(given)


@pytest.mark.slow
@pytest.mark.conformance("T22")
@pytest.mark.parametrize(
    ("place", "forged", "about"),
    [
        ("memories.ingestion.placement.speaker_of", _anybody, "POST /api/v1/memories"),
        ("memories.curation.edit.reword", lambda *given: None, "PATCH /api/v1/memories"),
        ("memories.curation.merge.reword", lambda *given: None, "/decision"),
        ("memories.curation.split.may_speak_for", lambda *given: True, "/propositions"),
        (
            "memories.knowledge_graph.dialogue._reworded",
            lambda row: False,
            "PATCH /api/v1/memories",
        ),
        ("robots.conversations.compose.as_uuid", lambda given: None, "/messages"),
    ],
)
def test_the_machine_notices_a_forgery(
    world: World, monkeypatch: pytest.MonkeyPatch, place: str, forged: Any, about: str
) -> None:
    monkeypatch.setattr(place, forged)
    with pytest.raises(AssertionError):
        forge(world, 400, seed=1, about=about)
