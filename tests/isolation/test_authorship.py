"""Nobody makes another's name appear as author or speaker without a right on record (T22, T11)."""

import copy
import random
from collections import Counter
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from robots.access.writer_identity import Speaker
from tests.isolation.api_surface import ABSENT_FILLER, Operation, Slot, api_operations, set_value
from tests.isolation.comparable_responses import send
from tests.isolation.forgery import (
    CLAIMS,
    EVERYBODY,
    OWN,
    WHOLE_BODIES,
    Attempt,
    ForgeryWorld,
    attempts,
    bodies,
    build_forgery_world,
    published_attempts,
    run_attempt,
    whole_query,
    writing_operations,
)
from tests.sampling import run_seed, sample_slice
from tests.world import World

# What stands in addresses beside memories, items, conversations and their like, and names nobody's
# words: tokens, jobs, sessions.
NO_WORDS = {"identity", "identity_id", "delegation_id", "job_id", "key_id", "entity_id", "name"}
NO_WORDS |= {"organisation_id", "secret", "slug", "token", "invitation_id", "robot", "team_id"}
NO_WORDS |= {
    "account_id",
    "document_id",
    "erasure_id",
    "link",
    "association_id",
    "entry_id",
}
NO_WORDS |= {"suggestion_id"}
NO_WORDS |= {"webhook_id", "delivery_id", "subscription_id"}
NO_WORDS |= {"question_id", "term_id", "recall_id", "preview_id", "act", "audience_id"}


# Everybody may do this: these attempts are made in each run, and write something.
TAKEN = ("memories", "memories/batch", "conversations", "debates")


def chosen(scene: ForgeryWorld, most: int, seed: int, about: str) -> list[Attempt]:
    """What is always taken; then a third that names nobody and leaves it to the address, a third
    that names the speaker, the rest one for each caller, operation and place of a name; in an order
    that the seed gives."""
    every = list(attempts(scene, about))
    random.Random(seed).shuffle(every)  # noqa: S311
    plain = [one for one in every if not one.slot]
    telling = [one for one in every if one.slot and one.slot[-1] == "speaker"]
    first: dict[Any, Attempt] = {}
    for one in every:
        first.setdefault((one.caller, str(one.operation), one.slot), one)
    third = most // 3
    known = [one for one in plain if str(one.operation) in {f"POST /api/v1/{at}" for at in TAKEN}]
    return [*known, *plain[:third], *telling[:third], *first.values()][:most]


def forge(world: World, most: int, seed: int, about: str = "") -> Counter[int]:
    """Make the attempts; how many were answered with which status."""
    scene, found = build_forgery_world(world), Counter[int]()
    with time_machine.travel(timezone.now(), tick=False):
        for attempt in chosen(scene, most, seed, about):
            found[run_attempt(scene, attempt)] += 1
    return found


@pytest.mark.conformance("T22", "T11")
@pytest.mark.timeout(300)
def test_no_request_puts_words_into_anothers_mouth(
    world: World, request: pytest.FixtureRequest
) -> None:
    seed = run_seed(request)
    found = forge(world, 120, seed)
    taken = sum(n for status, n in found.items() if status < 300)
    assert taken >= 4 * len(TAKEN), f"nothing is proven where all is refused: {found}"


def of_own(scene: ForgeryWorld) -> list[Attempt]:
    """For each key of the personal robot, operation and place of a name one attempt with Bob's id,
    one with another of his names, and one with a group in which its owner is not."""
    found: dict[Any, Attempt] = {}
    for one in attempts(scene, "/api/v1/"):
        if one.caller in OWN:
            way = scene.references.index(one.reference) if one.reference in scene.references else 9
            found.setdefault(
                (one.caller, str(one.operation), one.slot, min(way, 1) + way // 9), one
            )
    return [*found.values()]


@pytest.mark.conformance("T26", "T22")
@pytest.mark.timeout(600)
def test_a_personal_robot_names_nobody_in_any_place_of_any_call(
    world: World, request: pytest.FixtureRequest
) -> None:
    """A sixtieth of the attempts, which the seed of the run draws; all of them are slow."""
    scene = build_forgery_world(world)
    every = of_own(scene)
    random.Random(run_seed(request)).shuffle(every)  # noqa: S311
    named = [one for one in every if one.slot and one.slot[-1] in ("speaker", "member", "by")]
    done = Counter[int]()
    with time_machine.travel(timezone.now(), tick=False):
        for attempt in [*named[:20], *every[sample_slice(request, 60)]]:
            done[run_attempt(scene, attempt)] += 1
    assert done[403] >= 1, done


@pytest.mark.conformance("T26", "T27")
@pytest.mark.timeout(300)
def test_a_personal_robot_publishes_for_everybody_by_no_call(world: World) -> None:
    """Its member may only propose; what is for all professions is for everybody as well."""
    scene, done = build_forgery_world(world), Counter[str]()
    every = published_attempts(scene)
    with time_machine.travel(timezone.now(), tick=False):
        for attempt in every:
            status = run_attempt(scene, attempt)
            done[attempt.reference or str(attempt.operation)] += status < 300
    assert {"POST /api/v1/blocks/{block_id}/entries", *EVERYBODY} <= {*+done}, done


@pytest.mark.slow
@pytest.mark.conformance("T26", "T22")
@pytest.mark.timeout(3600)
def test_a_personal_robot_names_nobody_whatever_is_tried(world: World) -> None:
    scene = build_forgery_world(world)
    with time_machine.travel(timezone.now(), tick=False):
        for attempt in of_own(scene):
            run_attempt(scene, attempt)


@pytest.mark.conformance("T26", "T20")
@pytest.mark.parametrize("caller", OWN)
def test_a_personal_robot_asks_for_nobody_in_any_call(world: World, caller: str) -> None:
    """Every address that takes a member for whom somebody asks, as the description lists them."""
    scene, tried, wrong = build_forgery_world(world), 0, []
    with time_machine.travel(timezone.now(), tick=False):
        for operation in api_operations():
            names = ("asker",) if str(operation) in NOBODY_ACTS else ("member", "asker")
            slots = [one for one in operation.slots if one.path[-1] in names]
            for slot in [one for one in slots if one.where in ("query", "body")]:
                status = asked_for_bob(scene, caller, operation, slot)
                tried += status == 403
                wrong += [f"{operation} {slot} {status}"] if status not in (403, 404) else []
    assert not wrong, "\n".join(wrong)
    assert tried >= 20


WHOLE_QUERIES = {
    "GET /api/v1/access": {"memory": ABSENT_FILLER},
    "GET /api/v1/profiles": {"topic": "tea"},
}
# Where `member` names nobody for whom something is asked.
NOBODY_ACTS = {
    "GET /api/v1/access": "whom it is about; who may know is asked",
    "GET /api/v1/memories": "a filter of what the caller reads anyway",
    "GET /api/v1/memories/facets": "the same filter",
    "POST /api/v1/memories/bulk": "the same filter",
    "GET /api/v1/profiles": "whom it is about, from what the caller reads anyway",
    "POST /api/v1/snapshots": "a note of the file on who made it, which decides nothing",
}


def asked_for_bob(scene: ForgeryWorld, caller: str, operation: Operation, slot: Slot) -> int:
    """The status of a call that is whole but for naming Bob as the one for whom it is made."""
    names = [part.partition("}")[0] for part in operation.address.split("{")[1:]]
    address = operation.address
    for name in names:
        address = address.replace(f"{{{name}}}", scene.ids.get(name, [ABSENT_FILLER])[0])
    query = whole_query(operation) | WHOLE_QUERIES.get(str(operation), {})
    wholes: list[Any] = [None]
    if operation.body is not None:
        wholes = [WHOLE_BODIES.get(str(operation)), operation.body, next(bodies(operation))[0]]
        wholes = [copy.deepcopy(one) for one in wholes if one is not None]
    if slot.where == "query":
        query[str(slot.path[0])] = str(scene.bob)
    for body in wholes:
        if slot.where == "body":
            set_value(body, slot.path, str(scene.bob))
        with transaction.atomic():
            answer = send(scene.callers[caller], operation, address, query, body)
            status = int(answer.status_code)
            if status == 200 and slot.path[0] == "items":
                status = answer.json()["results"][0]["problem"]["status"]
            transaction.set_rollback(True)
        if status != 400:
            break
    return status


@pytest.mark.conformance("T22")
def test_every_writing_address_is_tried(world: World) -> None:
    scene = build_forgery_world(world)
    tried = {str(one.operation) for one in attempts(scene)}
    for operation in writing_operations():
        assert str(operation) in tried, f"{operation} is not tried"
        for slot in operation.slots:
            if slot.where == "path":
                known = {*scene.ids, *NO_WORDS}
                assert slot.path[0] in known, f"{operation}: what stands at {slot.path[0]}?"


# What no whole body can be written for.
MALFORMED = {
    "POST /api/v1/erasures": "it names one target of three and repeats it",
}


@pytest.mark.conformance("T22")
def test_no_writing_address_refuses_each_attempt_for_its_form(world: World) -> None:
    """Or nothing would be proven of it: a field that came with a form of its own hid whole
    addresses from these attempts."""
    scene, answered = build_forgery_world(world), dict[str, set[int]]()
    with time_machine.travel(timezone.now(), tick=False):
        for one in attempts(scene, "/api/v1/"):
            known = answered.setdefault(str(one.operation), set())
            if one.slot or known - {400, 422}:
                continue
            with transaction.atomic():
                answer = send(scene.callers[one.caller], one.operation, one.address, {}, one.body())
                known.add(400 if b'"refused"' in answer.content else answer.status_code)
                transaction.set_rollback(True)
    assert {name for name, known in answered.items() if known <= {400, 422}} == {*MALFORMED}


@pytest.mark.conformance("T11")
def test_who_wrote_it_is_no_field_of_any_call(world: World, request: pytest.FixtureRequest) -> None:
    """A third of them, which the seed of the run draws."""
    scene = build_forgery_world(world)
    asked = {
        (str(one.operation), one.slot): one
        for one in attempts(scene, "/api/v1/")
        if one.caller == "mina" and one.whole and one.slot and one.slot[0] in CLAIMS
    }
    assert len(asked) > 100
    for attempt in [*asked.values()][sample_slice(request, 3)]:
        assert run_attempt(scene, attempt) >= 400, attempt


def _anybody(actor: Any, given: str, find: Any, group: Any) -> Speaker:
    """As it was: whoever is named speaks."""
    found = find(given)
    return Speaker(found[1], found[0]) if found else Speaker(given)


@pytest.mark.slow
@pytest.mark.conformance("T22")
@pytest.mark.parametrize(
    ("place", "forged", "about"),
    [
        ("memories.ingestion.placement.identify_speaker", _anybody, "POST /api/v1/memories"),
        ("memories.curation.edit_memory.reword", lambda *given: None, "PATCH /api/v1/memories"),
        ("memories.curation.copy_and_merge.reword", lambda *given: None, "/decision"),
        ("memories.curation.split_memory.may_speak_for", lambda *given: True, "/propositions"),
        (
            "memories.knowledge_graph.dialogue._is_reworded",
            lambda row: False,
            "PATCH /api/v1/memories",
        ),
        ("robots.conversations.message_builder.check_speaker", lambda *given: None, "/messages"),
    ],
)
def test_the_machine_notices_a_forgery(
    world: World, monkeypatch: pytest.MonkeyPatch, place: str, forged: Any, about: str
) -> None:
    monkeypatch.setattr(place, forged)
    with pytest.raises(AssertionError):
        forge(world, 400, seed=1, about=about)
