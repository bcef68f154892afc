"""Times in words in a recall: whose clock counts, lists, and the time taken out of the question."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from memories.retrieval.recall import recall
from memories.retrieval.resolve_filters import Query
from orgs.iso_times import parse_time
from orgs.members.member_settings import set_time_zone
from tests.world import Tenant, World

# Wednesday; in Auckland it is Thursday already.
NOW = datetime(2026, 3, 11, 15, 30, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def here(world: World) -> Tenant:
    here = world.here
    for days in (0, 1, 6, 40):
        here.remember(here.robot("aria"), f"apple {days}", occurred_at=NOW - days * DAY)
    return here


def found(here: Tenant, *timeframe: Any, text: str = "apple", **fields: Any) -> set[str]:
    query = Query(text=text, timeframe=timeframe, strategy="keyword", **fields)
    answer = recall(here.robot("aria"), query, now=NOW)
    return {row.content.removeprefix("apple ") for _, row in answer.hits}


@pytest.mark.conformance("H23")
def test_words_ranges_and_lists_narrow(here: Tenant) -> None:
    assert found(here) == {"0", "1", "6", "40"}
    assert found(here, "today") == {"0"}
    assert found(here, "last week") == {"6"}
    assert found(here, "last week", "yesterday") == {"1", "6"}
    assert found(here, "since thursday") == {"0", "1", "6"}
    assert found(here, "before March") == {"40"}
    assert found(here, (None, NOW - 30 * DAY), "today") == {"0", "40"}
    assert found(here, "tomorrow") == set()


def test_the_day_is_that_of_whom_it_is_asked_for(here: Tenant) -> None:
    """15:30 in London is early on Thursday in Auckland: today has begun at 11:00."""
    early = here.remember(here.robot("aria"), "apple at ten", occurred_at=NOW.replace(hour=10))
    assert early.status == "active"
    mina = here.person("mina")
    set_time_zone(mina, "Pacific/Auckland", now=NOW)
    assert "at ten" in found(here, "today")
    for_mina = found(here, "today", member=str(here.members["mina"].id))
    assert for_mina == {"0"}
    asked = Query(text="apple", timeframe=("today",), strategy="keyword")
    answer = recall(mina, asked, now=NOW)
    assert [row.content for _, row in answer.hits] == ["apple 0"]
    start, end = answer.query.ranges[0]
    assert (start, end) == (
        datetime(2026, 3, 11, 11, tzinfo=UTC),
        datetime(2026, 3, 12, 10, 59, 59, 999_999, tzinfo=UTC),
    )


def asked(api: APIClient, **body: Any) -> Any:
    answer = api.post("/api/v1/recall", {"strategy": "keyword", **body}, format="json")
    assert answer.status_code == 200, answer.json()
    return answer.json()


@pytest.mark.conformance("H24")
def test_auto_asks_without_the_time_and_tells_both(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    now = datetime.now(UTC)
    here.remember(here.robot("aria"), "We discuss apples.", occurred_at=now - 7 * DAY)
    here.remember(here.robot("aria"), "We discuss more apples.", occurred_at=now)
    answer = asked(api, query="what did we discuss last week about apples", timeframe="auto")
    assert answer["query"] == "what did we discuss about apples"
    [frame] = answer["timeframe"]
    monday = (now - timedelta(days=now.weekday() + 7)).date()
    assert frame["from"] == f"{monday}T00:00:00Z"
    assert [hit["content"] for hit in answer["results"]] == ["We discuss apples."]
    plain = asked(api, query="what did we discuss about apples", timeframe="auto")
    assert (plain["query"], plain["timeframe"]) == ("what did we discuss about apples", None)
    assert len(plain["results"]) == 2
    assert asked(api, query="apples", timeframe="none")["timeframe"] is None


@pytest.mark.conformance("X10")
def test_a_date_as_an_upper_bound_includes_its_day(world: World) -> None:
    here, api = world.here, world.here.api("aria")
    days = ("2026-03-01T08:00:00Z", "2026-03-31T16:30:00Z", "2026-04-01T00:00:00Z")
    for day in days:
        here.remember(here.robot("aria"), f"apple of {day}", occurred_at=parse_time(day))

    def days_of(**body: Any) -> set[str]:
        return {hit["content"][9:] for hit in asked(api, query="apple", **body)["results"]}

    assert days_of(timeframe={"from": "2026-03-01", "to": "2026-03-31"}) == {*days[:2]}
    assert days_of(timeframe="from 2026-03-01 to 2026-03-31") == {*days[:2]}
    assert days_of(timeframe={"from": "2026-03-31", "to": "2026-03-31"}) == {days[1]}
    assert days_of(timeframe={"to": "2026-03-31T16:29:59Z"}) == {days[0]}
    for period in ("since=2026-03-31&until=2026-03-31", "until=2026-03-31&since=2026-03-30"):
        [row] = api.get(f"/api/v1/memories?{period}").json()["results"]
        assert row["occurred_at"] == days[1]
    wrong = api.get("/api/v1/memories?until=1712100812345")
    assert wrong.status_code == 400
    assert "milliseconds since 1970" in str(wrong.json())


@pytest.mark.conformance("H23")
def test_what_is_not_understood_is_named(here: Tenant) -> None:
    api = here.api("aria")
    for frame in ("soon", ["yesterday", "soon"]):
        body = {"query": "apple", "timeframe": frame}
        answer = api.post("/api/v1/recall", body, format="json")
        assert answer.status_code == 400
        assert "“soon” is no timeframe" in str(answer.json())


def test_an_explanation_reads_it_too(here: Tenant) -> None:
    id_ = here.remember(here.robot("aria"), "apple of long ago", occurred_at=NOW - 900 * DAY).id
    body = {"query": "what of apple yesterday", "timeframe": "auto", "strategy": "keyword"}
    answer = here.api("aria").post(f"/api/v1/memories/{id_}/explain", body, format="json")
    assert [one["code"] for one in answer.json()["reasons"]] == ["excluded-by-timeframe"]
