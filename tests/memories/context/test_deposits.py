"""What a robot left with a member who did not write it says so, and for whom it is."""

from typing import Any

import pytest

from tests.memories.context.read_back import ReadEntry, read_back
from tests.memories.context.test_context import URL, got, note, said
from tests.world import Tenant


def heads(found: Any) -> dict[str, str]:
    """The heads of the entries without their dates, by their text."""
    entries: list[ReadEntry] = read_back(found["text"]).sections["Memories"]
    return {one.lines[0]: one.head.partition(", ")[2] for one in entries}


@pytest.mark.conformance("T28")
def test_a_deposit_says_whose_it_is(here: Tenant) -> None:
    mina, aria = here.members["mina"], here.robots["aria"].name
    left = note(here, "aria", "The launch frightens her.", member=str(mina.id),
                visibility="private")  # fmt: skip
    kept = note(here, "aria", "The launch is hers.", member=str(mina.id), visibility="protected")
    told = note(here, "aria", "The launch is mine.", member=str(mina.id), speaker=str(mina.id),
                visibility="protected")  # fmt: skip
    mine = said(here, here.person("mina"), "The launch is fun.", visibility="private")
    ours = note(here, "aria", "The launch is near.", member=str(mina.id), visibility="organisation")
    body = {"query": "the launch", "min_strength": 0}
    found = here.browser("mina").post(URL, body, format="json").json()
    assert heads(found) == {
        "The launch frightens her.": f"robot {aria}, for Mina",
        "The launch is hers.": f"robot {aria}, for Mina",
        "The launch is mine.": "Mina",
        "The launch is fun.": "Mina",
        "The launch is near.": f"robot {aria}",
    }
    cited = {one["id"]: one["details"] for one in found["citations"] if one["type"] == "memory"}
    person = {"id": str(mina.id), "name": "Mina"}
    assert {id_: one["deposit_for"] for id_, one in cited.items()} == {
        str(left): person, str(kept): person, str(told): None, str(mine): None, str(ours): None,
    }  # fmt: skip
    assert cited[str(told)]["asserted_by"] == "robot"
    assert cited[str(mine)]["asserted_by"] == "self"


@pytest.mark.conformance("T28")
def test_words_that_another_changed_are_not_the_speakers(here: Tenant) -> None:
    mina = here.members["mina"]
    made = note(here, "aria", "The launch is on Monday.", speaker=str(mina.id), group="launch")
    answer = here.api("aria").patch(
        f"/api/v1/memories/{made}", {"content": "The launch is off."}, format="json"
    )
    assert answer.status_code == 200, answer.json()
    here.read()
    aria = here.robots["aria"].name
    found = heads(got(here, "aria", group="launch"))
    assert found == {"The launch is off.": f"Mina, reworded by {aria}"}
