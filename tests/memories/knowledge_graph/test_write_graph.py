"""What memories show about who knows what, and for how long."""

from typing import Any
from uuid import UUID

import pytest
from django.db.models import Sum

from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.indexing.models import Embedding
from memories.indexing.organisation_indexes import disable_projection, enable_projection
from memories.knowledge_graph.models import Edge, Entity, Observation
from memories.knowledge_graph.node_ids import compute_node_id, compute_speaker_node_id
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.store.models.memory import Memory
from orgs.principals import Actor, resolve_principal
from robots.conversations.conversations import ensure_conversation
from robots.conversations.message_types import NewMessage
from robots.conversations.post_messages import post_messages
from tests.world import NOW, Tenant, World


def edges(who: Actor, **wanted: Any) -> list[tuple[str, UUID, UUID]]:
    """(relation, source, target) that the asker sees, in the order of the words."""
    with resolve_principal(who).scope():
        rows = Observation.objects.filter(**wanted).values_list("relation", "source", "target")
        return sorted(rows, key=str)


def said(here: Tenant, *lines: dict[str, Any], chat: str = "irc") -> list[UUID]:
    """Post the lines in #launch; the memories that they became, in order."""
    aria = here.robot("aria")
    found, _ = ensure_conversation(aria, {"group": "launch", "external_id": chat}, now=NOW)
    kept = post_messages(aria, found.id, [NewMessage(**line) for line in lines], now=NOW)
    here.read()
    return [one.promoted.memory for one in kept]  # type: ignore[union-attr,misc]


def member(here: Tenant, name: str) -> str:
    return str(here.members[name].id)


@pytest.mark.conformance("A06")
def test_one_message_with_one_concept_is_three_nodes(lasting_world: World) -> None:
    here = lasting_world.here
    given = {"metadata": {"ticket": [7]}, "speaker": member(here, "bob")}
    id_ = here.remember(here.robot("aria"), "Samba!", group="launch", **given).id
    here.embed()
    with resolve_principal(here.person("mina")).scope():
        rows = list(Observation.objects.all())
        nodes = {one for row in rows for one in (row.source, row.target)}
        concept = Entity.objects.get()
        # The node of the message has what its memory has: properties and a vector.
        assert Memory.objects.get(id=id_).metadata == {"ticket": [7]}
        assert len(Embedding.objects.get(memory_id=id_).own) == 384
    assert nodes == {here.members["bob"].id, id_, concept.node}
    assert (concept.type, concept.key, concept.name) == ("concept", "samba", "Samba")
    assert concept.node == compute_node_id(here.id, "concept", "samba")


@pytest.mark.conformance("A07")
def test_a_reply_says_replies_mentions_and_knows(world: World) -> None:
    here = world.here
    mina, bob = here.members["mina"].id, here.members["bob"].id
    question, answer = said(
        here,
        {"content": "how do I share a printer?", "external_id": "1", "speaker": str(mina)},
        {
            "content": "put it into smb.conf",
            "external_id": "2",
            "speaker": str(bob),
            "mentions": (str(mina),),
            "reply_to": "1",
        },
    )
    printer, conf = (compute_node_id(here.id, "concept", key) for key in ("printer", "smb.conf"))
    assert {
        ("said", bob, answer),
        ("replied_to", answer, question),
        ("mentions", answer, mina),
        ("mentions", answer, conf),
        ("knows_about", bob, conf),
        ("knows_about", bob, printer),
    } <= set(edges(here.person("bob")))
    assert not [e for e in edges(here.person("bob"), relation="knows_about") if e[1] == mina], (
        "who asks shows no knowledge"
    )
    with resolve_principal(here.person("bob")).scope():
        lent = Edge.objects.get(relation="knows_about", target=printer)
        assert (lent.weight, lent.other_id, lent.inferred) == (0.5, question, True)
        assert Edge.objects.get(relation="said", source=bob).observed_at == NOW


@pytest.mark.conformance("A08")
def test_an_edge_weighs_what_the_asker_may_read_of_it(world: World) -> None:
    here, bob = world.here, world.here.members["bob"].id
    aria = here.robot("aria")
    here.remember(aria, "Samba shares printers", visibility="organisation", speaker=str(bob))
    here.remember(aria, "Samba needs port 445", group="launch", speaker=str(bob))
    here.remember(aria, "Samba logs by machine", group="launch", speaker=str(bob))
    samba = compute_node_id(here.id, "concept", "samba")
    for who, weight, rows in (("mina", 1.5, 3), ("vera", 0.5, 1)):
        with resolve_principal(here.person(who)).scope():
            found = Edge.objects.filter(relation="knows_about", source=bob, target=samba)
            assert (found.aggregate(w=Sum("weight"))["w"], found.count()) == (weight, rows)


@pytest.mark.conformance("H33")
def test_memories_with_like_tags_are_related_within_one_audience(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    of = {
        "Pump notes one": ("pump", "water", "north"),
        "Pump notes two": ("pump", "water"),
        "Cable notes": ("cable",),
        "Pump notes three": ("pump", *(f"t{n}" for n in range(12))),
    }
    ids = {
        text: here.remember(aria, text, group="launch", tags=tags).id for text, tags in of.items()
    }
    here.remember(aria, "Pump notes elsewhere", group="design", tags=("pump", "water"))
    with resolve_principal(aria).scope():
        found = {
            frozenset((e.source, e.target)): round(e.weight, 3)
            for e in Edge.objects.filter(relation="related_to")
        }
    one, two = ids["Pump notes one"], ids["Pump notes two"]
    assert found == {frozenset((one, two)): 0.667}, "1 of 14 in common is too little"
    edit_memory(aria, one, {"tags": ["cable"]}, now=NOW)
    with resolve_principal(aria).scope():
        pairs = {
            frozenset((e.source, e.target)) for e in Edge.objects.filter(relation="related_to")
        }
    assert pairs == {frozenset((one, ids["Cable notes"]))}, "other tags, other likeness"


@pytest.mark.conformance("H33")
@pytest.mark.parametrize(("others", "weight"), [(9, 0.1), (10, None)])
def test_a_tenth_in_common_is_enough(world: World, others: int, weight: float | None) -> None:
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "Pump notes", tags=("pump",))
    here.remember(aria, "More notes", tags=("pump", *(f"t{n}" for n in range(others))))
    with resolve_principal(aria).scope():
        found = list(Edge.objects.filter(relation="related_to").values_list("weight", flat=True))
    assert found == ([pytest.approx(weight)] if weight else [])


@pytest.mark.conformance("H33")
def test_at_most_fifty_are_related_to_one_memory(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    first = here.remember(aria, "The first note", group="launch", tags=("pump",)).id
    from memories.ingestion.drafts import Draft
    from memories.ingestion.remember import remember_many

    more = [Draft(content=f"Note {n}", group="launch", tags=("pump",)) for n in range(60)]
    remember_many(aria, more, now=NOW)
    here.remember(aria, "The last note", group="launch", tags=("pump",))
    with resolve_principal(aria).scope():
        rows = list(Edge.objects.filter(relation="related_to").values_list("source", "target"))
    degree: dict[UUID, int] = {}
    for pair in rows:
        for one in pair:
            degree[one] = degree.get(one, 0) + 1
    assert max(degree.values()) == 50
    assert first in degree
    assert all(a != b for a, b in rows)


def test_speakers_without_a_member_and_answers_that_quote_nothing(world: World) -> None:
    here = world.here
    question, more, answer, chat = said(
        here,
        {"content": "how can I make the gateway permanent?", "speaker": "irc:mlopes"},
        {"content": "my gateway is on eth0", "speaker": "irc:mlopes"},
        {"content": "mlopes: edit /etc/network/interfaces", "speaker": "irc:jeansch"},
        {"content": "jeansch: gateway works now, perfect router", "speaker": "irc:mlopes"},
    )
    asker, helper = (compute_speaker_node_id(here.id, name) for name in ("mlopes", "jeansch"))
    found = edges(here.person("bob"))
    gateway = compute_node_id(here.id, "concept", "gateway")
    assert ("knows_about", helper, gateway) in found
    assert ("knows_about", asker, gateway) not in found
    assert ("replied_to", answer, question) in found
    assert ("mentions", answer, asker) in found
    assert ("said", asker, chat) in found
    assert more


def test_a_graph_lives_as_long_as_its_memory_is_found(world: World) -> None:
    here = world.here
    mina, bob = member(here, "mina"), here.person("bob")
    question, answer = said(
        here,
        {"content": "how do I share a printer?", "external_id": "1", "speaker": mina},
        {
            "content": "put it into smb.conf",
            "external_id": "2",
            "speaker": member(here, "bob"),
            "reply_to": "1",
        },
    )
    before = edges(bob)
    forget_memory(here.person("mina"), question, now=NOW)
    left = edges(bob)
    assert left
    assert not [
        e for e in left if question in e or compute_node_id(here.id, "concept", "printer") in e
    ]
    restore_memory(here.person("mina"), question, now=NOW)
    here.read()
    assert edges(bob) == before
    share_memory(
        bob, answer, visibility="shared", readers={"members": (mina,)}, group=None, now=NOW
    )
    here.read()
    with resolve_principal(here.robot("aria")).scope():
        assert not Edge.objects.filter(memory_id=answer).exists()
        assert Memory.objects.filter(id=question).exists()
    assert edges(here.person("mina"), memory_id=answer)


def test_what_is_answered_may_come_after_the_answer(world: World) -> None:
    here = world.here
    answer = {"content": "put it into smb.conf", "speaker": "irc:ann", "reply_to": "1"}
    (late,) = said(here, answer)
    (question,) = said(
        here, {"content": "how do I share a printer?", "external_id": "1", "speaker": "irc:ben"}
    )
    found = edges(here.person("bob"))
    assert ("replied_to", late, question) in found
    assert (
        "knows_about",
        compute_speaker_node_id(here.id, "ann"),
        compute_node_id(here.id, "concept", "printer"),
    ) in (found)


def test_the_graph_is_made_anew_from_the_memories(world: World) -> None:
    here = world.here
    said(
        here,
        {"content": "how do I share a printer?", "external_id": "1", "speaker": "irc:ann"},
        {"content": "put it into smb.conf", "speaker": "irc:ben", "reply_to": "1"},
        {"content": "ann: printers need cups", "speaker": "irc:cho"},
    )
    aria = here.robot("aria")
    for n in range(2):
        here.remember(aria, f"Pump note {n}", group="launch", tags=("pump",))
    before = edges(here.person("bob"))
    assert {e[0] for e in before} >= {"said", "replied_to", "knows_about", "related_to"}
    disable_projection(here.id, "graph")
    assert edges(here.person("bob")) == []
    here.remember(aria, "The valve came while it was off", group="launch")
    assert edges(here.person("bob")) == []
    assert enable_projection(here.id, "graph") == 6
    after = edges(here.person("bob"))
    assert set(before) < set(after)
    enable_projection(here.id, "graph")
    assert edges(here.person("bob")) == after
