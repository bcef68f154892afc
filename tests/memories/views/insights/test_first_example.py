"""What the first page of an empty organisation shows: one sentence, asked for, and its readers."""

import re

import pytest
from django.test import Client

from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import Tenant, World

SENTENCE = "The key of the boat hangs behind the green door."


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def write(client: Client, here: Tenant, audience: str) -> str:
    """What the form of the first page sends; the page that follows."""
    page = response_text(client.get("/"))
    form = page[page.index('id="example"') :]
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    hidden.pop("csrfmiddlewaretoken", None)
    assert f'name="audience" value="{audience}"' in form
    answer = client.post("/memories/add/", {**hidden, "content": SENTENCE, "audience": audience})
    assert answer.status_code == 302
    return str(answer["Location"])


@pytest.mark.conformance("W01")
@pytest.mark.parametrize("audience", ["private", "organisation"])
def test_one_sentence_shows_what_the_product_does(lasting_world: World, audience: str) -> None:
    here = lasting_world.here
    ada, mina = (make_signed_in_client(here, name) for name in ("ada", "mina"))
    page = plain(response_text(ada.get("/")))
    assert "What it does, with one sentence of yours" in page
    assert "Whoever may read it finds it again" in page
    after = write(ada, here, audience)
    page = plain(response_text(ada.get(after)))
    assert SENTENCE in page
    readers = [name for name in ("ada", "mina") if SENTENCE in read(here, name)]
    assert readers == (["ada"] if audience == "private" else ["ada", "mina"])
    assert ("Only you can read this." in page) is (audience == "private")
    assert "Ask for it in other words" in page
    here.embed()
    for name, client in (("ada", ada), ("mina", mina)):
        found = response_text(client.get("/memories/", {"q": "Where is the key of the boat?"}))
        assert ("green door" in plain(found)) is (name in readers), name
    assert count_queries(ada, after) <= 13
    assert "What it does, with one" not in response_text(ada.get("/")), "there is something to see"


def read(here: Tenant, name: str) -> list[str]:
    with resolve_principal(here.person(name)).scope():
        return list(Memory.objects.values_list("content", flat=True))


def test_nothing_is_made_up_and_who_only_reads_sees_no_example(world: World) -> None:
    here = world.here
    for name in ("ada", "mina", "vera"):
        client = make_signed_in_client(here, name)
        page = response_text(client.get("/"))
        assert ('id="example"' in page) is (name != "vera"), name
        assert read(here, name) == []
        assert count_queries(client, "/") <= 13
    form = response_text(make_signed_in_client(here, "ada").get("/"))
    assert re.search(r'<textarea[^>]*name="content"[^>]*></textarea>', form), "it is empty"


def test_the_example_goes_on_with_ones_own_sentence_alone(world: World) -> None:
    """The address of another's memory, of one that is gone or of none shows nothing of it."""
    here = world.here
    chidi, ada = make_signed_in_client(here, "chidi"), make_signed_in_client(here, "ada")
    after = write(chidi, here, "organisation")
    assert "You wrote it down" in response_text(chidi.get(after))
    assert read(here, "ada") == [SENTENCE]
    assert "You wrote it down" not in response_text(ada.get(after))
    private = here.remember(here.person("bob"), "Bob's own.", visibility="private").id
    for first in (private, "nothing", "", world.there.id):
        page = response_text(ada.get("/", {"first": str(first)}))
        assert "Bob" not in page.partition("</nav>")[2]
        assert "You wrote it down" not in page
    stranger = make_signed_in_client(world.there, "bob")
    assert SENTENCE not in response_text(stranger.get(after))
