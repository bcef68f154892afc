"""The ids of nodes are computed: equal for everybody, apart for every organisation and kind."""

from uuid import UUID

from memories.knowledge_graph.node_ids import (
    compute_node_id,
    compute_speaker_node_id,
    strip_platform,
)

HERE, THERE = UUID(int=1), UUID(int=2)


def test_an_id_depends_on_organisation_kind_and_key() -> None:
    # SHA-1 over sixteen bytes and "concept:samba", as version 5.
    assert compute_node_id(HERE, "concept", "samba") == UUID("f778c354-6821-5e72-9314-a0ea9332f97e")
    assert compute_node_id(HERE, "concept", "samba").version == 5
    assert len({compute_node_id(o, t, k) for o in (HERE, THERE) for t in "ab" for k in "cd"}) == 8


def test_a_speaker_is_known_by_the_plain_name() -> None:
    assert strip_platform(" irc:ann ") == "ann"
    assert strip_platform("re: that") == "re: that"
    assert strip_platform("x:ann") == "x:ann"
    assert compute_speaker_node_id(HERE, "irc:Ann  Lee") == compute_speaker_node_id(
        HERE, " ann lee "
    )
    assert compute_speaker_node_id(HERE, "a" * 200 + "b") == compute_speaker_node_id(
        HERE, "a" * 200
    )
    assert compute_speaker_node_id(HERE, "a" * 199 + "b") != compute_speaker_node_id(
        HERE, "a" * 199
    )
    assert compute_speaker_node_id(HERE, "ann") == compute_node_id(HERE, "speaker", "ann")
