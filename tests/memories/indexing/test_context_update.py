"""A turn lends its words and its meaning to the turns around it, and takes both back at once: no
worker has to run before what is gone is found nowhere."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from django.db import connections
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.embedding.encoder_loading import get_encoder
from memories.indexing import embed_worker, search_index
from memories.indexing.context_windows import ContextWindows
from memories.indexing.models import Embedding, Pending, Text
from memories.indexing.organisation_indexes import enable_projection
from memories.indexing.search_index import refresh_neighbour_context
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.privacy.forget_all import forget_all
from memories.restatement.models import Restatement
from memories.retrieval.strategies.registry import STRATEGY_NAMES
from memories.store.context_window import MAX_DISTANCE, VECTOR_WEIGHTS, WORD_WEIGHTS
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.organisations.groups import remove_from_group
from orgs.principals import resolve_principal
from tests.memories.search_rows import read_search_vectors
from tests.world import NOW, Tenant, World

SECRET = "My diagnosis is leukaemia."
FARTHEST = 6
# Words that no other turn shares.
AROUND = (
    "apple", "bridge", "candle", "desert", "engine", "forest", "garden", "harbour", "island",
    "jacket", "kitchen", "ladder",
)  # fmt: skip


def talk(here: Tenant, conversation: str = "c", middle: str | None = SECRET) -> list[UUID]:
    """Thirteen turns, the secret in the middle; its place in the list is FARTHEST."""
    lines = [f"The {word} stands there." for word in AROUND]
    if middle is not None:
        lines.insert(FARTHEST, middle)
    mina = str(here.members["mina"].id)
    drafts = [
        Draft(
            content=text, group="launch", conversation=conversation, position=n,
            member=mina if text == middle else None, visibility="group",
            speaker=mina if text == middle else "", key=f"{conversation}:{text}",
        )
        for n, text in enumerate(lines)
    ]  # fmt: skip
    done = remember_many(here.robot("aria"), drafts, now=NOW)
    return [one.id for one in done]


def found(here: Tenant, **asked: Any) -> dict[UUID, Any]:
    body = {"query": "leukaemia diagnosis", "limit": 50, "group": "launch"} | asked
    answer = here.api("aria").post("/api/v1/recall", body, format="json")
    assert answer.status_code == 200, answer.content
    return {UUID(hit["id"]): hit for hit in answer.json()["results"]}


def distances(ids: list[UUID], found: Any) -> set[int]:
    return {abs(ids.index(one) - FARTHEST) for one in found if one in ids}


def stored(here: Tenant) -> dict[UUID, tuple[Any, Any]]:
    with resolve_principal(here.robot("aria")).scope():
        rows = Embedding.objects.filter(organisation_id=here.id)
        searched = read_search_vectors()
        return {r.memory_id: (np.array(r.own), searched[r.memory_id]) for r in rows}


def lexemes(here: Tenant) -> dict[UUID, str]:
    with resolve_principal(here.robot("aria")).scope():
        return dict(Text.objects.values_list("memory_id", "lexemes"))


def run_worker(here: Tenant) -> None:
    embed_worker.embed_pending(here.id, now=timezone.now())


def forget(here: Tenant, secret: UUID) -> None:
    forget_memory(here.robot("aria"), secret, now=NOW)


def forget_oneself(here: Tenant, secret: UUID) -> None:
    forget_memory(here.person("mina"), secret, now=NOW)


def archive(here: Tenant, secret: UUID) -> None:
    archive_memory(here.robot("aria"), secret, now=NOW)


def move_away(here: Tenant, secret: UUID) -> None:
    share_memory(here.person("mina"), secret, visibility="private", readers={}, group=None, now=NOW)


def edit(here: Tenant, secret: UUID) -> None:
    edit_memory(here.robot("aria"), secret, {"content": "It is nothing."}, now=NOW)


def expire(here: Tenant, secret: UUID) -> None:
    over = timezone.now() - timedelta(seconds=1)
    edit_memory(here.robot("aria"), secret, {"expires_at": over}, now=NOW)


def take_everything_back(here: Tenant, secret: UUID) -> None:
    forget_all(here.person("mina"), now=NOW)


LEAVE: list[Callable[[Tenant, UUID], None]] = [
    forget, forget_oneself, archive, move_away, edit, expire, take_everything_back,
]  # fmt: skip


def test_one_constant_for_lending_and_for_taking_back() -> None:
    assert (WORD_WEIGHTS, VECTOR_WEIGHTS) == ((0.7, 0.5, 0.3, 0.3, 0.3), (0.3, 0.15, 0.1))
    assert len(WORD_WEIGHTS) == MAX_DISTANCE == 5
    assert len(VECTOR_WEIGHTS) <= MAX_DISTANCE


@pytest.mark.parametrize("leave", LEAVE, ids=lambda act: act.__name__)
def test_what_is_gone_is_found_by_no_turn_around_it_before_any_worker_ran(
    lasting_world: World, leave: Callable[[Tenant, UUID], None]
) -> None:
    here = lasting_world.here
    enable_projection(here.id, "partitions")
    enable_projection(here.id, "graph")
    ids = talk(here)
    here.embed()
    for strategy in ("keyword", "partitioned", "multi_level"):
        near = distances(ids, found(here, strategy=strategy))
        assert near >= {0, 1, 2}, f"{strategy}: otherwise nothing is lent"
    assert distances(ids, found(here, strategy="keyword")) == set(range(MAX_DISTANCE + 1))
    lent = [own @ all_ for own, all_ in stored(here).values()]
    assert min(lent) < 1.99, "otherwise no meaning is lent"

    leave(here, ids[FARTHEST])
    others = [id_ for id_ in ids if id_ != ids[FARTHEST]]
    assert not distances(others, found(here, strategy="keyword"))
    assert not distances(others, found(here, strategy="fulltext"))
    for id_, words in lexemes(here).items():
        if id_ in others:
            assert "leukaemia" not in words
    query = get_encoder().encode(["leukaemia diagnosis"])[0]
    vectors = stored(here)
    for place, id_ in enumerate(ids):
        if id_ in others:
            own, searched = vectors[id_]
            assert abs(query @ searched - 2 * (query @ own)) < 0.02, abs(place - FARTHEST)
    for strategy in STRATEGY_NAMES:
        scores = {
            id_: hit["scores"] for id_, hit in found(here, strategy=strategy, explain=True).items()
        }
        for id_ in set(scores) & set(others):
            assert not scores[id_].get("words"), (strategy, scores[id_])
    with resolve_principal(here.robot("aria")).scope():
        owed = set(Pending.objects.values_list("memory_id", flat=True))
    assert {abs(ids.index(one) - FARTHEST) for one in owed} >= set(range(1, MAX_DISTANCE + 1))


@pytest.mark.parametrize("leave", LEAVE, ids=lambda act: act.__name__)
def test_once_the_worker_ran_it_is_as_if_it_had_never_been_said(
    lasting_world: World, leave: Callable[[Tenant, UUID], None]
) -> None:
    here = lasting_world.here
    ids = talk(here)
    here.embed()
    leave(here, ids[FARTHEST])
    here.embed()
    replaced = "It is nothing." if leave is edit else None
    never = talk(here, "other", replaced)
    here.embed()
    said = [id_ for n, id_ in enumerate(ids) if replaced or n != FARTHEST]
    if leave is expire:
        return  # its place stays, its words are nobody's; see above
    words, vectors = lexemes(here), stored(here)
    for one, other in zip(said, never, strict=True):
        assert words[one] == words[other]
        assert np.allclose(vectors[one][1], vectors[other][1], atol=0.01)


def test_what_expires_lends_only_to_what_goes_no_later(lasting_world: World) -> None:
    here = lasting_world.here
    soon, later = NOW + timedelta(days=9_000), NOW + timedelta(days=9_001)
    texts = {
        "Leukaemia it is.": soon,
        "The apple.": None,
        "The bridge.": soon,
        "The candle.": later,
    }
    drafts = [
        Draft(content=text, group="launch", conversation="c", position=n, expires_at=over)
        for n, (text, over) in enumerate(texts.items())
    ]
    ids = [one.id for one in remember_many(here.robot("aria"), drafts, now=NOW)]
    here.embed()
    assert set(found(here, query="leukaemia", strategy="keyword")) == {ids[0], ids[2]}
    assert set(found(here, query="apple", strategy="keyword")) == set(ids), "what stays lends on"


def test_turns_that_come_between_do_not_hide_what_was_lent(lasting_world: World) -> None:
    """Late turns push the others apart; what these lent must still be found and taken back."""
    here = lasting_world.here
    ids = talk(here)
    here.embed()
    late = [
        Draft(content=f"The late {word} came.", group="launch", conversation="c", position=n)
        for n, word in ((FARTHEST - 1, "post"), (FARTHEST, "train"), (FARTHEST, "bus"))
    ]
    remember_many(here.robot("aria"), late, now=NOW)
    forget(here, ids[FARTHEST])
    assert found(here, strategy="keyword") == {}


@pytest.mark.parametrize("first", ["worker", "member"])
def test_a_worker_that_is_at_it_brings_nothing_back(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """The worker has read the turns when one is forgotten, or comes while it is being forgotten."""
    here = lasting_world.here
    ids = talk(here)
    here.embed()
    with resolve_principal(here.robot("aria")).scope():
        rows = list(Memory.objects.filter(id__in=ids[FARTHEST + 1 : FARTHEST + 4]))
        for row in rows:
            refresh_neighbour_context(row, NOW)  # so that the worker is owed something
    done: list[threading.Thread] = []

    def beside(act: Callable[[], None]) -> None:
        """Let it run up to where it has to wait, or to its end."""

        def whole() -> None:
            try:
                act()
            finally:
                connections.close_all()

        done.append(threading.Thread(target=whole, daemon=True))
        done[0].start()
        done[0].join(timeout=1)

    if first == "worker":
        read = ContextWindows.store

        def store(self: ContextWindows, searched: Any, **where: Any) -> Any:
            if not done:
                beside(lambda: forget(here, ids[FARTHEST]))
            return read(self, searched, **where)

        monkeypatch.setattr(ContextWindows, "store", store)
        run_worker(here)
    else:
        cleaned = search_index.reset_neighbours

        def take_back(*args: Any, **more: Any) -> None:
            cleaned(*args, **more)
            if not done:
                beside(lambda: run_worker(here))

        monkeypatch.setattr(search_index, "reset_neighbours", take_back)
        forget(here, ids[FARTHEST])
    done[0].join(timeout=30)
    assert not done[0].is_alive()
    assert not any("leukaemia" in words for words in lexemes(here).values())
    near, query = ids[FARTHEST + 1], get_encoder().encode(["leukaemia diagnosis"])[0]
    own, searched = stored(here)[near]
    assert query @ searched - 2 * (query @ own) < 0.1, "lent it would be .2"
    here.embed()
    assert not any("leukaemia" in words for words in lexemes(here).values())


def test_two_who_forget_turns_side_by_side_do_not_block_each_other(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    ids = talk(here)
    here.embed()
    waited, failed = [], []
    cleaned = search_index.reset_neighbours

    def other() -> None:
        try:
            forget_memory(here.robot("aria"), ids[FARTHEST + 1], now=NOW)
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    def take_back(*args: Any, **more: Any) -> None:
        if not waited:
            waited.append(threading.Thread(target=other, daemon=True))
            waited[0].start()
            waited[0].join(timeout=1)
        cleaned(*args, **more)

    monkeypatch.setattr(search_index, "reset_neighbours", take_back)
    forget(here, ids[FARTHEST])
    waited[0].join(timeout=30)
    assert (failed, waited[0].is_alive()) == ([], False)
    assert found(here, strategy="keyword") == {}


def test_who_has_left_the_group_finds_nothing_of_it(lasting_world: World) -> None:
    here = lasting_world.here
    talk(here)
    here.embed()
    bob = here.members["bob"].id
    with organisation_scope(here.id):
        remove_from_group(
            organisation_id=here.id, group_id=here.groups["launch"].id, member_ids=[bob]
        )
    for strategy in STRATEGY_NAMES:
        body = {"query": "leukaemia diagnosis", "strategy": strategy}
        answer = here.browser("bob").post("/api/v1/recall", body, format="json").json()
        if strategy != "partitioned":  # not kept here
            assert answer["results"] == [], strategy


def test_what_comes_back_lends_again(lasting_world: World) -> None:
    here = lasting_world.here
    ids = talk(here)
    here.embed()
    before = lexemes(here)
    forget(here, ids[FARTHEST])
    restore_memory(here.robot("aria"), ids[FARTHEST], now=NOW)
    here.embed()
    assert lexemes(here) == before


def test_names_of_what_expires_stay_out_of_what_lasts(lasting_world: World) -> None:
    here = lasting_world.here
    bob = str(here.members["bob"].id)
    for over, expected in ((None, "Daniel brings the blue folder"), (NOW, None)):
        later = None if over is None else timezone.now() + timedelta(days=1)
        drafts = [
            Draft(content=text, group="launch", conversation=f"x{over}", position=n, speaker=bob,
                  expires_at=later if n == 0 else None, key=f"{over}{n}")
            for n, text in enumerate(("I met Daniel today", "he brings the blue folder"))
        ]  # fmt: skip
        told = remember_many(here.robot("aria"), drafts, now=NOW)[1].id
        here.read()
        with resolve_principal(here.robot("aria")).scope():
            made = Restatement.objects.filter(memory_id=told).values_list("text", flat=True)
            assert (made[0] or None if made else None) == expected
