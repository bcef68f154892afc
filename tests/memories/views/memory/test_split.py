"""Split a memory into facts on its page, and say whether it may leave its group."""

import pytest

from memories.curation.share_memory import share_memory
from tests.memories.curation.test_split import TEXT
from tests.memories.views.memory.test_edit import edit_form, stored
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, World


@pytest.mark.conformance("W04")
def test_a_memory_is_split_after_a_look_at_its_facts(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), TEXT, group="launch", speaker="Bob").id
    plain = here.remember(here.robot("aria"), "One sentence says one thing.", group="launch").id
    with_rights = here.remember(here.person("mina"), TEXT, group="launch").id
    mina, page, split = make_signed_in_client(here, "mina"), "/memories/{}/", "/memories/{}/split/"
    assert "Split into facts" not in response_text(mina.get(page.format(plain)))
    assert "Split into facts" not in response_text(mina.get(page.format(id_))), "not hers to change"
    assert mina.post(split.format(id_)).status_code == 403
    assert make_signed_in_client(here, "ada").get(split.format(id_)).status_code == 404
    assert "Split into facts" in response_text(mina.get(page.format(with_rights)))

    look = response_text(mina.get(split.format(with_rights)))
    for words in ("2 facts to keep", "The launch of Spinnaker moves to June.", "Left out"):
        assert words in look
    assert "It says who or what is meant only with the sentences around it." in look
    assert len(here.readable(here.person("mina"))) == 3, "a look stores nothing"
    assert count_queries(mina, split.format(with_rights)) <= 12

    done = mina.post(split.format(with_rights), follow=True)
    assert "2 facts stand beside it now, for the same readers." in response_text(done)
    assert len(here.readable(here.person("bob"))) == 5
    assert here.readable(here.person("vera")) == set()
    fact = response_text(done).split("Used in")[1]
    assert "Mina Ortega told the press of the new date." in fact
    again = response_text(mina.post(split.format(with_rights), follow=True))
    assert "Nothing was new" in again
    made = next(iter(here.readable(here.person("mina")) - {id_, plain, with_rights}))
    refused = mina.get(split.format(made))
    assert (refused.status_code, "This cannot be split" in response_text(refused)) == (409, True)


def test_what_a_group_knows_may_be_said_elsewhere_by_whom_it_concerns(world: World) -> None:
    here = world.here
    id_ = here.remember(here.person("mina"), "I speak Danish.", group="launch").id
    others = here.remember(here.robot("aria"), "Paint is blue.", group="launch").id
    own = here.remember(here.person("mina"), "My own.", visibility="private").id
    mina, url = make_signed_in_client(here, "mina"), f"/memories/{id_}/edit/"
    assert "May be said outside its group" in response_text(mina.get(url))
    assert "May be said outside its group" not in response_text(mina.get(f"/memories/{own}/edit/"))
    assert "May be said outside its group" not in response_text(mina.get(f"/memories/{id_}/"))
    assert mina.post(f"/memories/{others}/edit/", {"shareable": "on"}).status_code == 403
    mina.post(url, edit_form(mina, id_, shareable="on"))
    assert stored(here, "mina", id_).shareable
    assert "May be said outside its group" in response_text(mina.get(f"/memories/{id_}/"))
    assert stored(here, "mina", id_).version == 2
    mina.post(url, edit_form(mina, id_, shareable=""))
    assert not stored(here, "mina", id_).shareable
    # Where it means nothing, nobody sets it, and what was set stays as it was.
    forged = edit_form(mina, own, content="My own, still.", shareable="on")
    mina.post(f"/memories/{own}/edit/", forged)
    assert not stored(here, "mina", own).shareable
    share_memory(here.person("mina"), id_, visibility="private", readers={}, group=None, now=NOW)
    assert "May be said" not in response_text(mina.get(url))
