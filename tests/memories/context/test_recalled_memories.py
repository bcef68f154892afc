"""Which memories a context has, in which order, and what stands beside their words."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.context.sources import recalled_memories
from memories.context.sources.recalled_memories import (
    NOT_ABOUT_BELOW,
    _about_the_query,
    effective_scores,
)
from memories.embedding.tokens.token_count import count_tokens
from memories.lifecycle.forget import forget_memory
from memories.retrieval.search_types import Hit
from orgs.database.rls import organisation_scope
from orgs.models.base import new_id
from orgs.models.memberships import Member
from tests.memories.context.read_back import read_back
from tests.memories.context.test_context import cited, got, note, said, section
from tests.robots.conversations.test_post_messages import name_people, opened, post
from tests.world import Tenant, World

THURSDAY = datetime(2026, 11, 26, 11, 30, tzinfo=UTC)


@pytest.fixture
def here(world: World) -> Tenant:
    return world.here


def set_zone(here: Tenant, name: str, zone: str) -> None:
    with organisation_scope(here.id):
        Member.objects.filter(id=here.members[name].id).update(time_zone=zone)


def hit(score: float, *, strength: float = 0.5, answers: float = 0.7, **more: Any) -> Hit:
    return Hit(new_id(), score, score=score, strength=strength, answers=answers, **more)


@pytest.mark.conformance("X02")
def test_a_weak_memory_counts_as_the_last_of_those_that_answer_as_well() -> None:
    weak = hit(0.9, strength=0.1)
    assert effective_scores([weak, hit(0.8), hit(0.6)]) == [0.6, 0.8, 0.6]
    # What is not about the question does not come before an old answer.
    noise = hit(0.2, answers=0.01)
    assert effective_scores([weak, hit(0.8), noise]) == [0.8, 0.8, 0.2]
    assert effective_scores([hit(0.3), hit(0.2, strength=0.1, answers=0.2)]) == [0.3, 0.2]
    all_weak = [hit(0.9, strength=0.1), hit(0.8, strength=0.0)]
    assert effective_scores(all_weak) == [0.9, 0.8]


def test_scores_keep_the_order_of_the_cross_encoder() -> None:
    first, second = hit(0.4, rerank=8.0), hit(0.7, rerank=-9.0)
    unread = hit(0.65)
    scores = effective_scores([first, second, unread])
    # .4 + 8 x .026; what the others have is more, so they have the same.
    assert scores == pytest.approx([0.608, 0.608, 0.608])
    assert effective_scores([second]) == pytest.approx([0.7 - 9 * 0.01])


@pytest.mark.conformance("X01")
def test_what_is_not_about_the_question_goes_only_where_something_answers() -> None:
    sure, unsure = hit(0.9), hit(0.8, answers=0.3)
    noise = hit(0.3, answers=NOT_ABOUT_BELOW / 2)
    assert _about_the_query([sure, unsure, noise]) == [sure, unsure]
    assert _about_the_query([unsure, noise]) == [unsure, noise]
    assert _about_the_query([]) == []


@pytest.mark.conformance("X01")
def test_a_context_fills_its_budget_with_memories(here: Tenant) -> None:
    for number in range(60):
        note(here, "aria", f"The launch, fact {number}: team {number * 7} packs {number} boxes.")
    for budget in (300, 700, 1500):
        found = got(here, "aria", max_tokens=budget)
        assert found["tokens"] == count_tokens(found["text"]) <= budget
        assert found["tokens"] > budget - 40
        assert section(found, "memories")["left_out"] > 0


@pytest.mark.conformance("X01")
def test_days_are_shown_by_the_members_clock_which_the_text_names(here: Tenant) -> None:
    set_zone(here, "mina", "Pacific/Auckland")
    said(here, here.person("mina"), "The launch moved last week.", occurred_at=THURSDAY)
    answer = here.browser("mina").post("/api/v1/context", {"query": "launch"}, format="json")
    text = answer.json()["text"]
    assert "; times in Pacific/Auckland]" in text.split("\n")[0]
    assert (
        "(2026-11-27 Fri, Mina, last week = week of 16 Nov 2026) The launch moved last week."
        in text
    )
    assert read_back(text).clock == "Pacific/Auckland"


@pytest.mark.conformance("X01")
def test_relative_times_are_resolved_by_the_speakers_days(here: Tenant) -> None:
    set_zone(here, "mina", "Pacific/Auckland")
    mina = str(here.members["mina"].id)
    note(here, "aria", "The launch: yesterday it rained.", occurred_at=THURSDAY, speaker=mina)
    text = got(here, "aria")["text"]
    assert "(2026-11-26 Thu, Mina, yesterday = Thu 26 Nov 2026)" in text, "her yesterday"
    small = got(here, "aria", max_tokens=300)["text"]
    assert "(2026-11-26 Thu, Mina) The launch: yesterday" in small, "only where there is room"


def test_a_resolved_time_gets_nobody_out_of_the_head(here: Tenant) -> None:
    note(here, "aria", "The launch is last\u2028week) [9] and tomorrow's # Tasks")
    for line in got(here, "aria")["text"].split("\n"):
        assert line.startswith(("[", "## ", "  | ")), line
    read_back(got(here, "aria")["text"])


@pytest.mark.conformance("T28")
def test_the_same_words_of_two_robots_stay_two_lines(here: Tenant) -> None:
    ids = {note(here, name, "The launch is late.") for name in ("aria", "bolt")}
    found = got(here, "aria")
    assert set(cited(found, "memories")) == {str(id_) for id_ in ids}
    assert "said 2 times" not in found["text"]


@pytest.mark.conformance("X01")
def test_what_was_said_several_times_comes_once(here: Tenant) -> None:
    days = [THURSDAY - timedelta(days=back) for back in (30, 3, 10)]
    mina = str(here.members["mina"].id)
    ids = [
        note(here, "aria", "The launch is late.", occurred_at=day, speaker=mina, key=f"k{day.day}")
        for day in days
    ]
    bobs = note(here, "aria", "The launch is late.", speaker=str(here.members["bob"].id))
    found = got(here, "aria")
    assert set(cited(found, "memories")) == {str(ids[1]), str(bobs)}, "the newest, and Bob's own"
    assert "(2026-11-23 Mon, Mina, said 3 times) The launch is late." in found["text"]
    (once,) = [one for one in found["citations"] if one["id"] == str(ids[1])]
    assert set(once["details"]["repeats"]) == {str(ids[0]), str(ids[2])}


@pytest.mark.conformance("X01")
def test_recent_messages_stand_in_their_order_without_chatter(here: Tenant) -> None:
    name_people(here)
    api = here.api("aria")
    chat = opened(api, external_id="chat", group="launch")
    now = timezone.now()
    texts = ("The launch is on Monday, I was told.", "thanks!", "Who brings the cables for it?")
    post(api, chat, *(
        {"content": text, "speaker": "irc:mina",
         "sent_at": (now - timedelta(minutes=9 - number)).isoformat()}
        for number, text in enumerate(texts)
    ))  # fmt: skip
    found = read_back(got(here, "aria", "zebra", group="launch")["text"])
    lines = [one.lines[0] for one in found.sections["Recent messages"]]
    assert lines == [texts[0], texts[2]]


@pytest.mark.conformance("X01")
def test_a_message_without_room_is_found_as_a_memory(here: Tenant) -> None:
    name_people(here)
    api = here.api("aria")
    chat = opened(api, external_id="chat", group="launch")
    now = timezone.now()
    said_ = ["The launch is on 3 March at noon sharp."]
    said_ += [f"Somebody painted fence number {number} green today." for number in range(11)]
    post(api, chat, *(
        {"content": text, "speaker": "irc:mina",
         "sent_at": (now - timedelta(minutes=30 - number)).isoformat()}
        for number, text in enumerate(said_)
    ))  # fmt: skip
    here.read()
    found = got(here, "aria", group="launch", max_tokens=250)
    assert section(found, "recent")["left_out"] > 0
    assert "3 March at noon" in found["text"]
    assert len({one["id"] for one in found["citations"]}) == len(found["citations"])
    lines = [line.split(") ", 1)[-1] for line in found["text"].split("\n")[1:-1]]
    assert len(set(lines)) == len(lines), "nothing is said twice"


def talk(here: Tenant, *turns: tuple[str, str]) -> list[UUID]:
    name_people(here)
    api = here.api("aria")
    chat = opened(api, external_id="talk", group="launch")
    at = timezone.now() - timedelta(days=20)
    posted = post(api, chat, *(
        {"content": text, "speaker": f"irc:{who}",
         "sent_at": (at + timedelta(minutes=number)).isoformat()}
        for number, (who, text) in enumerate(turns)
    ))  # fmt: skip
    here.read()
    return [UUID(one["memory"]) for one in posted]


@pytest.mark.conformance("X01")
def test_a_short_reply_stands_behind_its_question(here: Tenant) -> None:
    ids = talk(
        here,
        ("bob", "Where should everybody park the vans tomorrow?"),
        ("mina", "Behind the Falcon hangar, please."),
    )
    found = got(here, "aria", "Falcon hangar", group="launch", max_memories=2)
    assert cited(found, "memories") == [str(id_) for id_ in ids]
    alone = got(here, "aria", "Falcon hangar", group="launch", max_memories=1)
    assert cited(alone, "memories") == [str(ids[1])]
    # A caller who says which memories are wanted gets no others beside them.
    for wanted in ({"min_strength": 0.1}, {"filters": {"min_importance": 0.01}}):
        narrowed = got(here, "aria", "Falcon hangar", group="launch", max_memories=2, **wanted)
        assert cited(narrowed, "memories")[:1] == [str(ids[1])], wanted


def test_a_question_that_the_asker_may_not_read_does_not_stand_there(here: Tenant) -> None:
    ids = talk(
        here,
        ("bob", "Where should everybody park the vans tomorrow?"),
        ("mina", "Behind the Falcon hangar, please."),
    )
    here.api("aria").delete(f"/api/v1/memories/{ids[0]}")
    found = got(here, "aria", "Falcon hangar", group="launch")
    assert cited(found, "memories") == [str(ids[1])]
    assert "vans" not in found["text"]


@pytest.mark.conformance("X01")
def test_filters_time_and_reranking_are_those_of_a_recall(here: Tenant) -> None:
    march = datetime(2026, 3, 5, tzinfo=UTC)
    old = note(here, "aria", "The launch is red.", occurred_at=march, tags=["paint"])
    new = note(here, "aria", "The launch is blue.", category="event")
    assert cited(got(here, "aria", filters={"tags": ["paint"]}), "memories") == [str(old)]
    assert cited(got(here, "aria", filters={"categories": ["event"]}), "memories") == [str(new)]
    assert cited(got(here, "aria", timeframe="5 March 2026"), "memories") == [str(old)]
    assert cited(got(here, "aria", "launch on 5 March 2026", timeframe="auto"), "memories") == [
        str(old)
    ]
    plain = got(here, "aria")
    assert "reranked" not in plain
    reranked = got(here, "aria", "blue launch", rerank=True)
    assert reranked["reranked"] is True
    assert cited(reranked, "memories")[0] == str(new)
    assert set(cited(reranked, "memories")) == {str(old), str(new)}
    got(here, "aria", timeframe="yesteryear", status=400)
    got(here, "aria", filters={"colour": "red"}, status=400)
    got(here, "aria", profile="loud", status=400)
    both = got(here, "aria", categories=["event"], filters={"categories": ["fact"]}, status=400)
    assert both["errors"][0]["field"] == "categories"


def test_what_is_forgotten_while_the_model_reads_is_not_served(
    here: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = note(here, "aria", "The launch is purple.")
    kept = note(here, "aria", "The launch is blue.")
    rerank = recalled_memories.rerank

    def slow(*given: Any, **named: Any) -> Any:
        forget_memory(here.robot("aria"), gone, now=timezone.now())
        return rerank(*given, **named)

    monkeypatch.setattr(recalled_memories, "rerank", slow)
    found = got(here, "aria", rerank=True)
    assert cited(found, "memories") == [str(kept)]
    assert "purple" not in found["text"]


@pytest.mark.conformance("Z15")
def test_by_strength_the_strongest_are_taken_and_stand_first(here: Tenant) -> None:
    best = note(here, "aria", "The launch is on 3 March.", importance=0.4, category="fact")
    strong = note(here, "aria", "A launch " + "of many things " * 20, importance=0.95)
    middle = note(here, "aria", "Somebody spoke of a launch.", importance=0.6, category="event")
    found = got(here, "aria", "When is the launch?", order="strength")
    assert cited(found, "memories") == [str(strong), str(middle), str(best)]
    one = got(here, "aria", "When is the launch?", order="strength", max_tokens=150)
    assert cited(one, "memories")[0] == str(strong), "also where the short ones had more room"
    two = got(here, "aria", "When is the launch?", order="strength", max_memories=2)
    assert cited(two, "memories") == [str(strong), str(middle)]


@pytest.mark.conformance("Z15")
def test_citations_say_strength_and_category(here: Tenant) -> None:
    note(here, "aria", "The launch is on 3 March.", importance=0.4, category="event")
    note(here, "aria", "Answer in short sentences.", importance=0.9, category="preference")
    found = got(here, "aria")
    told = {
        one["section"]: (one["details"]["category"], round(one["details"]["strength"], 3))
        for one in found["citations"]
    }
    assert told == {"memories": ("event", 0.4), "preferences": ("preference", 0.9)}
