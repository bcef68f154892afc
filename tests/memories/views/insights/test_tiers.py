"""The page of the tiers, its files, and what a memory's own page says of its tier."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.lifecycle.ageing_policy import update_policy
from memories.lifecycle.tier_moves import move_tiers
from memories.views.insights.tier_presenter import reason_sentence
from tests.memories.insights.test_tiers import asked, moved
from tests.memories.lifecycle.test_age import used
from tests.page_client import count_queries, make_signed_in_client, response_text
from tests.world import PEOPLE, World

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def fill(world: World, many: int = 1) -> None:
    here, now = world.here, timezone.now()
    for n in range(many):
        one = here.remember(here.robot("aria"), f"Lunch number {n} is at noon.").id
        moved(here, one, [(False, now - 3 * DAY), (True, now - MINUTE)])
        own = here.remember(here.person("mina"), f"Mina alone knows {n}.", visibility="private")
        moved(here, own.id, [(False, now - MINUTE)])
        note = here.remember(here.robot("aria"), f"A note of robots {n}.", visibility="internal")
        moved(here, note.id, [(True, now - MINUTE)])


def numbers(client: object, name: str) -> dict[str, str]:
    return dict(csv.reader(io.StringIO(response_text(client.get(f"/tiers/{name}.csv")))))


@pytest.mark.conformance("W02")
@pytest.mark.conformance("G30")
def test_everybody_sees_what_they_may_read(world: World) -> None:
    fill(world, 3)
    asked(world.here, "bob", "yes", timezone.now() - MINUTE)
    for name in PEOPLE:
        client = make_signed_in_client(world.here, name)
        page, mine = response_text(client.get("/tiers/")), name == "mina"
        assert ("Mina alone knows" in page) is mine
        assert "A note of robots" not in page
        assert "was used 5 times" in page
        assert "was not used for a minute" in page
        medium = "6" if mine else "3"
        assert numbers(client, "memories")["Medium"] == medium
        moves = {k: v for k, v in numbers(client, "moves").items() if v not in ("0", "moves")}
        assert sum(map(int, moves.values())) == (9 if mine else 6)
        reasons = {"Why": "moves", "Used often": "3", "Not used for long": "6" if mine else "3"}
        assert numbers(client, "reasons") == reasons
        told = f"In the last hour 3 up and {3 if mine else 0} down"
        assert told in page
        assert numbers(client, "fullness")["Medium"] == "1"
        strengths = numbers(client, "strength")
        assert list(strengths)[1:] == [f"{ten}-{ten + 10} %" for ten in range(0, 100, 10)]
        assert strengths.pop("Strength") == "memories"
        total = sum(map(int, strengths.values()))
        assert total == sum(int(v) for k, v in numbers(client, "memories").items() if k != "Tier")
        strong = sum(int(v) for k, v in strengths.items() if int(k.split("-")[0]) >= 70)
        weak = sum(int(v) for k, v in strengths.items() if int(k.split("-")[0]) < 30)
        assert f"Of {total} memories that you may read, {strong} are strong and {weak} weak" in page
        found = numbers(client, "learning")["Questions with an answer"]
        assert found == ("100" if name == "bob" else "0")
    assert make_signed_in_client(world.here, "ada").get("/tiers/salaries.csv").status_code == 404
    listed = list(
        csv.reader(
            io.StringIO(
                response_text(make_signed_in_client(world.here, "bob").get("/tiers/lately.csv"))
            )
        )
    )
    assert listed[0] == ["When", "Memory", "From", "To", "Why"]
    assert len(listed) == 1 + 6
    assert not any("Mina alone" in line[1] or "A note" in line[1] for line in listed)
    assert ["Fast", "Medium"] in [line[2:4] for line in listed]


def test_without_anything_it_says_what_will_appear(world: World) -> None:
    page = response_text(make_signed_in_client(world.here, "vera").get("/tiers/"))
    assert "Nothing has moved yet" in page
    assert "How many memories each tier holds appears here." in page
    assert "<figure" not in page


def test_it_is_reached_from_every_page_and_from_the_overview(world: World) -> None:
    for name in PEOPLE:
        client = make_signed_in_client(world.here, name)
        [item] = [i for i in client.get("/tiers/").context["nav"] if i["url"] == "/tiers/"]
        assert (item["label"], item["current"]) == ("Tiers", True), name
        assert 'href="/tiers/">What moves between the tiers' in response_text(client.get("/"))


def test_queries_are_few_and_do_not_grow(world: World) -> None:
    fill(world)
    ada = make_signed_in_client(world.here, "ada")
    few = count_queries(ada, "/tiers/")
    fill(world, 6)
    assert count_queries(ada, "/tiers/") == few <= 11


@pytest.mark.parametrize(
    ("name", "tier", "words"),
    [
        ("accesses", "medium", "was used 5 times"),
        ("successes", "slow", "helped 3 times"),
        ("surprise", "slow", "surprised: it helped more than expected, 61 of 100"),
        ("idle", "fast", "was not used for a minute"),
        ("idle", "medium", "was not used for an hour"),
        ("idle", "slow", "was not used for a day"),
        ("faded", "slow", "faded below .3"),
        ("stable", "fast", "surprises little after 10 reports, 61 of 100"),
        ("asked", "slow", "somebody asked for it"),
        ("red_line", "slow", "is protected"),
    ],
)
def test_a_reason_is_a_plain_sentence(name: str, tier: str, words: str) -> None:
    assert reason_sentence(name, tier, 0.61) == words


def test_a_memory_says_where_it_stands_and_how_it_moved(world: World) -> None:
    here, now = world.here, timezone.now()
    id_ = here.remember(here.robot("aria"), "Lunch is at noon.", importance=0.5).id
    bob = make_signed_in_client(here, "bob")
    page = response_text(bob.get(f"/memories/{id_}/"))
    assert "Slow, since" in page
    # ln 2 / (.02 * .75)
    assert "46 days without use" in page
    curve = bob.get(f"/memories/{id_}/").context["standing"]["curve"]
    numbers = [point["value"] for point in curve["values"]]
    # 50 x .1 ^ (step / 12)
    assert numbers == [50, 41, 34, 28, 23, 19, 16, 13, 11, 9, 7, 6, 5]
    assert f"If nobody uses it: 50 % on {curve['values'][0]['label']}" in page
    assert "How it moved" not in page
    assert "Helps" not in page
    moved(
        here,
        id_,
        [(True, now - 3 * DAY), (False, now - 2 * DAY)],
        tier="medium",
        tier_since=now - 2 * DAY,
        last_accessed_at=now,
        updates=4,
        successes=2,
        failures=1,
        surprise=0.25,
    )
    answer = bob.get(f"/memories/{id_}/")
    page, standing = response_text(answer), answer.context["standing"]
    assert "Medium, since" in page
    # ln 10 / (.02 * .75)
    assert timedelta(days=153) < standing["tenth_at"] - now < timedelta(days=154)
    assert [(one["from"], one["to"]) for one in standing["moves"]] == [
        ("Fast", "Medium"),
        ("Medium", "Fast"),
    ]
    assert "60 %, after 4 reports; surprise 25 of 100" in page


def test_a_faded_memory_says_since_when(world: World) -> None:
    here = world.here
    id_ = here.remember(here.robot("aria"), "Lunch is at noon.", category="reminder").id
    answer = make_signed_in_client(here, "bob").get(f"/memories/{id_}/")
    assert answer.context["standing"]["faded"]
    assert "<dd>Since" in response_text(answer)


def test_it_says_what_becomes_of_what_is_over(world: World) -> None:
    fill(world)
    client = make_signed_in_client(world.here, "ada")
    assert "what is over stays all the same" in response_text(client.get("/tiers/"))
    update_policy(world.here.person("ada"), {"evict": True}, now=timezone.now())
    assert "what is over is summarised once a day" in response_text(client.get("/tiers/"))


def test_most_are_more_than_half(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    for n, tier in enumerate(("fast", "fast", "medium", "slow")):
        here.remember(aria, f"Lunch number {n} is at noon.", tier=tier)
    client = make_signed_in_client(here, "ada")
    assert "Fast has the most: 50 %" in response_text(client.get("/tiers/"))
    here.remember(aria, "Lunch is late.", tier="fast")
    assert "Most are fast: 60 %" in response_text(client.get("/tiers/"))


@pytest.mark.conformance("G16")
def test_the_log_tells_how_much_a_memory_surprised_when_it_moved(lasting_world: World) -> None:
    here, now = lasting_world.here, timezone.now()
    id_ = here.remember(here.robot("aria"), "Lunch is at noon.", importance=0.5).id
    # Four reports of full surprise: .3, .51, .657, .7599.
    past = {"since_feedback": 4, "updates": 4, "surprise": 0.7599, "last_accessed_at": now}
    used(here, id_, **past)
    assert move_tiers(here.id, now=now).moves == {("slow", "medium", "surprise"): 1}
    used(here, id_, surprise=0.2)
    bob, said = make_signed_in_client(here, "bob"), "it helped more than expected, 76 of 100"
    assert said in response_text(bob.get(f"/memories/{id_}/"))
    assert said in response_text(bob.get("/tiers/"))
    assert said in response_text(bob.get("/tiers/lately.csv"))
