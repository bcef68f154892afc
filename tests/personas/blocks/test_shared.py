"""A persona's block: one for all of its robots."""

from personas.block_writes.block_updates import WriteOptions, add_entry
from tests.personas.persona_helpers import (
    QSR,
    block_labels,
    get_block_by_label,
    make_association,
    make_owner_actor,
)
from tests.world import NOW, World

LESSON = "QSR real estate users check places first, then visits, then cannibalisation."


def test_what_one_robot_teaches_the_others_read(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    mina, bob = make_owner_actor(here, "mina"), make_owner_actor(here, "bob")
    shared = get_block_by_label(mina)
    assert shared.block.id == get_block_by_label(bob).block.id
    assert shared.text == f"No experience of serving {QSR} users has been gained yet."
    made = add_entry(mina, shared.block.id, LESSON, wanted=WriteOptions(), now=NOW)
    assert made.entry
    assert made.entry.status == "active"
    assert [one.text for one in get_block_by_label(bob).entries] == [LESSON]
    assert get_block_by_label(bob).version == 1
    assert f"{QSR}_service_experience" not in block_labels(make_owner_actor(here, "ada"))
