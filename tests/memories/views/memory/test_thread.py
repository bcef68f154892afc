"""A conversation as it is read: turns in order, what was learnt, and only what the asker reads."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from memories.access.references import ReaderReferences
from memories.browsing.conversation_pages import conversation_page as threads
from memories.curation.split_memory import split_memory
from memories.lifecycle.forget import forget_memory
from memories.restatement.models import Restatement
from memories.store.models.memory import Memory
from orgs.principals import resolve_principal
from tests.memories.curation.test_split import TEXT
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, Tenant, World


def say(here: Tenant, who: str, words: str, number: int, **place: Any) -> UUID:
    """A turn of the conversation c1 in #launch, unless another place is given."""
    said = {"group": "launch", "conversation": "c1", "type": "conversation", **place}
    at = NOW + timedelta(minutes=number)
    speaker = str(here.members[who].id) if who in here.members else who
    return here.remember(
        here.robot("aria"), words, speaker=speaker, position=number, occurred_at=at, **said
    ).id


def words(page: str) -> list[str]:
    """The turns of the page, in order."""
    return re.findall(r'<a class="turn"[^>]*>([^<]*)</a>', page.partition('class="turns"')[2])


@pytest.mark.conformance("W15")
def test_turns_stand_in_order_with_who_said_them(world: World) -> None:
    here = world.here
    say(here, "bob", "Agreed.", 2)
    first = say(here, "mina", "We launch in May.", 1)
    say(here, "jo", "Which day?", 3)
    say(here, "bob", "Elsewhere.", 4, conversation="c2")
    page = response_text(make_signed_in_client(here, "mina").get(f"/memories/{first}/thread/"))
    assert words(page) == ["We launch in May.", "Agreed.", "Which day?"]
    names = re.findall(r'<div class="timeline-head"><strong>([^<]*)<', page)
    assert names == ["You", "Bob", "“jo”"]
    assert "<h1>Conversation in #launch</h1>" in page
    # Counted here row by row.
    with resolve_principal(here.person("mina")).scope():
        rows = list(Memory.objects.filter(conversation="c1"))
    people = {row.speaker_member_id or row.speaker for row in rows}
    assert f"{len(rows)} turns, {len(people)} people, 2 March" in page
    assert "Nothing that you may read was made from these turns yet." in page


def test_only_the_turns_that_one_reads_are_shown_and_counted(world: World) -> None:
    here = world.here
    first = say(here, "mina", "We launch in May.", 1)
    say(here, "bob", "In confidence.", 2, visibility="protected")
    only = ReaderReferences(members=(str(here.members["bob"].id),))
    say(here, "jo", "To Bob alone.", 3, visibility="shared", readers=only)
    bob, mina = (make_signed_in_client(here, who) for who in ("bob", "mina"))
    assert words(response_text(bob.get(f"/memories/{first}/thread/")))[0] == "We launch in May."
    hidden = {"In confidence.", "To Bob alone."} - set(
        words(response_text(mina.get(f"/memories/{first}/thread/")))
    )
    with resolve_principal(here.person("mina")).scope():
        seen = Memory.objects.filter(conversation="c1").count()
    page = response_text(mina.get(f"/memories/{first}/thread/"))
    assert hidden
    assert seen == 3 - len(hidden)
    assert f"{seen} turn" in page
    assert not any(one in page for one in hidden)
    assert "“jo”" not in page


def test_what_was_learnt_is_only_what_one_reads(world: World) -> None:
    here = world.here
    first = say(here, "mina", TEXT, 1)
    assert len(split_memory(here.person("mina"), first, now=NOW).rows) == 2
    told = {"source": {"memories": [str(first)]}}
    here.remember(here.robot("aria"), "Launch: May.", group="launch", category="decision", **told)
    here.remember(here.person("mina"), "Mine: May is late.", visibility="private", **told)
    here.remember(here.robot("aria"), "A robot's note.", visibility="internal", **told)
    with resolve_principal(here.person("mina")).scope():
        row = Memory.objects.get(id=first)
        Restatement.objects.filter(memory_id=first).delete()
        Restatement.objects.create(
            organisation_id=here.id, memory_id=first, audience_id=row.audience_id, kind=row.kind,
            text="Mina: #launch launches in May 2026.", made_at=NOW,
        )  # fmt: skip
    page = response_text(make_signed_in_client(here, "mina").get(f"/memories/{first}/thread/"))
    aside = page.partition("Learnt from it")[2].partition("</aside>")[0]
    shown = ("Launch: May.", "Decision from", "Mine: May is late.", "launches in May 2026.")
    for part in (*shown, "told the press of the new date"):
        assert part in aside, part
    assert "A robot" not in aside
    other = response_text(make_signed_in_client(here, "bob").get(f"/memories/{first}/thread/"))
    assert "Launch: May." in other
    assert "Mine: May" not in other
    with resolve_principal(here.person("bob")).scope():
        made = Memory.objects.exclude(id=first).exclude(kind="internal").count()
    learnt = other.partition("Learnt from it")[2].partition("<h3>")[0]
    assert learnt.count("<li>") == made


def test_who_reads_no_turn_finds_no_conversation(world: World) -> None:
    here = world.here
    turn = say(here, "mina", "We launch in May.", 1)
    fact = here.remember(here.robot("aria"), "A fact.", group="launch").id
    address = f"/memories/{turn}/thread/"
    assert make_signed_in_client(here, "mina").get(address).status_code == 200
    # Vera sits in no group, Oskar belongs to another organisation.
    assert make_signed_in_client(here, "vera").get(address).status_code == 404
    assert make_signed_in_client(world.there, "mina").get(address).status_code == 404
    mina = make_signed_in_client(here, "mina")
    assert mina.get(f"/memories/{fact}/thread/").status_code == 404
    other = say(here, "bob", "Elsewhere.", 4, conversation="c2")
    assert mina.get(f"{address}?after={other}").status_code == 404
    assert mina.get(f"{address}?after={uuid4()}").status_code == 404
    forget_memory(here.person("mina"), turn, now=NOW)
    assert mina.get(address).status_code == 404


def test_a_group_that_is_not_known_is_not_named(world: World) -> None:
    here = world.here
    only = ReaderReferences(members=(str(here.members["vera"].id),))
    turn = say(here, "jo", "To Vera.", 1, visibility="shared", readers=only)
    page = response_text(make_signed_in_client(here, "vera").get(f"/memories/{turn}/thread/"))
    assert "To Vera." in page
    assert "#launch" not in page


def test_pages_go_on_where_the_one_before_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    monkeypatch.setattr(threads, "PAGE_SIZE", 4)
    monkeypatch.setattr(threads, "TURNS_BEFORE_ANCHOR", 1)
    ids = [say(here, "mina", f"Turn {n}.", n // 2) for n in range(10)]
    with resolve_principal(here.person("mina")).scope():
        rows = Memory.objects.filter(id__in=ids).order_by("position", "id")
        order = [row.content for row in rows]
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get(f"/memories/{ids[0]}/thread/"))
    seen = words(page)
    for _ in range(5):
        later = re.search(r'rel="next" href="([^"]+)"', page)
        if not later:
            break
        page = response_text(mina.get(later[1]))
        seen += words(page)
    assert seen == order
    back = words(page)
    while earlier := re.search(r'rel="prev" href="([^"]+)"', page):
        page = response_text(mina.get(earlier[1]))
        back = words(page) + back
    assert back == order
    # In the middle it opens a little before the turn.
    assert words(response_text(mina.get(f"/memories/{ids[6]}/thread/")))[1] == "Turn 6."


def test_a_long_conversation_asks_no_more_than_a_short_one(world: World) -> None:
    here = world.here
    turn = say(here, "mina", "We launch in May.", 1)
    mina = make_signed_in_client(here, "mina")
    address = f"/memories/{turn}/thread/"
    count_queries(mina, address)
    few = count_queries(mina, address)
    for number in range(2, 12):
        say(here, "bob", f"Turn {number}.", number)
    assert count_queries(mina, address) == few <= 12


def test_a_turn_and_what_was_made_of_it_lead_to_the_conversation(world: World) -> None:
    here = world.here
    turn = say(here, "mina", "We launch in May.", 1)
    told = {"source": {"memories": [str(turn)]}}
    fact = here.remember(here.robot("aria"), "Launch: May.", group="launch", **told).id
    mina = make_signed_in_client(here, "mina")
    for one in (turn, fact):
        assert f'href="/memories/{turn}/thread/"' in response_text(mina.get(f"/memories/{one}/"))
    alone = here.remember(here.robot("aria"), "A fact.", group="launch").id
    assert "/thread/" not in response_text(mina.get(f"/memories/{alone}/"))


def test_what_has_expired_is_no_turn(world: World) -> None:
    here = world.here
    turn = say(here, "mina", "We launch in May.", 1)
    say(here, "bob", "Gone.", 2, expires_at=timezone.now() - timedelta(days=1))
    page = response_text(make_signed_in_client(here, "mina").get(f"/memories/{turn}/thread/"))
    assert words(page) == ["We launch in May."]
    assert "1 turn, 1 person" in page
