"""Two entries of a persona that contradict each other are shown to who curates."""

import pytest

from memories.curation import review_decisions
from memories.curation.review_decisions import ReviewDecision
from memories.review.models import ProposalCause
from orgs.errors import NotFoundError
from tests.memories.curation.test_decide import waiting
from tests.personas.persona_helpers import (
    QSR,
    all_memories,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, World

OLD = "They compare sites within 14 days of a visit."
NEW = "They compare sites within 30 days of a visit."


@pytest.mark.conformance("P25")
def test_the_older_one_gives_way_and_both_are_kept(lasting_world: World) -> None:
    here = lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name)
    [older] = make_entries(here, "mina", OLD)
    here.embed()
    [newer] = make_entries(here, "bob", NEW)
    here.embed()
    chidi, bob = here.person("chidi"), make_owner_actor(here, "bob")
    [item] = [one for one in waiting(chidi) if one.cause == ProposalCause.CONTRADICTION]
    assert (item.memory_id, item.other_id) == (newer, older)
    assert {one.text for one in get_block_by_label(bob).entries} == {OLD, NEW}, (
        "until somebody has decided"
    )

    # Who has the persona reads both, and decides nothing.
    answer = ReviewDecision(version=1, into_version=1)
    assert waiting(here.person("bob")) == []
    with pytest.raises(NotFoundError):
        review_decisions.approve_item(here.person("bob"), item.id, answer, now=NOW)
    review_decisions.approve_item(chidi, item.id, answer, now=NOW)
    assert [one.text for one in get_block_by_label(bob).entries] == [NEW]
    row = all_memories(here)[older]
    assert (row.status, row.superseded_by_id, row.content) == ("active", newer, OLD)
    assert row.valid_until is not None
    assert get_block_by_label(bob, f"{QSR}_service_experience").version == 3
