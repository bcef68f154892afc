"""Who said which words: where a text was reworded, no page gives the new words to who said the
old ones."""

import re
from datetime import timedelta
from uuid import UUID

from memories.curation.edit_memory import edit_memory
from memories.store.models.memory import Memory
from memories.store.models.version import Version
from orgs.database.rls import organisation_scope
from tests.page_client import make_signed_in_client, response_text
from tests.world import NOW, Tenant, World

OLD, NEW = "The zebra sale begins on 2 May.", "The zebra sale begins on 12 May."


def post_turn(here: Tenant, who: str, words: str, number: int) -> UUID:
    return here.remember(
        here.robot("aria"), words, speaker=str(here.members[who].id), group="launch",
        conversation="c1", type="conversation", position=number,
        occurred_at=NOW + timedelta(minutes=number),
    ).id  # fmt: skip


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).replace("&#x27;", "’").split())


def test_no_page_gives_new_words_to_who_said_the_old_ones(lasting_world: World) -> None:
    """By each page that shows the text beside a name, as it was said and as it was reworded."""
    here = lasting_world.here
    turn = post_turn(here, "mina", OLD, 1)
    other = post_turn(here, "bob", "Who told you so?", 2)
    here.embed()
    bob = make_signed_in_client(here, "bob")
    pages = {
        "turns around": f"/memories/{other}/",
        "conversation": f"/memories/{turn}/thread/",
        "who said": "/said/?topic=zebra",
        "list": f"/memories/?readers=group&q={NEW}",
        "answer": "/memories/?q=When+does+the+zebra+sale+begin%3F",
        "memory": f"/memories/{turn}/",
    }
    for name, url in pages.items():
        page = plain(response_text(bob.get(url)))
        assert "reworded" not in page, name
        assert "The words are now" not in page, name
    edit_memory(here.person("mina"), turn, {"content": OLD + " Really."}, now=NOW)
    own = plain(response_text(bob.get(f"/memories/{turn}/")))
    assert "The words are now" not in own, "of their own words nothing is to be told"
    edit_memory(here.robot("aria"), turn, {"content": NEW}, now=NOW)
    here.embed()
    with organisation_scope(here.id, using="worker"):
        row = Memory.objects.using("worker").get(id=turn)
        versions = Version.objects.using("worker").filter(memory_id=turn)
        assert {one.content for one in versions} == {OLD, OLD + " Really."}
    assert (row.speaker_member_id, row.reworded_by_robot_id, row.reworded_by_id) == (
        here.members["mina"].id,
        here.robots["aria"].id,
        None,
    )
    for name, url in pages.items():
        page = plain(response_text(bob.get(url)))
        assert NEW in page, name
        told = {
            "memory": "The words are now aria’s.",
            "who said": "Mina to aria, reworded since",
        }.get(name, "reworded by aria")
        assert told in page, (name, page)
