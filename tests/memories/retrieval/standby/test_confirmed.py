"""What a standby finds is an answer only after the primary has confirmed it.

The standby replays nothing while the primary forgets, archives, gives to other readers, erases and
edits, so it still finds all of it. Nothing of that may be seen: no text, no id, no count.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from memories.context.assembly.assemble import build_context
from memories.context.sources.context_query import ContextQuery
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.lifecycle.forget import archive_memory, forget_memory
from memories.privacy.erase_memory import erase_memory
from memories.retrieval.models import Recall
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import Hit, SearchRequest, SearchResult
from memories.retrieval.standby.confirmed_search import is_confirmed
from memories.retrieval.standby.standby_search import StandbyHits
from orgs.database.rls import organisation_scope
from orgs.organisations.groups import remove_from_group
from orgs.principals import resolve_principal
from robots.models.teams import TeamRobot
from tests.fast_path import FastPathSite
from tests.memories.retrieval.standby.conftest import Outcomes
from tests.standby_server import Standby
from tests.world import Tenant, World

QUESTION = "when does the office close"
CLOSING = [f"The office number {n} closes at six." for n in range(8)]
# Of those that stay and match.
LEAST = 12
RECALLS = [20, pytest.param(200, marks=pytest.mark.slow)]


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    """Eight memories that answer the question and are to go, and twelve that stay; of each kind
    some are of the group, of which mina is told."""
    here = lasting_world.here
    for n in range(6):
        here.remember(here.robot("bolt"), f"Office hours of branch {n} are long.")
    for text in CLOSING:
        here.remember(here.person("mina"), text, group="design", visibility="group")
    more = [f"The close of office {n} in design." for n in range(6)]
    for text in more:
        here.remember(here.robot("clio"), text, group="design", visibility="group")
    here.embed()
    return here


def ids_of_closing(here: Tenant) -> list[UUID]:
    with resolve_principal(here.person("mina")).scope(), connection.cursor() as cursor:
        cursor.execute("SELECT id FROM memories_memory WHERE content = ANY(%s)", [CLOSING])
        return [id_ for (id_,) in cursor.fetchall()]


def forget(here: Tenant) -> None:
    for id_ in ids_of_closing(here):
        forget_memory(here.person("mina"), id_, now=timezone.now())


def archive(here: Tenant) -> None:
    for id_ in ids_of_closing(here):
        archive_memory(here.person("mina"), id_, now=timezone.now())


def change_readers(here: Tenant) -> None:
    for id_ in ids_of_closing(here):
        share_memory(
            here.person("mina"), id_, visibility="private", readers={}, group=None,
            now=timezone.now(),
        )  # fmt: skip


def erase(here: Tenant) -> None:
    for id_ in ids_of_closing(here):
        erase_memory(here.person("mina"), id_, confirm=str(id_), now=timezone.now())


def edit(here: Tenant) -> None:
    for number, id_ in enumerate(ids_of_closing(here)):
        changes = {"content": f"Nothing of interest {number}."}
        edit_memory(here.person("mina"), id_, changes, now=timezone.now())


def let_expire(here: Tenant) -> None:
    for id_ in ids_of_closing(here):
        soon = timezone.now() + timedelta(milliseconds=200)
        edit_memory(here.person("mina"), id_, {"expires_at": soon}, now=timezone.now())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(.25)")


MORE_ACTS = [archive, change_readers, erase, edit, let_expire]
ACTS = [forget, *(pytest.param(act, marks=pytest.mark.slow) for act in MORE_ACTS)]


@pytest.mark.conformance("O17")
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("recalls", RECALLS)
def test_nothing_that_went_is_seen(
    here: Tenant,
    paused: Standby,
    outcomes: Outcomes,
    act: Callable[[Tenant], None],
    recalls: int,
) -> None:
    clio = here.robot("clio")
    before = recall(clio, Query(text=QUESTION, group="design", limit=20), now=timezone.now())
    assert {row.content for _, row in before.hits} >= set(CLOSING)
    assert outcomes["standby"] == 1
    gone = {str(id_) for id_ in ids_of_closing(here)}
    act(here)
    site, sent = FastPathSite(), {"query": QUESTION, "group": "design", "explain": True}
    for number in range(recalls):
        status, _, body = site.post(here.keys["clio"], {**sent, "limit": 1 + number % 20})
        assert status == 200
        assert not any(text in str(body) for text in [*CLOSING, *gone])
        # Those that stay, as many as were asked for.
        assert len(body["results"]) >= min(1 + number % 20, LEAST)
        with resolve_principal(clio).scope():
            [recorded] = Recall.objects.filter(id=body["recall_id"])
        assert [hit[0] for hit in recorded.hits] == [hit["id"] for hit in body["results"]]
    assert outcomes["unconfirmed"] > recalls // 2
    assert outcomes["behind"] == 0


@pytest.mark.conformance("O17")
@pytest.mark.parametrize("act", ACTS)
def test_nothing_that_went_is_in_a_context(
    here: Tenant, paused: Standby, outcomes: Outcomes, act: Callable[[Tenant], None]
) -> None:
    def ask(number: int) -> Any:
        query = ContextQuery(text=QUESTION, group="design", max_tokens=400 + 10 * number)
        return build_context(here.robot("clio"), query, now=timezone.now())

    assert any(text in ask(50).text for text in CLOSING)
    assert outcomes["standby"] == 1
    gone = {str(id_) for id_ in ids_of_closing(here)}
    act(here)
    for number in range(20):
        made = ask(number)
        assert not any(text in made.text for text in CLOSING)
        assert not gone & {str(one.piece.id) for one in made.citations} or act is edit
    assert outcomes["unconfirmed"] == 20


@pytest.mark.conformance("O17")
@pytest.mark.parametrize("recalls", RECALLS)
def test_who_left_a_group_reads_nothing_of_it(
    here: Tenant, paused: Standby, outcomes: Outcomes, recalls: int
) -> None:
    query = Query(text=QUESTION, limit=20)
    mina = here.person("mina")
    assert {row.content for _, row in recall(mina, query, now=timezone.now()).hits} >= {*CLOSING}
    remove_from_group(
        organisation_id=here.id,
        group_id=here.groups["design"].id,
        member_ids=[here.members["mina"].id],
    )
    for _ in range(recalls):
        answer = recall(mina, query, now=timezone.now())
        assert len(answer.hits) == 6
        assert all(row.content.startswith("Office hours") for _, row in answer.hits)
    # Who may read was resolved on the primary, so the standby found nothing else.
    assert outcomes["standby"] == recalls + 1


@pytest.mark.conformance("O17")
def test_a_key_that_was_revoked_is_refused(here: Tenant, paused: Standby) -> None:
    site = FastPathSite()
    assert site.post(here.keys["clio"], {"query": QUESTION})[0] == 200
    with resolve_principal(here.person("ada")).scope(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE robots_key SET revoked_at = now() WHERE robot_id = %s",
            [here.robots["clio"].id],
        )
    assert site.post(here.keys["clio"], {"query": QUESTION})[0] == 401


def test_what_a_rerank_reads_is_confirmed_too(
    here: Tenant, paused: Standby, outcomes: Outcomes
) -> None:
    forget(here)
    query = Query(text=QUESTION, group="design", limit=20, rerank=True)
    answer = recall(here.robot("clio"), query, now=timezone.now())
    assert outcomes["unconfirmed"] == 1
    assert len(answer.hits) == 12
    assert not {row.content for _, row in answer.hits} & {*CLOSING}


def test_a_robot_that_left_a_team_is_found_by_it_no_more(
    here: Tenant, standby: Standby, outcomes: Outcomes, request: pytest.FixtureRequest
) -> None:
    """The memory is as it was; the condition of the question is what is late."""
    here.add_team("pair", "clio")
    standby.catch_up()
    request.getfixturevalue("paused")
    query = Query(text=QUESTION, group="design", limit=20, filters={"teams": ["pair"]})
    assert len(recall(here.robot("clio"), query, now=timezone.now()).hits) == 6
    assert outcomes["standby"] == 1
    with organisation_scope(here.id):
        TeamRobot.objects.filter(robot_id=here.robots["clio"].id).delete()
    assert recall(here.robot("clio"), query, now=timezone.now()).hits == []
    assert outcomes["unconfirmed"] == 1


def test_a_hit_without_a_version_is_confirmed_by_nothing() -> None:
    first, second = UUID(int=1), UUID(int=2)
    served = SearchResult([Hit(first, 1.0), Hit(second, 0.9)], "hybrid")
    found = StandbyHits(cast("SearchRequest", None), served, {first: "7 8"})
    assert not is_confirmed(found, [(first, "7 8")])
    found = StandbyHits(cast("SearchRequest", None), served, {first: "7 8", second: "9 9"})
    assert is_confirmed(found, [(second, "9 9"), (first, "7 8")])
    assert not is_confirmed(found, [(second, "9 10"), (first, "7 8")])
    assert not is_confirmed(found, [(first, "7 8")])
