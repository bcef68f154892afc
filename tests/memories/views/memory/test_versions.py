"""The memory page's history, what it is connected with, and why a question finds it."""

from typing import Any
from uuid import UUID

import pytest

from memories.browsing.word_diff import diff_words
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World


def corrected(here: Tenant, *texts: str, **fields: Any) -> UUID:
    """A memory of aria's that Chidi corrected once for each further text."""
    first, *rest = texts
    id_ = here.remember(here.robot("aria"), first, **fields).id
    for one in rest:
        edit_memory(here.person("chidi"), id_, {"content": one}, now=NOW)
    return id_


@pytest.mark.conformance("W04")
def test_versions_differ_by_word_and_come_back(world: World) -> None:
    here = world.here
    id_ = corrected(here, "It closes at six.", "It closes at seven.")
    chidi = make_signed_in_client(here, "chidi")
    page = response_text(chidi.get(f"/memories/{id_}/"))
    assert "six.<span" in page
    assert "You: changed the text" in page
    assert "aria: the first version" in page
    url = f"/memories/{id_}/versions/1/restore/?seen=2"
    assert url in page
    assert url not in response_text(make_signed_in_client(here, "bob").get(f"/memories/{id_}/"))
    back = chidi.post(url, follow=True)
    assert "The older text is back." in response_text(back)
    assert "It closes at six." in response_text(chidi.get(f"/memories/{id_}/"))
    assert f"/memories/{id_}/versions/2/restore/?seen=3" in response_text(back), "undo"


@pytest.mark.conformance("W04")
def test_a_stale_restore_shows_what_came_in_between(world: World) -> None:
    here = world.here
    id_ = corrected(here, "It closes at six.", "It closes at seven.")
    chidi, ada = make_signed_in_client(here, "chidi"), here.person("ada")
    edit_memory(ada, id_, {"content": "It closes at eight."}, now=NOW)
    for query in ("?seen=2", ""):
        conflict = chidi.post(f"/memories/{id_}/versions/1/restore/{query}")
        assert conflict.status_code == 409
        assert "eight." in response_text(conflict)
    assert chidi.post(conflict.context["restore_url"]).status_code == 302
    assert "It closes at six." in response_text(chidi.get(f"/memories/{id_}/"))


@pytest.mark.conformance("W04")
def test_older_versions_stay_with_their_readers(world: World) -> None:
    here = world.here
    mina = here.person("mina")
    id_ = here.remember(mina, "I earn 4,000.", visibility="private").id
    edit_memory(mina, id_, {"content": "The budget is 9,000."}, now=NOW)
    share_memory(mina, id_, visibility="group", group="launch", readers={}, now=NOW)
    for path in ("", "versions/"):
        assert "4,000" in response_text(
            make_signed_in_client(here, "mina").get(f"/memories/{id_}/{path}")
        )
        assert "4,000" not in response_text(
            make_signed_in_client(here, "bob").get(f"/memories/{id_}/{path}")
        )
    for path in ("", "versions/", "why/", "why/?q=budget"):
        assert make_signed_in_client(here, "ada").get(f"/memories/{id_}/{path}").status_code == 404
    stolen = make_signed_in_client(here, "ada").post(f"/memories/{id_}/versions/1/restore/?seen=3")
    assert stolen.status_code == 404


@pytest.mark.conformance("W04")
def test_made_from_and_used_in(world: World) -> None:
    here = world.here
    part = corrected(here, "Part one.")
    whole = corrected(here, "The whole.", source={"memories": [str(part)]})
    page = response_text(make_signed_in_client(here, "bob").get(f"/memories/{whole}/"))
    assert "Made from" in page
    assert f"/memories/{part}/" in page
    assert "Used in" in response_text(make_signed_in_client(here, "bob").get(f"/memories/{part}/"))


@pytest.mark.conformance("N13", "W04")
def test_why_a_question_finds_it_and_why_not(world: World) -> None:
    here = world.here
    id_ = corrected(here, "The launch is on Tuesday.")
    mina = make_signed_in_client(here, "mina")
    opened = response_text(mina.get(f"/memories/{id_}/?q=launch"))
    assert f"/memories/{id_}/why/?q=launch" in opened
    assert 'href="/memories/?q=launch"' in opened
    part = mina.get(
        f"/memories/{id_}/why/?q=launch", headers={"HX-Target": "why"} | {"HX-Request": "true"}
    )
    assert "<html" not in response_text(part)
    assert "This comes up first for that question." in response_text(part)
    assert "It says “launch”." in response_text(part)
    assert "Shares words" in response_text(part)
    mina.post(f"/memories/{id_}/forget/")
    chidi = make_signed_in_client(here, "chidi")
    chidi.post(f"/memories/{id_}/forget/")
    gone = response_text(chidi.get(f"/memories/{id_}/why/?q=launch"))
    assert "It is forgotten, and no answer uses it." in gone


def test_a_memory_page_stays_under_twelve_queries(world: World) -> None:
    here = world.here
    turns = {"group": "launch", "conversation": "monday"}
    for number in range(4):
        here.remember(here.robot("aria"), f"Turn {number}.", position=number, **turns)
    part = corrected(here, "Part.", group="launch")
    id_ = corrected(here, "A", position=9, source={"memories": [str(part)]}, **turns)
    for one in ("B", "C"):
        edit_memory(here.robot("aria"), id_, {"content": one}, now=NOW)
    client = make_signed_in_client(here, "mina")
    client.get("/memories/?q=b")
    for path in ("", "versions/", "why/?q=turn"):
        assert count_queries(client, f"/memories/{id_}/{path}") <= 12, path


@pytest.mark.timed(1)
def test_few_words_again_and_again_are_compared_as_a_whole() -> None:
    old, new = "a " * 3_999, "a b " * 1_999
    assert [part["op"] for part in diff_words(old, new)] == ["del", "ins"]
