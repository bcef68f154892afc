"""Sharing a decision asks those who stand in it."""

from typing import Any

import pytest

from memories.access.consent import SharingOff
from memories.access.permissions import NotYours
from memories.curation.share import share_memory
from memories.privacy.opt_out import set_sharing
from tests.memories.curation.decisions.test_decisions import decide
from tests.world import NOW, World


def test_nobody_carries_a_decision_further_in_which_stands_who_opted_out(world: World) -> None:
    """As with what is about them: sharing looks again at who is named, also where it is theirs."""
    here, aria = world.here, world.here.robot("aria")
    mina = str(here.members["mina"].id)
    id_ = decide(aria, "Which hall", participants=(mina,), group="launch")
    set_sharing(here.person("mina"), out=True, now=NOW)
    wide: Any = {"visibility": "organisation", "readers": {}, "group": None, "now": NOW}
    for who in (aria, here.person("bob")):
        with pytest.raises((SharingOff, NotYours)):
            share_memory(who, id_, **wide)
    set_sharing(here.person("mina"), out=False, now=NOW)
    share_memory(aria, id_, **wide)
