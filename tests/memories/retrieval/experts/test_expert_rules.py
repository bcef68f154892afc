"""Experts and relationships: who counts, what each observation weighs, and pages that hold."""

from collections.abc import Callable
from datetime import timedelta
from math import log
from typing import Any
from uuid import UUID

import pytest

from memories.knowledge_graph import expertise_signals as rules
from memories.knowledge_graph import graph_projection
from memories.knowledge_graph.models import Edge
from memories.knowledge_graph.node_ids import compute_node_id, compute_speaker_node_id
from memories.retrieval.candidates.graph_walk import (
    DEFAULT_DEPTH,
    DEFAULT_LIMIT,
    MAX_DEPTH,
    search_graph,
    walk_graph,
)
from memories.retrieval.experts import rank_experts as experts_experts
from memories.retrieval.experts.rank_experts import list_topics, rank_experts
from memories.retrieval.experts.relationships import list_relationships
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.principals import resolve_principal
from tests.memories.knowledge_graph.test_write_graph import member, said
from tests.world import NOW, Tenant, World

EXPERTS, ENTITIES = "/api/v1/experts", "/api/v1/entities"


def names(here: Tenant, topic: str, who: str = "bob") -> list[str]:
    return [
        one.name for one in rank_experts(resolve_principal(here.person(who)), topic=topic, now=NOW)
    ]


def entity(here: Tenant, key: str) -> UUID:
    """The first memory's, in the order in which they came."""
    found = here.api("aria").get(ENTITIES, {"q": key}).json()["results"][::-1]
    return UUID(next(one["id"] for one in found if one["name"].lower() == key))


def expire(here: Tenant, id_: UUID) -> None:
    with resolve_principal(here.robot("aria")).scope():
        Memory.objects.filter(id=id_).update(expires_at=NOW)


def remove(here: Tenant, id_: UUID) -> None:
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["mina"].id).update(removed_at=NOW)


@pytest.mark.conformance("A09")
@pytest.mark.parametrize("leave", [expire, remove])
def test_neither_what_expired_nor_who_was_removed_makes_an_expert(
    lasting_world: World, leave: Callable[[Tenant, UUID], None]
) -> None:
    here, aria = lasting_world.here, lasting_world.here.robot("aria")
    here.remember(aria, "Samba runs in the cellar", group="launch", speaker=member(here, "bob"))
    gone = here.remember(
        aria, "Samba and kafka share a rack", group="launch", speaker=member(here, "mina")
    ).id
    here.embed()
    thing = entity(here, "samba")

    def known(relation: str = "knows_about") -> set[str]:
        rows = list_relationships(here.person("bob"), thing, relation=relation, now=NOW)
        return {one.name for one in rows}

    assert set(names(here, "samba")) == {"Bob", "Mina"} == known()
    near = "kafka rack share"
    assert "Mina" in names(here, near), "by meaning or by words"
    leave(here, gone)
    assert names(here, "samba") == ["Bob"]
    assert known() == {"Bob"}
    assert "Mina" not in names(here, near)
    assert "kafka" not in list_topics(resolve_principal(here.person("bob")), now=NOW)
    if leave is expire:
        assert not any("kafka" in name for name in known("related_to") | known("mentions"))
        with resolve_principal(here.person("bob")).scope():
            assert gone not in {one.id for one in search_graph(here.id, "kafka", now=NOW)}


@pytest.mark.conformance("A09")
def test_what_rests_on_a_question_that_expired_goes_with_it(world: World) -> None:
    here = world.here
    question, _ = said(
        here,
        {"content": "how do I share a printer?", "external_id": "1",
         "speaker": member(here, "mina")},
        {"content": "put it into smb.conf", "speaker": member(here, "bob"), "reply_to": "1"},
    )  # fmt: skip
    assert names(here, "printer") == ["Bob"]
    printer = entity(here, "printer")
    expire(here, question)
    bob = resolve_principal(here.person("bob"))
    found = rank_experts(bob, topic="printer", now=NOW)
    assert [one for one in found if one.by == "words"] == []
    assert names(here, "smb.conf") == ["Bob"]
    assert printer


@pytest.mark.conformance("A08")
def test_what_is_concluded_from_an_unquoted_answer_weighs_as_much(world: World) -> None:
    here = world.here
    said(
        here,
        {"content": "how can I make the gateway permanent?", "speaker": "irc:mlopes"},
        {"content": "mlopes: edit /etc/network/interfaces", "speaker": "irc:jeansch"},
    )
    with resolve_principal(here.person("bob")).scope():
        lent = Edge.objects.get(
            relation="knows_about",
            source=compute_speaker_node_id(here.id, "jeansch"),
            target=compute_node_id(here.id, "concept", "gateway"),
        )
        weights = set(Edge.objects.values_list("relation", "weight"))
    assert (lent.weight, lent.inferred) == (0.5, True)
    assert weights == {("said", 1.0), ("mentions", 1.0), ("replied_to", 1.0), ("knows_about", 0.5)}


def read_pages(
    here: Tenant, first: str, asked: dict[str, Any], between: Callable[[], Any]
) -> list[str]:
    """The names page by page; something happens after each."""
    api, seen = here.api("aria"), []
    body = api.get(first, asked | {"limit": 1}).json()
    while True:
        seen += [one["name"] for one in body["results"]]
        between()
        if not body["next"]:
            return seen
        body = api.get(body["next"]).json()


@pytest.mark.conformance("A09")
@pytest.mark.parametrize("topic", ["samba", "smb samba kernel"])
def test_pages_of_experts_repeat_and_skip_nobody(lasting_world: World, topic: str) -> None:
    here, aria, count = lasting_world.here, lasting_world.here.robot("aria"), iter(range(99))
    people = ["Ann", "Ben", "Cho", "Dan"]
    for n, name in enumerate(people):
        for line in range(n + 1):
            here.remember(aria, f"Samba kernel number {line} by {name}", group="launch",
                          speaker=f"irc:{name}")  # fmt: skip
    here.embed()

    def more() -> None:
        n = next(count)
        for name in (f"New{n}", "Ann"):
            here.remember(aria, f"Samba kernel {n} once more by {name}", group="launch",
                          speaker=f"irc:{name}")  # fmt: skip
        here.embed()

    seen = read_pages(here, EXPERTS, {"topic": topic, "group": "launch"}, more)
    assert sorted(seen) == people, "everybody once, and nobody who came later"


@pytest.mark.conformance("Z19")
def test_pages_of_relationships_repeat_and_skip_nothing(world: World) -> None:
    here, aria, count = world.here, world.here.robot("aria"), iter(range(99))
    for n, word in enumerate(("port", "cellar", "harbour")):
        for line in range(n + 1):
            here.remember(aria, f"Samba {word} {line}", group="launch", speaker="irc:ann")
    url = f"{ENTITIES}/{entity(here, 'samba')}/relationships"
    whole = [one["id"] for one in here.api("aria").get(url, {"limit": 200}).json()["results"]]

    def more() -> None:
        here.remember(aria, f"Samba port {next(count)} more", group="launch", speaker="irc:ben")

    api, seen = here.api("aria"), []
    body = api.get(url, {"limit": 1}).json()
    while True:
        seen += [one["id"] for one in body["results"]]
        more()
        if not body["next"]:
            break
        body = api.get(body["next"]).json()
    assert seen == whole


def test_a_cursor_of_another_list_is_none_of_these(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    for n in range(3):
        here.remember(here.robot("aria"), f"Samba {n} port", group="launch", speaker=f"irc:a{n}")
    lists = [
        (EXPERTS, {"topic": "samba"}),
        (f"{ENTITIES}/{entity(here, 'samba')}/relationships", {}),
        (ENTITIES, {}),
    ]
    cursors = []
    for url, asked in lists:
        link = api.get(url, asked | {"limit": 1}).json()["next"]
        cursors.append(link.split("cursor=")[1].split("&")[0])
    from urllib.parse import unquote

    for (url, asked), cursor in zip(lists[:2], (cursors[2], cursors[0]), strict=True):
        answer = api.get(url, asked | {"cursor": unquote(cursor)})
        assert answer.status_code in (200, 400)
    assert api.get(EXPERTS, {"topic": "samba", "cursor": unquote(cursors[2])}).status_code == 400
    assert api.get(EXPERTS, {"topic": "samba", "cursor": unquote(cursors[1])}).status_code == 400


def test_the_constants_of_the_rules() -> None:
    """Each is asserted where it works as well; here nobody changes one by accident."""
    assert (graph_projection.FACT_WEIGHT, graph_projection.KNOWLEDGE_WEIGHT) == (1.0, 0.5)
    assert (60, timedelta(minutes=15)) == (rules.LOOKBACK_TURNS, rules.LOOKBACK_TIME)
    assert (rules.MIN_ANSWER_CONCEPTS, rules.MAX_QUESTION_LINES, rules.MAX_CONCEPTS) == (2, 3, 24)
    assert (experts_experts.MAX_NEAREST, experts_experts.MIN_COSINE) == (40, 0.35)
    assert (DEFAULT_DEPTH, MAX_DEPTH, DEFAULT_LIMIT) == (2, 4, 100)


@pytest.mark.conformance("A10")
def test_the_score_of_a_walk_by_hand(world: World) -> None:
    """Samba is mentioned by one memory and known by one person, who said it."""
    here, bob = world.here, world.here.members["bob"].id
    id_ = here.remember(here.robot("aria"), "It is Samba!", group="launch", speaker=str(bob)).id
    start, two = 1 / (1 + log(1 + 2)), 1 + log(2)
    mentions, knows, said_it = 0.8 * 1 / 1.5 / two, 0.8 * 0.5 / 1 / two, 0.8 * 1 / 1.5 / two
    expected = start * (mentions + knows * said_it)
    with resolve_principal(here.person("bob")).scope():
        [one] = search_graph(here.id, "samba", now=NOW)
        [asked] = search_graph(here.id, "samba", now=NOW, asker=bob)
        [near] = walk_graph(
            here.id, [compute_node_id(here.id, "concept", "samba")], now=NOW, depth=1
        )
    assert (one.id, one.depth) == (id_, 1)
    assert one.score == pytest.approx(expected)
    assert asked.score == pytest.approx(1.25 * expected), "what the asker said comes earlier"
    assert near.score == pytest.approx(start * mentions)
