"""The ids of nodes are computed: equal for everybody, apart for every organisation and kind."""

from uuid import UUID

from memories.knowledge_graph.node_ids import node_of, plain_name, speaker_node

HERE, THERE = UUID(int=1), UUID(int=2)


def test_an_id_depends_on_organisation_kind_and_key() -> None:
    # SHA-1 over sixteen bytes and "concept:samba", as version 5.
    assert node_of(HERE, "concept", "samba") == UUID("f778c354-6821-5e72-9314-a0ea9332f97e")
    assert node_of(HERE, "concept", "samba").version == 5
    assert len({node_of(o, t, k) for o in (HERE, THERE) for t in "ab" for k in "cd"}) == 8


def test_a_speaker_is_known_by_the_plain_name() -> None:
    assert plain_name(" irc:ann ") == "ann"
    assert plain_name("re: that") == "re: that"
    assert plain_name("x:ann") == "x:ann"
    assert speaker_node(HERE, "irc:Ann  Lee") == speaker_node(HERE, " ann lee ")
    assert speaker_node(HERE, "a" * 200 + "b") == speaker_node(HERE, "a" * 200)
    assert speaker_node(HERE, "a" * 199 + "b") != speaker_node(HERE, "a" * 199)
    assert speaker_node(HERE, "ann") == node_of(HERE, "speaker", "ann")
