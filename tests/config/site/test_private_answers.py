"""What one reader is answered is kept by no cache in between."""

import pytest

from tests.page_client import make_signed_in_client
from tests.world import World


@pytest.mark.conformance("T24")
def test_every_answer_says_that_it_is_private(world: World) -> None:
    ada, aria = make_signed_in_client(world.here, "ada"), world.here.api("aria")
    answers = [
        ada.get("/"),
        ada.get("/memories/"),
        ada.get("/nothing/"),
        aria.get("/api/v1/memories"),
        aria.post("/api/v1/recall", {"query": "tea"}, format="json"),
        aria.get("/api/v1/nothing"),
    ]
    assert {one["Cache-Control"] for one in answers} == {"private, no-cache"}
    # What holds a secret or a file says more.
    assert "no-store" in ada.get("/tiers/lately.csv")["Cache-Control"]
