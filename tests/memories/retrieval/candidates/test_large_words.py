"""Of a large scope the words bring what scoring every row would bring, and nothing unreadable."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember_many
from memories.retrieval.candidates.search import find_candidates
from memories.retrieval.recall import build_request
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import Candidates
from orgs.organisations.groups import create_group
from orgs.principals import Actor, resolve_principal
from robots.registry.robots import add_robot_to_groups
from tests.large_scopes import force_index_search
from tests.world import NOW, Tenant, World

TALK = (
    "Has anybody seen the kestrel drawings?",
    "They lie in the blue cupboard.",
    "Which cupboard, the one of the studio?",
    "Yes, behind the lamp.",
    "Thanks, the kestrel drawings are here now.",
    "Good.",
    "The lamp is broken by the way.",
    "I shall order another lamp tomorrow.",
)


def talk(here: Tenant, lines: Sequence[str] = TALK, *, group: str = "launch") -> list[UUID]:
    """A conversation in a group; its windows are made."""
    drafts = [
        Draft(
            content=line, group=group, conversation="talk", occurred_at=NOW + timedelta(minutes=n)
        )
        for n, line in enumerate(lines)
    ]
    ids = [one.id for one in remember_many(here.robot("aria"), drafts, now=NOW)]
    here.embed()
    return ids


def found(who: Actor, text: str) -> Candidates:
    asker = resolve_principal(who)
    with asker.scope():
        question = build_request(asker, Query(text=text, strategy="keyword"), timezone.now())
        [candidates] = find_candidates(question)
    return candidates


def asked(
    who: Actor, words: list[str], total: float, pool: int = 100
) -> list[tuple[UUID, list[float]]]:
    with resolve_principal(who).scope(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT memory_id, frequencies FROM search.word_candidates(%s, %s, %s)",
            [words, pool, total],
        )
        return cursor.fetchall()


@pytest.mark.parametrize(
    "text",
    ["Where are the kestrel drawings?", "lamp", "cupboard studio lamp", "order lamp kestrel zebra"],
)
def test_the_indexes_bring_the_same_words_and_scores(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    here = lasting_world.here
    talk(here)
    exact = found(here.robot("aria"), text)
    force_index_search(monkeypatch, here.id)
    large = found(here.robot("aria"), text)
    assert len(exact)
    scores = [
        {bytes(id_): round(float(score), 9) for id_, score in zip(one.ids, one.words, strict=True)}
        for one in (exact, large)
    ]
    assert scores[0] == scores[1]
    assert large.most == pytest.approx(exact.most)


def test_words_of_rows_that_the_asker_does_not_read_bring_and_count_nothing(
    lasting_world: World,
) -> None:
    here = lasting_world.here
    ids = talk(here)
    outside = here.robot("bolt")
    assert asked(outside, ["kestrel"], 100.0) == []
    mine = here.remember(outside, "A kestrel sits on the roof.").id
    here.embed()
    rows = asked(outside, ["kestrel", "lamp"], 1.0)
    assert [id_ for id_, _ in rows] == [mine]
    assert rows[0][1] == [1.0, 0.0], "the lamps of the group are counted for nobody else"
    assert not {id_ for id_, _ in rows} & set(ids)


def test_how_often_a_word_comes_up_is_estimated_where_the_sample_is_a_part(
    lasting_world: World,
) -> None:
    """Said by two of eight turns, and lent to so many as a turn's words are on average."""
    here = lasting_world.here
    talk(here)
    with resolve_principal(here.robot("aria")).scope(), connection.cursor() as cursor:
        cursor.execute("SELECT sum(length(lexemes))::float8 / sum(length(own)) FROM memories_text")
        [spread] = cursor.fetchone() or ()
    assert spread > 2
    [(_, whole), *_] = asked(here.robot("aria"), ["kestrel"], 8.0)
    assert whole == [8.0], "the sample holds every row, and each window has it"
    [(_, estimated), *_] = asked(here.robot("aria"), ["kestrel"], 1_000.0)
    assert estimated == [pytest.approx(2 * spread)]


def test_a_turn_that_only_its_neighbours_lend_the_words_is_brought(lasting_world: World) -> None:
    here = lasting_world.here
    ids = talk(here)
    rows = asked(here.robot("aria"), ["broken"], 1_000.0, pool=1)
    # Said by the seventh; lent over five turns, so the first is out of reach.
    assert {id_ for id_, _ in rows} == set(ids[1:])


def test_what_shares_more_words_comes_before_what_shares_the_frequent_one(
    lasting_world: World,
) -> None:
    """Three a pool are kept, by the worth of their words."""
    here = lasting_world.here
    aria = here.robot("aria")
    plain = [here.remember(aria, f"A lamp, number {n}.").id for n in range(12)]
    both = here.remember(aria, "The lamp of the kestrel room.").id
    here.embed()
    rows = [id_ for id_, _ in asked(aria, ["kestrel", "lamp"], 13.0, pool=1)]
    assert both in rows
    assert len(rows) == 3
    assert len(set(rows) & set(plain)) == 2


@pytest.mark.parametrize("places", [3, 20], ids=["few places", "many places"])
def test_however_many_places_are_read_the_others_bring_and_count_nothing(
    lasting_world: World, places: int
) -> None:
    """Through many places the words are searched without them; what is not read is left out."""
    here = lasting_world.here
    theirs = set(talk(here, [*TALK, "The kestrel hangs below the lamp."]))
    here.add_robot("dora", scopes=("read", "write"))
    groups = [
        create_group(organisation_id=here.id, external_id=f"g{n}", name=f"#g{n}", now=NOW)
        for n in range(places)
    ]
    add_robot_to_groups(
        organisation_id=here.id,
        robot_id=here.robots["dora"].id,
        group_ids=[group.id for group in groups],
    )
    dora = here.robot("dora")
    assert (len(resolve_principal(dora).audiences) > 15) == (places > 15)
    mine = {
        here.remember(dora, f"A kestrel, number {n}; the lamp is lit.", group=f"g{n}").id
        for n in range(3)
    }
    here.embed()
    rows = asked(dora, ["kestrel", "lamp"], 1_000_000.0)
    assert {id_ for id_, _ in rows} == mine
    assert not mine & theirs
    assert rows[0][1] == [3.0, 3.0], "each turn lends to nobody, so a word is where it is said"
