"""A search of the list says that nothing answers, and folds what does not."""

import re
from html import unescape

import pytest
from django.test import Client

from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.page_client import make_signed_in_client, response_text
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("Q06")
FOLD = "Not really about this"


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    here = lasting_world.here
    aria = here.robot("aria")
    here.remember(aria, "The launch of the harbour app is on Friday.")
    for n in range(4):
        here.remember(aria, f"The printer number {n} is out of paper.")
    here.embed()
    return here


def results(browser: Client, q: str) -> tuple[str, str]:
    """What stands above the fold and what is in it."""
    page = unescape(response_text(browser.get("/memories/", {"q": q}))).split('id="results"')[1]
    above, _, below = page.partition(FOLD)
    return above, below


def ids(part: str) -> set[str]:
    return set(re.findall(r'data-row data-id="([^"]+)"', part))


def test_nonsense_is_answered_by_nothing_and_all_of_it_is_folded(here: Tenant) -> None:
    above, below = results(make_signed_in_client(here, "chidi"), "zzzqqq")
    assert "Nothing here answers that." in above
    assert ids(above) == set()
    with resolve_principal(here.person("chidi")).scope():
        every = {str(id_) for id_ in Memory.objects.values_list("id", flat=True)}
    assert ids(below) == every
    assert below.startswith(f" ({len(every)})")


def test_what_answers_stands_alone_and_is_counted_alone(here: Tenant) -> None:
    above, below = results(
        make_signed_in_client(here, "chidi"), "When is the launch of the harbour app?"
    )
    assert "Nothing here answers that." not in above
    assert "harbour" in above
    assert "printer" not in above
    assert below.count("printer") >= 4
    assert f">{len(ids(above))} memory<" in re.sub(r"\s+", " ", above)


def test_what_is_folded_is_in_no_choice_of_several(here: Tenant) -> None:
    """Nobody forgets with one press what they do not see."""
    above, below = results(
        make_signed_in_client(here, "chidi"), "When is the launch of the harbour app?"
    )
    assert 'name="selected"' in above
    assert 'name="selected"' not in below


def test_without_a_question_nothing_is_folded(here: Tenant) -> None:
    page = response_text(make_signed_in_client(here, "chidi").get("/memories/"))
    assert FOLD not in page
    assert "Nothing here answers that." not in page
