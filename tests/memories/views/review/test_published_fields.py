"""The page of a new text shows all that approving it would publish (T27)."""

import html
import json
from dataclasses import fields
from typing import Any

import pytest

from memories.api.serializers.memories import RememberSerializer
from memories.ingestion.drafts import Draft
from memories.review.models import Proposal
from orgs.principals import resolve_principal
from tests.world import Tenant, World

pytestmark = pytest.mark.conformance("T27")

# What somebody may give with a text, and by what the page shows it.
SHOWN: dict[str, tuple[Any, str]] = {
    "content": ("Cups belong on the zebra shelf.", "zebra shelf"),
    "occurred_at": ("2021-02-03T04:05:06Z", "2021-02-03"),
    "key": ("zebra-key", "zebra-key"),
    "type": ("preference", "Preference"),
    "category": ("org_policy", "Org Policy"),
    "topic": ("Zebra topic", "Zebra topic"),
    "importance": (0.93, "0.93"),
    "confidence": (0.41, "0.41"),
    "tier": ("fast", "Fast"),
    "tags": (["zebra-tag"], "zebra-tag"),
    "metadata": ({"zebra": {"meta": ["x"]}}, '{"meta": ["x"]}'),
    "conversation": ("zebra-talk", "zebra-talk"),
    "source": ({"zebra": "source"}, "zebra: source"),
    "expires_at": ("2037-01-02T00:00:00Z", "2037-01-02"),
    "valid_from": ("2033-01-02", "2033-01-02"),
    "valid_until": ("2035-01-02", "2035-01-02"),
    "shareable": (True, "May be said outside its group"),
    "red_line": (True, "To be protected"),
}
# What is shown of a text that has no other fields, or by other words.
APART = {
    "sensitive": "`test_an_encrypted_text_says_so`",
    "supersedes": "tests/memories/curation/test_wishes.py",
    "listeners": "`test_whom_it_is_about_and_to_whom_it_was_said`",
    "member": "`test_whom_it_is_about_and_to_whom_it_was_said`",
    "red_line_reason": "the item about the protection",
    "speaker": "`test_whom_it_is_about_and_to_whom_it_was_said`",
}
# What publishes nothing beside the readers, whom the page names.
NOT_PUBLISHED = {
    "visibility": "it becomes the readers, whom the page names",
    "readers": "the same",
    "group": "the same; the sentence about the origin names it",
    "kind": "it has to fit the group and the member; another than the usual one is shown",
    "robot": "it is the calling robot, whom the page names",
    "on_conflict": "it says what to do with a key that is taken",
    "on_personal_data": "it says what a gate does with a finding",
}
# Fields of a draft that no caller gives under that name.
INSIDE = {
    "sanitise": "`on_personal_data`",
    "import_job": "set by the product, of a document: its job, and that the words are a file's",
    "told": "set by the product: for one member alone, so never proposed",
    "heard": "set by the product, of a message: readers, speaker and listeners",
    "position": "set by the product: the place of a turn in its conversation",
}


def test_every_field_is_shown_or_has_a_reason() -> None:
    """The next field of a text cannot be forgotten."""
    given = {*RememberSerializer().fields}
    assert {*SHOWN} | {*APART} | {*NOT_PUBLISHED} == given
    assert not {*SHOWN} & ({*APART} | {*NOT_PUBLISHED})
    drafted = {one.name for one in fields(Draft)}
    assert drafted - given == {*INSIDE}


def item_of(here: Tenant, who: str, **body: Any) -> Proposal:
    client = here.api(who) if who in here.robots else here.browser(who)
    answer = client.post(
        "/api/v1/memories", {"visibility": "organisation", **body}, format="json"
    ).json()
    assert answer["status"] == "pending_review", answer
    with resolve_principal(here.person("chidi")).scope():
        return Proposal.objects.exclude(cause="red_line").get(memory_id=answer["id"])


def page_of(here: Tenant, item: Proposal) -> str:
    answer = here.browser("chidi").get(f"/review/{item.id}/")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def test_the_page_shows_all_that_is_published(world: World) -> None:
    here = world.here
    given = {name: value for name, (value, _) in SHOWN.items()}
    item = item_of(here, "bob", red_line_reason="Zebra reason", **given)
    page = page_of(here, item)
    assert [name for name, (_, sign) in SHOWN.items() if sign not in page] == []
    plain = page_of(here, item_of(here, "bob", content="Spoons lie in the drawer."))
    # The text of the first stands there as the one that is waiting beside it.
    assert [name for name, (_, sign) in SHOWN.items() if sign in plain] == ["content"]
    assert "How important it is" in plain, "also where the product chose it"


def test_what_is_long_is_folded_and_whole(world: World) -> None:
    here = world.here
    words = "word " * 400
    page = page_of(here, item_of(here, "bob", content="A cup.", metadata={"note": words + "end"}))
    assert words + "end" in page
    # Invisible signs are written out, as in a text that a gate holds.
    page = page_of(here, item_of(here, "bob", content="A spoon.", topic="So\u200bup"))
    assert "So\u200bup" not in page


def test_an_encrypted_text_says_so(world: World, settings: Any) -> None:
    here = world.here
    item = item_of(here, "bob", content="Cups are broken.", sensitive=True)
    assert "Stored encrypted" in page_of(here, item)


def test_whom_it_is_about_and_to_whom_it_was_said(world: World) -> None:
    here = world.here
    mina, bob = here.members["mina"], here.members["bob"]
    item = item_of(
        here, "aria", content="The IBAN is DE44 5001 0517 5407 3249 31.", group="launch",
        visibility="organisation", member=str(mina.id), listeners=[str(bob.id)],
        speaker="Zebra Smith",
    )  # fmt: skip
    page = page_of(here, item)
    assert "Zebra Smith" in page
    assert "Said to" in page
    assert "Bob" in page


def test_several_at_once_show_it_too(world: World) -> None:
    here = world.here
    named = {name: value for name, (value, _) in SHOWN.items()}
    item = item_of(here, "bob", red_line_reason="Zebra reason", **named)
    chosen = [f"{item.id}:1"]
    answer = here.browser("chidi").post("/review/several/", {"chosen": chosen})
    page = html.unescape(answer.content.decode())
    assert "Decide 1 item together" in page
    assert [name for name in named if SHOWN[name][1] not in page] == []
    assert json.dumps(named["metadata"]["zebra"]) in page
