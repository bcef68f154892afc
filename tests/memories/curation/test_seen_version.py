"""Nobody publishes, corrects or merges what they have not read."""

from typing import Any

import pytest

from memories.curation.edit_memory import edit_memory
from memories.review.propose import propose_correction, report_memory
from tests.memories.curation.test_decide import found, memory, propose, waiting
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, World


@pytest.mark.parametrize("action", ["approve", "merge"])
def test_a_decision_names_the_versions_that_were_read(world: World, action: str) -> None:
    here = world.here
    known = here.remember(here.robot("bolt"), "The office closes at 18:00.").id
    item = propose(here)
    url = f"/api/v1/proposals/{item.id}/decision"
    into: dict[str, Any] = {"into": str(known)} if action == "merge" else {}
    chidi = here.browser("chidi")

    def decide(**versions: int) -> tuple[int, str]:
        answer = chidi.post(url, {"action": action, **into, **versions}, format="json")
        return answer.status_code, answer.json().get("type", "").rpartition(":")[2]

    both = {"version": 1, "into_version": 1} if into else {"version": 1}
    for missing in both:
        rest = {name: value for name, value in both.items() if name != missing}
        assert decide(**rest) == (400, "version-needed"), missing
    edit_memory(here.person("bob"), item.memory_id, {"content": "It closes at nine."}, now=NOW)
    assert decide(**both) == (409, "outdated")
    assert found(here, "mina") == ["The office closes at 18:00."]
    assert decide(**both | {"version": 2})[0] == 200


@pytest.mark.parametrize("cause", ["correction", "report"])
def test_so_do_corrections_and_reports(world: World, cause: str) -> None:
    here, mina = world.here, world.here.person("mina")
    shared = here.remember(here.robot("bolt"), "The office closes at 18:00.").id
    if cause == "report":
        item = report_memory(mina, shared, reason="No.", now=NOW)
    else:
        item = propose_correction(mina, shared, content="It closes at nine.", now=NOW)
    url = f"/api/v1/proposals/{item.id}/decision"
    for sent in ({"action": "approve"}, {"action": "approve", "content": "At ten."}):
        assert here.browser("chidi").post(url, sent, format="json").status_code == 400
    assert memory(here, "chidi", shared).version == 1
    # To leave everything as it is needs no reading.
    sent = {"action": "reject", "reason": "Kept."}
    assert here.browser("chidi").post(url, sent, format="json").status_code == 200


def test_a_page_without_the_version_decides_nothing(world: World) -> None:
    here = world.here
    known = here.remember(here.robot("bolt"), "The office closes at 18:00.").id
    item, chidi = propose(here), make_signed_in_client(here, "chidi")
    for step, sent in {
        "approve": {},
        "edit": {"content": "At ten."},
        "merge": {"into": str(known), "version": "1", "content": "At ten."},
    }.items():
        answer = chidi.post(f"/review/{item.id}/{step}/", sent)
        assert (answer.status_code, "Say which version" in response_text(answer)) == (400, True), (
            step
        )
    assert [i.id for i in waiting(here.person("chidi"))] == [item.id]
    # What stands in the page of the merge is enough.
    sent = {"into": f"{known}:1", "version": "1", "content": "At ten."}
    assert chidi.post(f"/review/{item.id}/merge/", sent).status_code == 302
    assert memory(here, "mina", known).remember_count == 2
