"""A text that was kept says what the query would say that is put together anew."""

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from memories.access import permissions
from memories.browsing.conversation_pages import folded_list
from memories.insights.operations import annotate_robot_recalls
from memories.retrieval.recall import load_memories, recall
from memories.retrieval.resolve_filters import Query
from memories.review import review_queue, waiting_count
from memories.review.deciders import decidable_q
from memories.review.models import ProposalState
from orgs.database.compiled_queries import CompiledQuery
from orgs.models.organisations import Group
from orgs.principals import Actor, resolve_principal
from tests.sampling import mark_rest_slow
from tests.world import NOW, World

IDS = [uuid4() for _ in range(4)]
ACTORS = [
    Actor(organisation_id=organisation, member_id=member, robot_id=robot, role=role)
    for organisation in IDS[:2]
    for member in (None, *IDS[2:])
    for robot in (None, *IDS[1:3])
    for role in (None, "viewer", "member", "curator", "admin")
    if member or robot
]


@pytest.mark.parametrize("actor", [one for one in ACTORS if one.is_person])
def test_what_waits_is_asked_as_if_it_were_put_together_anew(actor: Actor) -> None:
    rows = review_queue.existing_items(actor).filter(decidable_q(actor), state=ProposalState.OPEN)
    anew = rows.exclude(review_queue.FORGOTTEN_Q).order_by().values("id")[: waiting_count.MAX_COUNT]
    assert waiting_count._waiting_statement(actor) == anew.query.sql_with_params()


@pytest.mark.parametrize("actor", mark_rest_slow([*ACTORS[::3], *ACTORS[1::3], *ACTORS[2::3]], 27))
def test_so_is_one_item(actor: Actor) -> None:
    for item_id in IDS:
        anew = review_queue._items_query(actor).filter(id=item_id).query.sql_with_params()
        assert (
            review_queue._ITEM_STATEMENT.text(
                actor.role, item_id=item_id, **review_queue.asker_ids(actor)
            )
            == anew
        )


@pytest.mark.parametrize("actor", mark_rest_slow([*ACTORS[::3], *ACTORS[1::3], *ACTORS[2::3]], 27))
def test_so_is_progress_whenever_it_began(actor: Actor) -> None:
    for since in (NOW, NOW - timedelta(hours=3)):
        anew = review_queue._progress_query(
            actor.role, since, **review_queue.asker_ids(actor)
        ).query.sql_with_params()
        assert (
            review_queue._PROGRESS_STATEMENT.text(
                actor.role, since=since, **review_queue.asker_ids(actor)
            )
            == anew
        )


@pytest.mark.parametrize("lock", [False, True])
def test_so_is_one_memory(lock: bool, db: None) -> None:
    for organisation_id, memory_id in zip(IDS, reversed(IDS), strict=True):
        anew = permissions._memory_query(lock, organisation_id, memory_id).query.sql_with_params()
        assert (
            permissions._MEMORY_BY_ID.text(
                lock, organisation_id=organisation_id, memory_id=memory_id
            )
            == anew
        )


@pytest.mark.parametrize("beside", [folded_list.no_annotations, annotate_robot_recalls])
def test_so_are_the_lines_of_a_list(beside: folded_list.ExtraAnnotations, db: None) -> None:
    for ids, now in ((IDS[:1], NOW), (IDS, NOW - timedelta(days=3))):
        for most in (5, 1_000):
            anew = folded_list._lines_query(most, beside, ids, now).query.sql_with_params()
            assert folded_list._LINES_STATEMENT.text(most, beside, ids=ids, now=now) == anew


def test_rows_have_their_names_and_their_annotations(world: World) -> None:
    mina = world.here.person("mina")
    id_ = world.here.remember(world.here.robot("aria"), "Pears.", group="launch").id
    principal = resolve_principal(mina)
    with principal.scope(), CaptureQueriesContext(connection) as asked:
        for _ in range(2):
            kept = permissions.get_readable_memory(principal, id_)
            [anew] = permissions._memory_query(False, world.here.id, id_)
            assert kept == anew
            assert vars(kept).keys() == vars(anew).keys()
            assert (kept.robot.name, kept.group.external_id) == ("aria", "launch")
            assert kept.group_known is anew.group_known is True
    selects = [one for one in asked if one["sql"].startswith('SELECT "memories_memory')]
    assert len(selects) == 4


def test_a_thread_asks_on_its_own_connection(lasting_world: World) -> None:
    """The text was put together by another one, whose transaction it would not see."""
    groups = CompiledQuery(
        lambda organisation_id: Group.objects.filter(organisation_id=organisation_id)
    )
    here, found = lasting_world.here, []
    principal = resolve_principal(here.person("ada"))

    def ask() -> None:
        try:
            with principal.scope():
                found.append(sorted(g.external_id for g in groups.rows(organisation_id=here.id)))
        finally:
            connections.close_all()

    ask_here = threading.Thread(target=ask)
    ask()
    ask_here.start()
    ask_here.join()
    assert found == [["design", "launch"]] * 2


def test_a_missing_id_is_another_shape() -> None:
    built: list[Any] = []

    def build(role: str, member_id: Any, robot_id: Any) -> Any:
        built.append((role, member_id is None, robot_id is None))
        return Group.objects.filter(id=member_id or robot_id)

    kept = CompiledQuery(build)
    for _ in range(2):
        for role in ("admin", "viewer"):
            assert kept.text(role, member_id=IDS[0], robot_id=None)[1] == (IDS[0],)
            assert kept.text(role, member_id=None, robot_id=IDS[1])[1] == (IDS[1],)
    assert len(built) == 4


def test_the_same_id_twice_stands_in_both_places() -> None:
    kept = CompiledQuery(lambda one, other: Group.objects.filter(id=one, organisation_id=other))
    text, values = kept.text(one=IDS[0], other=IDS[0])
    assert text.count("%s") == 2
    assert values == (IDS[0], IDS[0])


def test_what_stands_beside_several_rows_is_made_once(world: World) -> None:
    here = world.here
    aria, other = here.robot("aria"), here.robot("bolt")
    ids = [here.remember(aria, f"Pear {n}.", group="launch").id for n in range(3)]
    ids.append(here.remember(other, "Plums.").id)
    principal = resolve_principal(here.person("mina"))
    with principal.scope(), CaptureQueriesContext(connection) as asked:
        *pears, plums = sorted(load_memories(here.id, ids).values(), key=lambda row: row.id)
        assert [row.robot.name for row in (*pears, plums)] == ["aria"] * 3 + ["bolt"]
        assert len({id(row.robot) for row in (*pears, plums)}) == 2
        assert pears[1].group is pears[0].group
        assert plums.group is None
    assert len(asked) == 1


def test_the_use_beside_a_memory_is_its_readers(world: World) -> None:
    here = world.here
    aria = here.robot("aria")
    id_ = here.remember(aria, "Pears are ripe.", group="launch").id
    here.remember(aria, "Plums are ripe.", group="launch")
    recall(aria, Query(text="When are pears ripe?", group="launch", limit=1), now=NOW)
    with resolve_principal(aria).scope(), CaptureQueriesContext(connection) as asked:
        [row] = load_memories(here.id, [id_]).values()
        use = row.used
        assert (use.access_count, use.last_accessed_at, use.surprise) == (1, NOW, 0.0)
        assert (row.tier, row.access_count) == ("slow", 1)
        row.refresh_from_db(fields=["content"])
        assert row.used is use
    assert len(asked) == 2
