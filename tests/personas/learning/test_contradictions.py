"""Two entries of a persona that contradict each other are shown to who curates."""

import pytest

from memories.curation import decide
from memories.curation.decide import ReviewAnswer
from memories.review.models import Cause
from orgs.errors import NotFound
from tests.memories.curation.test_decide import waiting
from tests.personas.cast import QSR, block, give, learn, memories, serving
from tests.world import NOW, World

OLD = "They compare sites within 14 days of a visit."
NEW = "They compare sites within 30 days of a visit."


@pytest.mark.conformance("P25")
def test_the_older_one_gives_way_and_both_are_kept(lasting_world: World) -> None:
    here = lasting_world.here
    for name in ("mina", "bob"):
        give(here, name)
    [older] = learn(here, "mina", OLD)
    here.embed()
    [newer] = learn(here, "bob", NEW)
    here.embed()
    chidi, bob = here.person("chidi"), serving(here, "bob")
    [item] = [one for one in waiting(chidi) if one.cause == Cause.CONTRADICTION]
    assert (item.memory_id, item.other_id) == (newer, older)
    assert {one.text for one in block(bob).entries} == {OLD, NEW}, "until somebody has decided"

    # Who has the persona reads both, and decides nothing.
    answer = ReviewAnswer(version=1, into_version=1)
    assert waiting(here.person("bob")) == []
    with pytest.raises(NotFound):
        decide.approve(here.person("bob"), item.id, answer, now=NOW)
    decide.approve(chidi, item.id, answer, now=NOW)
    assert [one.text for one in block(bob).entries] == [NEW]
    row = memories(here)[older]
    assert (row.status, row.superseded_by_id, row.content) == ("active", newer, OLD)
    assert row.valid_until is not None
    assert block(bob, f"{QSR}_service_experience").version == 3
