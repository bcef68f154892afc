"""Which preferences every context has: one's own first, then the group's, then everyone's."""

from uuid import UUID

import pytest

from tests.memories.api.typed.test_preferences import put
from tests.memories.context.read_back import read_back
from tests.memories.context.test_context import cited, give_leave, got, note, said, section
from tests.world import Tenant


def everyones(here: Tenant, count: int, importance: float = 1.0, words: str = "") -> list[UUID]:
    return [
        note(here, "bolt", f"Rule {number} of the house. {words}", category="preference",
             importance=importance, visibility="organisation")
        for number in range(count)
    ]  # fmt: skip


def own(here: Tenant, text: str, importance: float = 0.85) -> UUID:
    return said(here, here.person("mina"), text, category="preference", importance=importance,
                visibility="private")  # fmt: skip


@pytest.mark.conformance("Z17")
@pytest.mark.parametrize(
    ("importance", "there"), [(None, False), (0.7, False), (0.8, False), (0.8001, True), (1, True)]
)
def test_only_above_eight_tenths_is_always_there(
    here: Tenant, importance: float | None, there: bool
) -> None:
    fields = {} if importance is None else {"importance": importance}
    wish = said(here, here.person("mina"), "Wants tea.", category="preference",
                visibility="private", **fields)  # fmt: skip
    give_leave(here)
    found = got(here, "aria", "quantum physics", member=str(here.members["mina"].id))
    assert cited(found, "preferences") == [str(wish)] * there


@pytest.mark.conformance("Z17")
def test_a_preference_of_the_api_is_no_more_than_one_by_default(here: Tenant) -> None:
    mina = here.browser("mina")
    made = put(mina, kind="preference", text="Wants tea.")
    assert made["importance"] == 0.7
    give_leave(here)
    who = str(here.members["mina"].id)
    assert cited(got(here, "aria", "quantum physics", member=who), "preferences") == []
    changed = mina.patch(f"/api/v1/preferences/{made['id']}", {"importance": 0.9}, format="json")
    assert changed.json()["importance"] == 0.9
    found = got(here, "aria", "quantum physics", member=who)
    assert cited(found, "preferences") == [made["id"]]


@pytest.mark.conformance("Z17")
def test_many_for_all_displace_none_of_ones_own(here: Tenant) -> None:
    mine = [own(here, f"Mina wants tea at {hour}.") for hour in (9, 10)]
    everyones(here, 7)
    give_leave(here)
    found = got(here, "aria", "quantum physics", member=str(here.members["mina"].id))
    there = cited(found, "preferences")
    assert there[:2] == [str(id_) for id_ in reversed(mine)]
    assert len(there) == 5


@pytest.mark.conformance("Z17")
def test_the_groups_come_between_ones_own_and_everyones(here: Tenant) -> None:
    mina = str(here.members["mina"].id)
    all_ = everyones(here, 3)
    group = [note(here, "aria", f"Rule {n} of the group.", category="preference",
                  importance=0.9 - n / 100, group="launch") for n in range(2)]  # fmt: skip
    mine = note(here, "aria", "Mina wants tea.", category="preference", importance=0.82,
                member=mina, group="launch", visibility="group")  # fmt: skip
    there = cited(got(here, "aria", member=mina, group="launch"), "preferences")
    assert there == [str(id_) for id_ in (mine, *group, all_[2], all_[1])]
    # Without a group nothing of one is there unless the asker reads it anyway.
    assert cited(got(here, "bolt"), "preferences") == [str(id_) for id_ in reversed(all_)]


@pytest.mark.conformance("Z17")
def test_what_others_wrote_about_me_for_all_displaces_nothing_that_is_mine(here: Tenant) -> None:
    mina = str(here.members["mina"].id)
    for number in range(6):
        note(here, "aria", f"Rum is wanted, says {number}.", category="preference", importance=1,
             member=mina, visibility="organisation")  # fmt: skip
    mine = own(here, "Mina wants tea.")
    give_leave(here)
    there = cited(got(here, "aria", member=mina), "preferences")
    assert there[0] == str(mine)
    assert len(there) == 5, "the others come after it"


@pytest.mark.conformance("Z17")
def test_what_a_robot_says_i_want_displaces_nothing_that_i_said_in_the_group(here: Tenant) -> None:
    """What is private stays out of a group, so there her own word is the one in the group."""
    mina = str(here.members["mina"].id)
    mine = said(here, here.person("mina"), "I want tea.", category="preference", importance=0.85,
                group="launch")  # fmt: skip
    for number in range(6):
        note(here, "aria", f"She wants rum, says {number}.", category="preference", importance=1,
             member=mina, group="launch", visibility="group")  # fmt: skip
    for who in ("aria", "mina"):
        client = here.browser("mina") if who == "mina" else here.api("aria")
        asked = {"query": "zebra", "group": "launch"} | ({"member": mina} if who == "aria" else {})
        found = client.post("/api/v1/context", asked, format="json").json()
        there = cited(found, "preferences")
        assert there[0] == str(mine), who
        assert len(there) == 5


@pytest.mark.conformance("Z17")
@pytest.mark.parametrize("budget", [220, 400, 1000])
def test_a_long_one_for_all_takes_no_room_of_mine(here: Tenant, budget: int) -> None:
    mine = own(here, "Mina wants tea.")
    everyones(here, 5, words="It is long. " * 900)
    give_leave(here)
    found = got(here, "aria", "zebra", member=str(here.members["mina"].id), max_tokens=budget)
    assert cited(found, "preferences")[0] == str(mine)
    assert read_back(found["text"]).sections["Preferences"][0].lines == ["Mina wants tea."]


def test_a_long_one_of_mine_does_not_empty_the_section(here: Tenant) -> None:
    mine = own(here, "Mina wants tea. " * 300)
    give_leave(here)
    found = got(here, "aria", "zebra", member=str(here.members["mina"].id), max_tokens=300)
    assert cited(found, "preferences") == [str(mine)]
    assert section(found, "preferences")["tokens"] <= 300 * 0.2
