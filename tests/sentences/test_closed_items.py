"""An item of the review says why it is there now, not why it came there once."""

import re

import pytest

from memories.curation.edit_memory import edit_memory
from memories.review.models import Proposal, ProposalCause
from memories.review.propose import report_memory
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.principals import resolve_principal
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

EARLY, LATE = "The office closes at 6.", "The office closes at 7."


def texts(here: Tenant, item: Proposal) -> tuple[str, str, str]:
    """(the text when the item was made, the text now, its state), row by row."""
    with resolve_principal(here.person("chidi")).scope():
        row = Memory.objects.get(id=item.memory_id)
        then = {one.number: one.content for one in Version.objects.filter(memory_id=row.id)}
        state = Proposal.objects.get(id=item.id).state
    return then.get(item.seen_version or 0, row.content), row.content, state


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


@pytest.mark.parametrize("changed", ["newer", "older", "tags"])
def test_two_that_were_found_to_disagree_are_looked_at_again(world: World, changed: str) -> None:
    here, bolt = world.here, world.here.robot("bolt")
    old = here.remember(bolt, EARLY).id
    new = here.remember(here.robot("aria"), LATE).id
    with resolve_principal(here.person("chidi")).scope():
        row = Memory.objects.get(id=new)
        item = Proposal(
            organisation_id=here.id, memory_id=new, audience_id=row.audience_id, kind=row.kind,
            cause=ProposalCause.CONTRADICTION, other_id=old, seen_version=1, created_at=NOW,
        )  # fmt: skip
        item.save(force_insert=True)
    chidi = make_signed_in_client(here, "chidi")
    assert "These disagree" in plain(response_text(chidi.get(f"/review/{item.id}/")))
    if changed == "tags":
        edit_memory(here.person("chidi"), new, {"tags": ["office"]}, now=NOW)
        assert texts(here, item) == (LATE, LATE, "open")
        return
    edited, given = (new, "The office closes at six.") if changed == "newer" else (old, LATE + "0")
    edit_memory(here.person("chidi"), edited, {"content": given}, now=NOW)
    assert texts(here, item)[2] == "withdrawn"
    assert str(item.id) not in response_text(chidi.get("/review/"))


def wish(here: Tenant) -> Proposal:
    """Bob says that his text replaces what bolt wrote for everybody."""
    old = here.remember(here.robot("bolt"), EARLY).id
    new = here.remember(here.robot("aria"), LATE).id
    with resolve_principal(here.person("chidi")).scope():
        row = Memory.objects.get(id=new)
        item = Proposal(
            organisation_id=here.id, memory_id=new, audience_id=row.audience_id, kind=row.kind,
            cause=ProposalCause.CONTRADICTION, other_id=old, seen_version=1, created_at=NOW,
            proposed_by_id=here.members["bob"].id,
        )  # fmt: skip
        item.save(force_insert=True)
    return item


def test_what_somebody_said_of_two_stays_and_says_that_one_has_changed(world: World) -> None:
    here = world.here
    item = wish(here)
    chidi = make_signed_in_client(here, "chidi")
    url = f"/review/{item.id}/"
    assert "These disagree, says somebody who reads both" in plain(response_text(chidi.get(url)))
    edit_memory(here.person("chidi"), item.memory_id, {"tags": ["office"]}, now=NOW)
    assert "These disagree, says somebody who reads both" in plain(response_text(chidi.get(url)))
    edit_memory(here.person("chidi"), item.memory_id, {"content": EARLY + " Daily."}, now=NOW)
    then, now, state = texts(here, item)
    assert (then != now, state) == (True, "open")
    told = plain(response_text(chidi.get(url)))
    assert "These disagreed before one of them was changed, says somebody" in told
    assert "These disagree, says" not in told
    assert "These disagree, says" not in plain(response_text(chidi.get("/review/")))


def test_a_report_is_of_the_words_that_were_reported(world: World) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), EARLY).id
    item = report_memory(here.person("bob"), kept, reason="It is at 7.", now=NOW)
    chidi = make_signed_in_client(here, "chidi")
    url = f"/review/{item.id}/"

    def said() -> tuple[str, list[str]]:
        page = response_text(chidi.get(url))
        quoted = re.findall(
            r"What it said when this was asked</figcaption><blockquote>([^<]*)<", page
        )
        return plain(page), quoted

    page, quoted = said()
    assert ("Bob says that this is wrong" in page, quoted) == (True, [])
    edit_memory(here.person("chidi"), kept, {"tags": ["office"]}, now=NOW)
    page, quoted = said()
    assert ("Bob says that this is wrong" in page, quoted) == (True, [])
    edit_memory(here.person("chidi"), kept, {"content": LATE}, now=NOW)
    then, now, state = texts(here, item)
    assert (then, now, state) == (EARLY, LATE, "open")
    page, quoted = said()
    assert "Bob said that an earlier text is wrong" in page
    assert "Bob says that this" not in page
    assert quoted == [then]
    assert "What you see is what it would become" not in page
    assert "It was corrected since." in response_text(chidi.get(f"{url}reject/"))
    edit_memory(here.person("chidi"), kept, {"content": EARLY}, now=NOW)
    page, quoted = said()
    assert ("Bob says that this is wrong" in page, quoted) == (True, []), "it says it again"


def test_nobody_reads_what_a_decision_has_forgotten(world: World) -> None:
    here = world.here
    kept = here.remember(here.robot("aria"), EARLY).id
    item = report_memory(here.person("bob"), kept, reason="Wrong.", now=NOW)
    chidi = make_signed_in_client(here, "chidi")
    url = f"/review/{item.id}/"
    assert "can read this" in response_text(chidi.get(url))
    assert chidi.post(f"{url}approve/", {"version": "1"}).status_code == 302
    assert is_withdrawn(here)
    page = response_text(chidi.get(url))
    assert "can read this" not in page
    assert "No answer and no list shows this any more." in page
    assert f"{url}readers/" not in page
    assert chidi.get(f"{url}readers/").status_code == 404
    assert "can read this" not in response_text(chidi.get("/review/?show=decided"))


def is_withdrawn(here: Tenant) -> bool:
    """Whether no list of anybody has it."""
    names = [name for name in here.members if here.members[name].user_id]
    pages = [make_signed_in_client(here, name).get("/memories/") for name in names]
    lists = [here.api(name).get("/api/v1/memories") for name in here.keys]
    return not any(EARLY in response_text(page) for page in (*pages, *lists))
