"""The page of memories shows the sentence that answers, marked in its memory, and nothing else."""

import html
import re

import pytest

from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("X18")
SENTENCE = "The launch of the harbour app is on Friday."
QUESTION = {"q": "When is the launch of the harbour app?"}


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    here.remember(here.robot("aria"), f"Good morning! {SENTENCE} Who brings cake?", speaker="Mina")
    here.remember(here.robot("aria"), "The printer is out of paper.")
    here.embed()
    return here


def answer(here: Tenant, who: str = "chidi", **given: str) -> str:
    """The part of the page with the answer, as text; empty if there is none."""
    page = response_text(make_signed_in_client(here, who).get("/memories/", QUESTION | given))
    part = re.search(r'<section class="answer".*?</section>', page, re.DOTALL)
    return html.unescape(part[0]) if part else ""


def test_the_sentence_is_marked_in_its_memory(here: Tenant) -> None:
    shown = answer(here)
    assert f"Good morning! <mark>{SENTENCE}</mark> Who brings cake?" in shown
    assert "“Mina”" in shown
    assert shown.count("<mark>") == 1


def test_nothing_is_shown_where_nothing_answers_or_nothing_is_asked(here: Tenant) -> None:
    assert answer(here, q="zzzqqq") == ""
    assert answer(here, q="") == ""
    assert answer(here, tag="other") == "", "no memory that matches answers"


def test_nobody_is_shown_what_they_do_not_read(here: Tenant) -> None:
    here.remember(here.person("ada"), "My launch of the harbour app is on Monday.",
                  visibility="private")  # fmt: skip
    here.embed()
    assert "app is on Monday." in answer(here, "ada")
    assert "app is on Monday." not in answer(here)
    assert SENTENCE in answer(here)


def test_a_text_stays_a_text_and_a_long_one_is_cut_around_the_sentence(here: Tenant) -> None:
    wicked = "<script>alert(1)</script> " * 12
    aria = here.robot("aria")
    here.remember(aria, f"{wicked}\nThe ferry leaves at <b>nine</b>.\n{'and so on ' * 40}")
    here.embed()
    page = response_text(
        make_signed_in_client(here, "chidi").get("/memories/", {"q": "When does the ferry leave?"})
    )
    part = page.partition('<section class="answer"')[2].partition("</section>")[0]
    assert "<mark>The ferry leaves at &lt;b&gt;nine&lt;/b&gt;.</mark>" in part
    assert "<script" not in part
    assert part.count("…") == 2
    assert len(part) < 2_000


def test_what_was_true_before_says_otherwise(lasting_world: World) -> None:
    here = lasting_world.here
    for text, at in (
        ("Tomasz lives in Berlin.", "2026-01-05"),
        ("Tomasz moved from Berlin to Paris.", "2026-02-05"),
    ):
        body = {"content": text, "occurred_at": f"{at}T10:00:00Z", "speaker": "Mina"}
        assert here.api("aria").post("/api/v1/memories", body, format="json").status_code == 201
    here.read()
    here.embed()
    shown = answer(here, q="Does Tomasz live in Berlin?")
    assert "<mark>Tomasz moved from Berlin to Paris.</mark>" in shown
    assert "Tomasz lives in Berlin." in shown.partition("Says otherwise")[2]
