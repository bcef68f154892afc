"""Who knows what, and what is found along the graph; only by what the asker may read."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from memories.knowledge_graph.models import Edge
from memories.knowledge_graph.node_ids import compute_node_id
from memories.lifecycle.forget import archive_memory
from memories.retrieval.candidates.graph_walk import GraphHit, search_graph, walk_graph
from memories.retrieval.experts.rank_experts import list_topics, rank_experts
from orgs.database.rls import organisation_scope
from orgs.models.memberships import Member
from orgs.models.organisations import GroupMembership
from orgs.organisations.groups import add_to_group
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from tests.memories.knowledge_graph.test_write_graph import member, said
from tests.world import NOW, Tenant, World


def who(
    here: Tenant, asker: Actor, topic: str, group: str | None = None
) -> list[tuple[str, float]]:
    principal = resolve_principal(resolve_actor(asker, group=group) if group else asker)
    of = here.groups[group].id if group else None
    return [
        (one.name, one.weight)
        for one in rank_experts(principal, topic=topic, group=of, now=NOW)
        if one.by == "words"
    ]


def test_who_is_said_to_know_is_the_expert_and_not_who_says_so(world: World) -> None:
    here, aria, mina = world.here, world.here.robot("aria"), member(world.here, "mina")
    bob = here.members["bob"].name
    for line in (
        f"{bob} knows the Samba server best.",
        "Ask Marek about the Nagios setup.",
        "He knows the Jenkins setup best.",
        "The Grafana board is slow. Zorblax maintains the Grafana board.",
    ):
        here.remember(aria, line, group="launch", speaker=mina)
    assert who(here, aria, "samba", "launch") == [(bob, 0.5)]
    assert who(here, aria, "nagios", "launch") == [("Marek", 0.5)]
    assert who(here, aria, "jenkins", "launch") == []
    assert who(here, aria, "grafana", "launch") == [("Mina", 0.5)], "no name of a person"


@pytest.mark.conformance("T28")
def test_nobody_makes_a_member_an_expert_by_a_name_that_they_write(world: World) -> None:
    here, bolt, mina = world.here, world.here.robot("bolt"), member(world.here, "mina")
    here.remember(bolt, "Bob knows the Redis cluster best.")
    here.remember(bolt, "Bob knows the Redis cluster best.", visibility="internal")
    here.remember(
        here.robot("aria"), "Chidi maintains the Vault keys.", group="launch", speaker=mina
    )
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members["bob"].id).update(sharing_off_at=NOW)
    here.remember(here.robot("aria"), "Bob maintains the Nginx box.", group="launch", speaker=mina)
    asker = resolve_principal(here.robot("aria"))
    for topic in ("redis", "vault", "nginx"):
        found = rank_experts(asker, topic=topic, group=None, now=NOW)
        ids = {one.member for one in found}
        assert not ids & {here.members[name].id for name in ("bob", "chidi")}, topic


@pytest.mark.conformance("A09")
def test_experts_are_ranked_by_what_the_asker_may_read(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    with organisation_scope(here.id):
        add_to_group(
            organisation_id=here.id,
            group_id=here.groups["launch"].id,
            member_ids=[here.members["vera"].id],
        )
    here.remember(aria, "Samba ports are open", group="launch", speaker=member(here, "mina"))
    for line in (
        "Samba speaks SMB3",
        "Samba maps users",
        "Samba logs",
        "Samba shares",
        "Samba mounts",
    ):
        here.remember(aria, f"{line} indeed", group="launch", speaker=member(here, "bob"))
    # Of another group alone, and one who asks.
    clio = here.robot("clio")
    here.remember(clio, "Samba in design", group="design", speaker=member(here, "mina"))
    here.remember(aria, "Is Samba hard?", group="launch", speaker=member(here, "vera"))
    assert who(here, aria, "samba", "launch") == [("Bob", 2.5), ("Mina", 0.5)]
    assert who(here, here.person("bob"), "Samba") == [("Bob", 2.5), ("Mina", 0.5)]
    assert who(here, here.person("mina"), "samba") == [("Bob", 2.5), ("Mina", 1.0)]
    assert who(here, clio, "samba", "design") == [("Mina", 0.5)], "Bob is not of that group"
    assert who(here, here.person("ada"), "samba") == [], "no evidence to read, no expert"
    assert who(here, aria, "the", "launch") == []


@pytest.mark.conformance("A09")
def test_equal_weights_are_ordered_by_count_then_id(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    for name in ("bob", "mina"):
        here.remember(aria, f"Kafka topics by {name}", group="launch", speaker=member(here, name))
    found = rank_experts(resolve_principal(aria), topic="kafka", now=NOW)
    assert [one.node for one in found] == sorted(one.node for one in found)


def test_a_topic_of_two_words_is_known_where_both_are(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    bob, mina = member(here, "bob"), member(here, "mina")
    here.remember(aria, "The graphics driver is in restricted modules", group="launch", speaker=bob)
    for line in ("The bus driver is late", "A driver brings the pumps"):
        here.remember(aria, line, group="launch", speaker=mina)
    assert who(here, aria, "graphics drivers", "launch") == [("Bob", 1.0)]
    assert who(here, aria, "driver", "launch") == [("Mina", 1.0), ("Bob", 0.5)]
    with resolve_principal(aria).scope():
        found = list_topics(resolve_principal(aria), now=NOW)
    assert "driver" in found


def test_topics_in_another_script(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "数据库的备份在周五", group="launch", speaker=member(here, "bob"))
    assert who(here, aria, "数据库备份", "launch") == [("Bob", 1.5)]


def _reached(here: Tenant, text: str, **how: int) -> dict[UUID, GraphHit]:
    principal = resolve_principal(here.person("mina"))
    with principal.scope():
        found = search_graph(here.id, text, now=NOW, asker=here.members["mina"].id, **how)
    return {one.id: one for one in found}


@pytest.mark.conformance("A10", "A11")
def test_a_memory_two_steps_away_is_found_without_a_shared_word(world: World) -> None:
    here = world.here
    question, answer, other = said(
        here,
        {"content": "how do I share a printer?", "external_id": "1", "speaker": "irc:ann"},
        {"content": "put it into smb.conf", "speaker": "irc:ben", "reply_to": "1"},
        {"content": "lunch is at the harbour", "speaker": "irc:cho"},
    )
    near, far = _reached(here, "printer", depth=1), _reached(here, "printer", depth=2)
    assert question in near
    assert answer not in near
    assert far[answer].depth == 2
    assert far[question].score > far[answer].score
    assert other not in far
    assert _reached(here, "nothing") == {}
    with resolve_principal(here.person("ada")).scope():
        assert search_graph(here.id, "printer", now=NOW) == []


@pytest.mark.conformance("A11")
def test_a_cycle_ends(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    ids = [here.remember(aria, f"Note {n}", group="launch").id for n in range(3)]
    with resolve_principal(aria).scope():
        row = Edge.objects.filter(memory_id__in=ids).first()
        assert row is None
        from memories.store.models.memory import Memory

        rows = Memory.objects.in_bulk(ids)
        for one, other in zip(ids, [*ids[1:], ids[0]], strict=True):
            Edge(
                organisation_id=here.id, memory_id=one, audience_id=rows[one].audience_id,
                kind=rows[one].kind, relation="supports", source=one, target=other, other_id=other,
                weight=1.0, observed_at=NOW,
            ).save(force_insert=True)  # fmt: skip
        found = walk_graph(here.id, [ids[0]], now=NOW, depth=4)
        assert {one.id for one in found} == set(ids[1:])
        assert {one.id for one in walk_graph(here.id, [ids[0]], now=NOW, depth=0)} == set()


@pytest.mark.conformance("A10")
def test_those_who_know_lead_to_what_they_said(world: World) -> None:
    here = world.here
    first, second = said(
        here,
        {"content": "samba wants port 445 open", "speaker": "irc:ben"},
        {"content": "firewalls block netbios by default", "speaker": "irc:ben"},
    )
    found = _reached(here, "samba")
    assert found[first].depth == 1
    assert found[second].depth == 2, "ben knows about samba and said this"
    assert compute_node_id(here.id, "concept", "samba")


@pytest.mark.conformance("A09")
def test_evidence_counts_while_it_holds_and_nowhere_else(world: World) -> None:
    """Neither archived, nor past its end, nor said to a robot alone counts for a group."""
    here, aria, bob = world.here, world.here.robot("aria"), member(world.here, "bob")
    archived = here.remember(aria, "Zfs scrubs disks", group="launch", speaker=bob).id
    end = NOW + timedelta(days=1)
    here.remember(aria, "Btrfs scrubs disks", group="launch", speaker=bob, expires_at=end)

    def known(topic: str, now: datetime = NOW) -> list[float]:
        asker = resolve_principal(resolve_actor(aria, group="launch"))
        found = rank_experts(asker, topic=topic, group=here.groups["launch"].id, now=now)
        return [one.weight for one in found if one.by == "words"]

    assert known("zfs") == known("btrfs") == [0.5]
    archive_memory(aria, archived, now=NOW)
    assert known("zfs") == []
    assert known("btrfs", end - timedelta(seconds=1)) == [0.5]
    assert known("btrfs", end + timedelta(seconds=1)) == []


@pytest.mark.conformance("A09")
def test_who_left_a_group_is_named_no_more_when_it_asks(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    here.remember(aria, "Samba maps users", group="launch", speaker=member(here, "bob"))
    here.remember(aria, "Samba wants port 445", group="launch", speaker="irc:cho")
    assert {name for name, _ in who(here, aria, "samba", "launch")} == {"Bob", "cho"}
    with organisation_scope(here.id):
        GroupMembership.objects.filter(member=here.members["bob"]).delete()
    assert [name for name, _ in who(here, aria, "samba", "launch")] == ["cho"]


@pytest.mark.conformance("A09")
def test_a_group_is_told_no_expert_by_what_was_said_between_two(world: World) -> None:
    """A person who asks in a group reads more than the group does; the answer is for the group."""
    here = world.here
    bob = here.person("bob")
    own = member(here, "bob")
    here.remember(bob, "Nilfs keeps snapshots", visibility="private", speaker=own)
    here.remember(here.robot("aria"), "Jffs keeps logs", group="launch", speaker=own)
    here.remember(here.robot("clio"), "Ubifs keeps logs", group="design",
                  speaker=member(here, "mina"))  # fmt: skip
    launch = here.groups["launch"].id

    def known(who_asks: Actor, topic: str, group: UUID | None) -> list[str]:
        found = rank_experts(resolve_principal(who_asks), topic=topic, group=group, now=NOW)
        return [one.name for one in found if one.by == "words"]

    assert known(bob, "nilfs", None) == ["Bob"]
    assert known(bob, "nilfs", launch) == []
    assert known(bob, "jffs", launch) == ["Bob"]
    mina = here.person("mina")
    assert known(mina, "ubifs", None) == ["Mina"]
    assert known(mina, "ubifs", launch) == [], "it was said in another group"
