"""My memories as people use them: folded chats, search, several at once, who read what, a file."""

import html
import json
import re
from datetime import timedelta
from uuid import UUID

import orjson
import pytest
from django.db.models import Count, Max
from django.utils import timezone

from memories.insights.operations import RobotRecallCount
from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import Operation
from memories.views.privacy.export_page import iter_html
from memories.views.privacy.my_memories_presenter import read_sentence
from orgs.database.rls import organisation_scope
from orgs.members.member_settings import set_sharing_opt_out
from orgs.principals import resolve_principal
from robots.models.robots import Robot
from tests.memories.views.memory.test_thread import say
from tests.memories.views.privacy.test_my_memories import told
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import NOW, World

pytestmark = pytest.mark.conformance("W13")


def rows(page: str) -> str:
    """The list of the page."""
    return page.partition('class="memories"')[2].partition("</ol>")[0]


def test_turns_stand_in_one_line_for_their_conversation(world: World) -> None:
    here = world.here
    told(here, "Mina likes tea.")
    first = say(here, "mina", "Agreed.", 1)
    for number in range(2, 6):
        say(here, "mina" if number % 2 else "bob", f"Turn {number}.", number)
    told(here, "Mina leads.", group="launch")
    mina = make_signed_in_client(here, "mina")
    page = response_text(mina.get("/me/"))
    listed = rows(page)
    assert "Agreed." not in listed
    assert listed.index("Mina leads.") < listed.index("Conversation in #launch")
    assert listed.index("Conversation in #launch") < listed.index("Mina likes tea.")
    assert f'href="/memories/{first}/thread/"' in listed
    # The figures are those of the whole conversation, counted here row by row.
    with resolve_principal(here.person("mina")).scope():
        turns = list(Memory.objects.filter(conversation="c1"))
    people = len({row.speaker_member_id for row in turns})
    assert f"{len(turns)} turns, {people} people, 2 March" in listed
    everything = rows(response_text(mina.get("/me/?all=1")))
    assert "Conversation in" not in everything
    assert "Agreed." in everything
    assert count_queries(mina, "/me/") <= 13


def test_what_a_turn_says_by_importance_or_category_is_no_chatter(world: World) -> None:
    here = world.here
    say(here, "mina", "Agreed.", 1)
    say(here, "mina", "We decided on May.", 2, category="decision")
    say(here, "mina", "The code is 12.", 3, importance=0.9)
    listed = rows(response_text(make_signed_in_client(here, "mina").get("/me/")))
    assert "We decided on May." in listed
    assert "The code is 12." in listed
    assert "Agreed." not in listed
    assert "3 turns" in listed


def test_a_folded_list_goes_on_and_has_each_line_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = world.here
    monkeypatch.setattr("memories.privacy.my_memories.PAGE_SIZE", 3)
    for number in range(12):
        say(here, "mina", f"Turn {number}.", number, conversation=f"c{number % 4}")
        if number % 3 == 0:
            told(here, f"Mina fact {number}.")
    mina = make_signed_in_client(here, "mina")
    page, seen = response_text(mina.get("/me/")), []
    for _ in range(6):
        seen += re.findall(r"Mina fact \d+\.|/memories/[0-9a-f-]+/thread/", rows(page))
        older = re.search(r'rel="next" href="([^"]+)"', page)
        if not older:
            break
        page = response_text(mina.get(html.unescape(older[1])))
    facts = {one for one in seen if one.startswith("Mina fact")}
    threads = [one for one in seen if "/thread/" in one]
    assert facts == {f"Mina fact {n}." for n in (0, 3, 6, 9)}
    assert len(threads) == len(set(threads)) == 4


def test_search_finds_words_in_turns_too(world: World) -> None:
    here = world.here
    told(here, "Mina likes tea.")
    say(here, "mina", "Tea at four.", 1)
    here.remember(here.person("bob"), "Bob likes tea.", visibility="private")
    mina = make_signed_in_client(here, "mina")
    listed = rows(response_text(mina.get("/me/?q=TEA")))
    assert "likes tea." in listed
    assert "Tea at four." in listed
    assert "Bob" not in listed
    assert "None of your memories here has these words" in response_text(mina.get("/me/?q=zzz"))


def test_several_are_forgotten_after_a_look_and_come_back(world: World) -> None:
    here = world.here
    ids = [told(here, f"Mina note {n}", group="launch") for n in range(3)]
    mina, form = (
        make_signed_in_client(here, "mina"),
        {"selected": [str(i) for i in ids[:2]], "back": "me"},
    )
    look = response_text(mina.post("/memories/change/?action=forget", form))
    assert "Forget 2 memories" in look
    assert 'href="/me/"' in look
    assert "Mina note 0" in rows(response_text(mina.get("/me/"))), "a look changes nothing"
    done = mina.post("/memories/change/?action=forget", {**form, "confirm": "1"}, follow=True)
    assert done.redirect_chain[-1][0] == "/me/"
    assert "Mina note 0" not in rows(response_text(done))
    undo = re.search(r'action="(/jobs/[^"]+/undo/\?back=me)"', response_text(done))
    back = mina.post(html.unescape(undo[1]), follow=True)
    assert back.redirect_chain[-1][0] == "/me/"
    assert "Mina note 0" in rows(response_text(back))


def test_who_only_reads_forgets_what_is_theirs_and_nothing_else(world: World) -> None:
    here, vera = world.here, make_signed_in_client(world.here, "vera")
    about = {"member": str(here.members["vera"].id)}
    own = here.remember(here.robot("aria"), "Vera sings.", visibility="organisation", **about).id
    other = here.remember(here.robot("aria"), "The door is open.", visibility="organisation").id
    page = response_text(vera.get("/me/"))
    assert "action=forget" in page
    assert "action=withdraw" not in page
    form = {"selected": [str(own), str(other)], "back": "me"}
    for action in ("withdraw", "archive", "set", "share"):
        assert vera.post(f"/memories/change/?action={action}", form).status_code == 404
    look = response_text(vera.post("/memories/change/?action=forget", form))
    assert "Forget 1 memory" in look
    done = vera.post("/memories/change/?action=forget", {**form, "confirm": "1"}, follow=True)
    with resolve_principal(here.person("ada")).scope():
        states = dict(Memory.objects.values_list("id", "status"))
    assert (states.get(own), states[other]) in ((None, "active"), ("forgotten", "active"))
    undo = re.search(r'action="(/jobs/[^"]+/undo/[^"]*)"', response_text(done))
    assert vera.post(html.unescape(undo[1]), follow=True).status_code == 200
    with resolve_principal(here.person("ada")).scope():
        assert Memory.objects.get(id=own).status == Status.ACTIVE


def test_several_are_taken_back_from_sharing_and_shared_again(world: World) -> None:
    here = world.here
    shared = told(here, "Mina leads.", group="launch")
    alone = told(here, "Mina likes tea.")
    turn = say(here, "mina", "In the chat.", 1, category="fact")
    foreign = here.remember(here.person("bob"), "Bob builds.", group="launch").id
    mina = make_signed_in_client(here, "mina")
    form = {"selected": [str(i) for i in (shared, alone, turn, foreign)], "back": "me"}
    look = response_text(mina.post("/memories/change/?action=withdraw", form))
    assert "Take 1 memory back from sharing" in look
    for reason in ("not shared", "said in a conversation, where all heard it"):
        assert f"1 memory will stay as before: {reason}." in look
    assert "no undo" not in look
    bob = here.person("bob")
    assert shared in here.readable(bob)
    done = mina.post("/memories/change/?action=withdraw", {**form, "confirm": "1"}, follow=True)
    assert here.readable(bob) & {shared, alone, turn, foreign} == {turn, foreign}
    assert shared in here.readable(here.person("mina"))
    undo = re.search(r'action="(/jobs/[^"]+/undo/[^"]*)"', response_text(done))
    mina.post(html.unescape(undo[1]))
    assert shared in here.readable(bob)
    with resolve_principal(here.person("mina")).scope():
        assert Memory.objects.get(id=shared).audience.kind == "group"


def test_nobody_takes_back_what_others_wrote_about_others(world: World) -> None:
    """A curator may change it, and it is not theirs to have alone."""
    here = world.here
    foreign = told(here, "Mina leads.", visibility="organisation")
    form = {"selected": [str(foreign)], "confirm": "1"}
    make_signed_in_client(here, "chidi").post("/memories/change/?action=withdraw", form)
    assert foreign in here.readable(here.person("bob"))


def test_read_by_counts_the_recalls_that_count(world: World) -> None:
    here = world.here
    id_ = told(here, "Mina leads the launch.", group="launch")
    aria = here.robot("aria")
    for _ in range(3):
        recall(aria, Query(text="Who leads the launch?"), now=timezone.now())
    recall(aria, Query(text="Who leads the launch?", counts=False), now=timezone.now())
    recall(here.person("bob"), Query(text="Who leads the launch?"), now=timezone.now())
    with organisation_scope(here.id):
        here.give_owner("clio", "bob")
    with resolve_principal(here.person("mina")).scope():
        counted = dict(
            Operation.objects.filter(memory_id=id_, verb="recall")
            .values_list("robot_id")
            .annotate(Count("id"))
        )
        assert Operation.objects.aggregate(Max("at"))["at__max"].date() == timezone.now().date()
    assert counted == {here.robots["aria"].id: 3}, "what a person asked is theirs alone"
    page = response_text(make_signed_in_client(here, "mina").get("/me/"))
    assert "Read by aria 3 times, last today" in page
    # A robot that works for Bob alone is not named to Mina.
    with organisation_scope(here.id):
        here.give_owner("aria", "vera")
    page = response_text(make_signed_in_client(here, "mina").get("/me/"))
    assert "Read by people or their own robots 3 times, last today" in page


def test_a_memory_that_nobody_was_served_says_nothing_of_it(world: World) -> None:
    here = world.here
    told(here, "Mina likes tea.")
    assert "Read by" not in response_text(make_signed_in_client(here, "mina").get("/me/"))


@pytest.mark.parametrize(
    ("days", "words"),
    [(0, "today"), (1, "yesterday"), (2, "on Saturday"), (6, "on Tuesday"), (7, "on 23 February")],
)
def test_the_last_day_in_words(days: int, words: str) -> None:
    robot = Robot(id=UUID(int=1), name="Aria")
    one = RobotRecallCount(robot=robot, times=4, last=NOW - timedelta(days=days))
    said = read_sentence([one], None, NOW)
    assert said.startswith(f"Read by Aria 4 times, last {words}")


def test_both_files_hold_the_same(world: World) -> None:
    here = world.here
    for number in range(5):
        told(here, f"Mina note {number}")
    told(here, '<script>alert("x")</script> & <b>bold</b>')
    here.remember(here.person("bob"), "Bob likes coffee.", visibility="private")
    say(here, "mina", "Agreed.", 1)
    told(here, "Mina likes plums.")
    mina = make_signed_in_client(here, "mina")
    lines = [json.loads(one) for one in b"".join(mina.get("/me/export/")).splitlines()]
    answer = mina.get("/me/export/page/")
    assert answer.streaming
    page = b"".join(answer).decode()
    ids = re.findall(r'<article id="([^"]+)"', page)
    talk = [bool(line.get("conversation")) for line in lines if "id" in line]
    known = [line["id"] for line in lines if "id" in line]
    told_first = [one for said, one in sorted(zip(talk, known, strict=True), key=lambda o: o[0])]
    assert ids == told_first
    assert True in talk[:-1], "a turn came before what says something by itself"
    assert page.count("<h2>Said in conversations</h2>") == 1
    assert page.index("Agreed.") > page.index("<h2>Said") > page.index("Mina note 4")
    assert page.count("<article") == len(lines) > 5
    for line in lines:
        if "content" in line:
            assert html.escape(line["content"], quote=True).replace("&#x27;", "&#39;") in page
    assert "<script" not in page
    assert "<b>bold" not in page
    assert "Bob likes coffee" not in page
    assert 'filename="my-memories.html"' in answer["Content-Disposition"]
    assert "@media print" in page
    assert not re.search(r"(?:src|href|url\()", page), "it loads nothing from anywhere"


def test_who_said_nothing_in_conversations_gets_no_heading_for_it() -> None:
    """In however many portions the rest comes."""
    line = {"id": "1", "persona": "qsr_real_estate"}
    page = b"".join(iter_html([orjson.dumps(line)] * 3, {})).decode()
    assert page.count("<article") == 3
    assert "Said in conversations" not in page


def test_the_switches_stand_before_the_list(world: World) -> None:
    here = world.here
    told(here, "Mina likes tea.")
    set_sharing_opt_out(here.person("mina"), out=True, now=timezone.now())
    page = response_text(make_signed_in_client(here, "mina").get("/me/"))
    assert page.index('id="choices"') < page.index('class="tabs"') < page.index("Mina likes tea.")
    bar = page.partition('class="bottombar"')[2].partition("</nav>")[0]
    assert 'href="/me/"' in bar
