"""A persona's block: one for all of its robots."""

from personas.block_writes.write import Wanted, add_entry
from tests.personas.cast import QSR, block, give, labels, serving
from tests.world import NOW, World

LESSON = "QSR real estate users check places first, then visits, then cannibalisation."


def test_what_one_robot_teaches_the_others_read(world: World) -> None:
    here = world.here
    for name in ("mina", "bob"):
        give(here, name)
    mina, bob = serving(here, "mina"), serving(here, "bob")
    shared = block(mina)
    assert shared.block.id == block(bob).block.id
    assert shared.text == f"No experience of serving {QSR} users has been gained yet."
    made = add_entry(mina, shared.block.id, LESSON, wanted=Wanted(), now=NOW)
    assert made.entry
    assert made.entry.status == "active"
    assert [one.text for one in block(bob).entries] == [LESSON]
    assert block(bob).version == 1
    assert f"{QSR}_service_experience" not in labels(serving(here, "ada"))
