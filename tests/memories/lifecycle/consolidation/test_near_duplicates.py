"""Near-duplicates inside one audience become items; private ones are their owner's alone."""

import pytest

from memories.curation import decide
from memories.curation.decide import ReviewAnswer
from memories.curation.undo import undo
from memories.store.models.memory import Memory
from orgs.principals import resolve
from tests.memories.curation.test_decide import waiting
from tests.world import NOW, World

FIRST = "Invoices above 5,000 euros need a second signature."
SECOND = "Invoices above 5,000 euros need the second signature."


@pytest.mark.conformance("W05")
def test_twins_go_to_whom_they_belong_and_are_merged_or_kept(lasting_world: World) -> None:
    here = lasting_world.here
    bolt, mina = here.robot("bolt"), here.person("mina")
    older = here.remember(bolt, FIRST).id
    here.remember(mina, FIRST, visibility="private")
    here.remember(here.robot("aria"), FIRST, group="launch", conversation="monday")
    here.remember(bolt, "The office closes at six.")
    here.embed()
    newer = here.remember(bolt, SECOND).id
    here.remember(mina, SECOND, visibility="private")
    here.remember(here.robot("aria"), SECOND, group="launch", conversation="monday")
    here.embed()
    item, *others = waiting(here.person("chidi"))
    assert (item.cause, item.memory_id, item.other_id, others) == ("duplicate", newer, older, [])
    own, *others = waiting(mina)
    assert (own.memory.audience.kind, others) == ("member", [])
    assert waiting(here.person("bob")) == []

    done = decide.merge(
        here.person("chidi"), item.id, ReviewAnswer(version=1, into_version=1), now=NOW
    )
    assert done.state == "merged"
    with resolve(here.person("bob")).scope():
        kept = dict(Memory.objects.values_list("id", "status"))
    assert (kept[older], kept[newer]) == ("active", "archived")
    undo(here.person("chidi"), item.id, now=NOW)
    decide.reject(here.person("chidi"), item.id, ReviewAnswer(), now=NOW)
    here.embed()
    assert waiting(here.person("chidi")) == []
    decide.reject(mina, own.id, ReviewAnswer(), now=NOW)
