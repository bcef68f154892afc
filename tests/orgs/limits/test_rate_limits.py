"""Limits: a burst goes through, then 429 with the time to wait; reads and writes apart (T19)."""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
import redis
from rest_framework.test import APIClient

from orgs.database.rls import organisation_scope
from orgs.limits import rate_limits, token_buckets
from orgs.limits.token_buckets import Bucket, InProcessBuckets, Limiter
from robots.access import keys
from robots.access.keys import parse_key
from tests.page_client import make_signed_in_client
from tests.world import World

pytestmark = pytest.mark.conformance("T19")
NOW = 1_800_000_000.0
KINDS = ("key-reads", "key-writes", "organisation-reads", "organisation-writes")
OFF = dict.fromkeys((*KINDS, "pages", "address", "wrong-keys"), 0)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Buckets of the test's own, and a process that knows no key yet."""
    monkeypatch.setattr(token_buckets, "KEY_PREFIX", f"test:{secrets.token_hex(6)}:")
    monkeypatch.setattr(token_buckets, "limiter", Limiter())
    monkeypatch.setattr(rate_limits, "_recent_keys", rate_limits.RecentKeys())
    return


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the limits see; the test moves it."""
    told = [NOW]
    monkeypatch.setattr(rate_limits.time, "time", lambda: told[0])
    return told


def limit(settings: Any, **most: int) -> None:
    settings.LIMITS = OFF | {name.replace("_", "-"): value for name, value in most.items()}


def shelves() -> list[Any]:
    return [Limiter(), InProcessBuckets()]


def take(shelf: Any, *wanted: Bucket, now: float) -> Any:
    if isinstance(shelf, Limiter):
        return shelf.take(wanted, now=now)
    return shelf.take(wanted, now)


@pytest.mark.parametrize("shelf", shelves(), ids=["redis", "process"])
def test_a_bucket_empties_refuses_and_fills_steadily(shelf: Any) -> None:
    bucket = Bucket(secrets.token_hex(4), "b", capacity=6, window=60)
    left = [take(shelf, bucket, now=NOW).left[0] for _ in range(6)]
    assert left == [5, 4, 3, 2, 1, 0]
    verdict = take(shelf, bucket, now=NOW)
    assert (verdict.refused, verdict.wait, verdict.left) == (bucket, 10, (0,))
    assert take(shelf, bucket, now=NOW + 9).refused == bucket
    assert take(shelf, bucket, now=NOW + 9).wait == pytest.approx(1)
    assert take(shelf, bucket, now=NOW + 10).refused is None
    assert take(shelf, bucket, now=NOW + 10).refused == bucket
    # A clock that goes back fills nothing, and a long pause fills no more than the bucket holds.
    assert take(shelf, bucket, now=NOW - 500).refused == bucket
    assert take(shelf, bucket, now=NOW + 10_000).left == (5,)


@pytest.mark.parametrize("shelf", shelves(), ids=["redis", "process"])
def test_what_is_given_back_never_overflows(shelf: Any) -> None:
    bucket = Bucket(secrets.token_hex(4), "b", capacity=3, window=60)
    for _ in range(2):
        take(shelf, bucket, now=NOW)
    back = Bucket(bucket.name, "b", capacity=3, window=60, cost=-1, need=0)
    assert [take(shelf, back, now=NOW).left[0] for _ in range(3)] == [2, 3, 3]


@pytest.mark.parametrize("shelf", shelves(), ids=["redis", "process"])
def test_of_several_buckets_all_are_taken_from_or_none(shelf: Any) -> None:
    mark = secrets.token_hex(4)
    wide, narrow = Bucket(f"{mark}w", "w", 10), Bucket(f"{mark}n", "n", 1)
    assert take(shelf, wide, narrow, now=NOW).left == (9, 0)
    refused = take(shelf, wide, narrow, now=NOW)
    assert (refused.refused, refused.left) == (narrow, (9, 0))
    looked = take(shelf, Bucket(f"{mark}n", "n", 1, cost=0, need=1), now=NOW)
    assert looked.refused is not None
    assert take(shelf, Bucket(f"{mark}n", "n", 1, cost=1, need=0), now=NOW).refused is None


def test_parallel_calls_take_no_token_twice() -> None:
    bucket = Bucket(secrets.token_hex(4), "b", capacity=50)
    with ThreadPoolExecutor(8) as pool:
        # Two shelves: two processes.
        shelves = [Limiter(), Limiter()]
        verdicts = pool.map(lambda n: shelves[n % 2].take([bucket], now=NOW), range(120))
        assert sum(v.refused is None for v in verdicts) == 50


def test_what_is_kept_in_the_process_is_bounded() -> None:
    nearby = InProcessBuckets()
    with patch.object(token_buckets, "MAX_LOCAL_BUCKETS", 10):
        for n in range(100):
            nearby.take([Bucket(str(n), "b", 5)], NOW)
    assert len(nearby._kept) == 10


def test_an_unused_bucket_goes_away_by_itself() -> None:
    shelf, bucket = Limiter(), Bucket(secrets.token_hex(4), "b", capacity=6, window=60)
    shelf.take([bucket], now=NOW)
    left = shelf._script.registered_client.pttl(token_buckets.KEY_PREFIX + bucket.name)
    assert 10_000 < left <= 11_000


def check_refusal(answer: Any, policy: str, capacity: int, wait: int) -> None:
    assert answer.status_code == 429, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:commonmind:problem:too-many"
    assert answer.json()["request_id"] == answer["X-Request-ID"]
    assert answer["Retry-After"] == str(wait)
    assert answer["RateLimit"] == f'"{policy}";r=0;t={wait}'
    assert answer["RateLimit-Policy"].startswith(f'"{policy}";q={capacity};w=')


def test_a_key_reads_and_writes_apart(world: World, settings: Any, clock: list[float]) -> None:
    limit(settings, key_reads=3, key_writes=2)
    api, other = world.here.api("aria"), world.here.api("bolt")
    assert [api.get("/api/v1/stats").status_code for _ in range(3)] == [200] * 3
    check_refusal(api.get("/api/v1/stats"), "key-reads", 3, 20)
    # A question is a POST, and reads.
    check_refusal(api.post("/api/v1/recall", {"query": "x"}, format="json"), "key-reads", 3, 20)
    for text in ("one", "two"):
        answer = api.post("/api/v1/memories", {"content": text}, format="json")
        assert answer.status_code == 201
    answer = api.post("/api/v1/memories", {"content": "three"}, format="json")
    check_refusal(answer, "key-writes", 2, 30)
    assert other.get("/api/v1/stats").status_code == 200
    clock[0] += 20
    assert api.get("/api/v1/stats").status_code == 200


def test_an_organisation_is_limited_as_a_whole(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings, organisation_reads=3, organisation_writes=1)
    here = world.here
    callers = [here.api("aria"), here.api("bolt"), here.browser("ada")]
    assert [one.get("/api/v1/stats").status_code for one in callers] == [200] * 3
    check_refusal(here.api("clio").get("/api/v1/stats"), "organisation-reads", 3, 20)
    assert callers[0].post("/api/v1/memories", {"content": "x"}, format="json").status_code == 201
    # What is written on the pages counts for the same organisation.
    page = make_signed_in_client(here, "mina").post("/me/learning/", {"on": "1"})
    assert (page.status_code, page["Retry-After"]) == (429, "60")
    assert b"<h1>Too many attempts" in page.content
    assert world.there.api("aria").get("/api/v1/stats").status_code == 200


def test_an_organisation_has_a_quota_of_bytes(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings)
    settings.ORGANISATION_BYTES_PER_DAY = 1_000
    api = world.here.api("aria")
    body = {"content": "x" * 700}
    assert api.post("/api/v1/memories", body, format="json").status_code == 201
    answer = world.here.api("bolt").post("/api/v1/memories", body, format="json")
    assert answer.status_code == 429
    assert answer["RateLimit-Policy"] == '"organisation-bytes";q=1000;w=86400'
    assert 30_000 < int(answer["Retry-After"]) < 60_000
    assert api.get("/api/v1/stats").status_code == 200
    clock[0] += 86_400
    # More than a day's quota at once is one day's quota.
    large = {"content": "y" * 5_000}
    assert api.post("/api/v1/memories", large, format="json").status_code == 201


def wrong_key(world: World, number: int) -> str:
    """A key in form, of an organisation that is there, which was never made."""
    return f"Bearer cmk_{world.here.id.hex}_{'a' * 12}_{number:043}"


def test_wrong_keys_are_refused_before_the_database_is_asked(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings, wrong_keys=5)
    right = world.here.api("aria")
    assert right.get("/api/v1/stats").status_code == 200
    wrong = APIClient()
    for n in range(5):
        key = wrong_key(world, n)
        assert wrong.get("/api/v1/stats", HTTP_AUTHORIZATION=key).status_code == 401
    with patch.object(keys, "fetch_in_scope", side_effect=AssertionError("the database is asked")):
        key = wrong_key(world, 99)
        check_refusal(wrong.get("/api/v1/stats", HTTP_AUTHORIZATION=key), "wrong-keys", 5, 12)
    assert parse_key(key.removeprefix("Bearer ")), "its form alone does not refuse it"
    # The right key of the same address goes on; elsewhere nobody is held off.
    assert right.get("/api/v1/stats").status_code == 200
    elsewhere = APIClient(REMOTE_ADDR="192.0.2.9", HTTP_AUTHORIZATION=key)
    assert elsewhere.get("/api/v1/stats").status_code == 401


def test_a_key_that_was_revoked_is_wrong_from_then_on(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings, wrong_keys=1)
    api, here = world.here.api("bolt"), world.here
    assert api.get("/api/v1/stats").status_code == 200
    assert rate_limits._recent_keys._kept
    with organisation_scope(here.id):
        keys.revoke_organisation_keys(here.id, here.organisation.created_at)
    assert api.get("/api/v1/stats").status_code == 401
    assert not rate_limits._recent_keys._kept
    check_refusal(api.get("/api/v1/stats"), "wrong-keys", 1, 60)


def test_a_claimed_organisation_is_not_counted(world: World, settings: Any) -> None:
    limit(settings, organisation_reads=2)
    for _ in range(5):
        key = wrong_key(world, 7)
        assert APIClient().get("/api/v1/stats", HTTP_AUTHORIZATION=key).status_code == 401
    assert world.here.api("aria").get("/api/v1/stats").status_code == 200


def test_people_are_limited_by_account_and_strangers_by_address(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings, pages=2, address=2)
    one, two = make_signed_in_client(world.here, "mina"), make_signed_in_client(world.here, "mina")
    assert (one.get("/me/").status_code, two.get("/me/").status_code) == (200, 200)
    assert one.get("/me/").status_code == 429
    assert make_signed_in_client(world.here, "bob").get("/me/").status_code == 200
    nobody = APIClient()
    assert nobody.get("/api/v1/schema").status_code == 200
    assert nobody.get("/accounts/login/").status_code == 200
    assert nobody.get("/accounts/login/").status_code == 429
    check_refusal(nobody.get("/api/v1/stats"), "address", 2, 30)
    assert nobody.get("/healthz").status_code == 200, "machines may watch in a flood"


def test_without_redis_each_process_counts_for_itself(
    world: World, settings: Any, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(settings, key_reads=2)

    def away(*args: object, **kwargs: object) -> None:
        raise redis.ConnectionError

    monkeypatch.setattr("redis.connection.ConnectionPool.get_connection", away)
    api = world.here.api("aria")
    assert [api.get("/api/v1/stats").status_code for _ in range(3)] == [200, 200, 429]
    # Another process.
    monkeypatch.setattr(token_buckets, "limiter", Limiter())
    assert api.get("/api/v1/stats").status_code == 200


def test_zero_is_no_limit(world: World, settings: Any) -> None:
    limit(settings)
    with patch.object(
        token_buckets.Limiter, "take", side_effect=AssertionError("nothing is counted")
    ):
        assert world.here.api("aria").get("/api/v1/stats").status_code == 200


def test_the_defaults_let_a_robot_work_at_full_speed() -> None:
    from config.settings import limits as defaults

    assert min(defaults.LIMITS["key-reads"], defaults.LIMITS["key-writes"]) >= 6_000
    # 1,000 memories in each batch, as fast as the server has ever taken them.
    assert defaults.LIMITS["key-writes"] * 1_000 / 60 > 7_000
    assert defaults.LIMITS["organisation-writes"] >= 5 * defaults.LIMITS["key-writes"]


def left(world: World, robot: str, kind: str) -> float:
    """How many calls the robot's key has left."""
    digest = rate_limits.key_digest(f"Bearer {world.here.keys[robot]}")
    bucket = rate_limits._key_bucket(digest, writes=kind == "key-writes")
    taken = token_buckets.limiter.take([replace(bucket, cost=0, need=0)], now=NOW)
    return taken.left[0]


def left_of_all(world: World, kind: str) -> float:
    bucket = rate_limits._organisation_bucket(world.here.id, writes=kind.endswith("writes"))
    return token_buckets.limiter.take([replace(bucket, cost=0, need=0)], now=NOW).left[0]


QUESTIONS: dict[str, tuple[str, dict[str, Any], int]] = {
    "plain recall": ("recall", {}, 1),
    "recall, reranked": ("recall", {"rerank": True}, 11),
    "context": ("context", {}, 2),
    "context, reranked": ("context", {"rerank": True}, 12),
    "answer": ("answer", {}, 2),
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_dear_question_counts_for_several_calls(
    world: World, settings: Any, clock: list[float], kind: str
) -> None:
    limit(settings, key_reads=100, organisation_reads=100)
    path, more, weight = QUESTIONS[kind]
    body = {"query": "zebra", **more}
    answer = world.here.api("aria").post(f"/api/v1/{path}", body, format="json")
    assert answer.status_code == 200, answer.content
    assert left(world, "aria", "key-reads") == 100 - weight
    assert left_of_all(world, "organisation-reads") == 100 - weight


@pytest.mark.parametrize(("items", "weight"), [(1, 1), (5, 1), (6, 2), (23, 5)])
def test_a_batch_counts_by_its_items(
    world: World, settings: Any, clock: list[float], items: int, weight: int
) -> None:
    limit(settings, key_writes=100, organisation_writes=100)
    api = world.here.api("aria")
    body = {"items": [{"content": f"zebra {n}"} for n in range(items)]}
    assert api.post("/api/v1/memories/batch", body, format="json").status_code == 200
    assert left(world, "aria", "key-writes") == 100 - weight
    assert left_of_all(world, "organisation-writes") == 100 - weight


def test_a_batch_that_is_too_dear_for_now_writes_nothing(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings, key_writes=4)
    api = world.here.api("aria")
    body = {"items": [{"content": f"zebra {n}"} for n in range(15)]}
    assert api.post("/api/v1/memories", {"content": "one"}, format="json").status_code == 201
    assert api.post("/api/v1/memories/batch", body, format="json").status_code == 200
    kept = world.here.readable(world.here.robot("aria"))
    body = {"items": [{"content": f"giraffe {n}"} for n in range(15)]}
    answer = api.post("/api/v1/memories/batch", body, format="json")
    check_refusal(answer, "key-writes", 4, 15)
    # Whoever comes back when they are told gets there: a refused call takes nothing.
    clock[0] += 15
    check_refusal(api.post("/api/v1/memories/batch", body, format="json"), "key-writes", 4, 30)
    clock[0] += 30
    assert world.here.readable(world.here.robot("aria")) == kept
    assert api.post("/api/v1/memories/batch", body, format="json").status_code == 200


def test_a_call_that_counts_for_more_than_the_limit_is_made_once_it_is_whole(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings, key_writes=2, organisation_writes=2)
    api = world.here.api("aria")
    body = {"items": [{"content": f"zebra {n}"} for n in range(40)]}
    assert api.post("/api/v1/memories/batch", body, format="json").status_code == 200
    assert api.post("/api/v1/memories/batch", body, format="json").status_code == 429
    clock[0] += 60
    assert api.post("/api/v1/memories/batch", body, format="json").status_code == 200


def test_a_person_at_the_api_is_charged_for_a_batch_too(
    world: World, settings: Any, clock: list[float]
) -> None:
    limit(settings, key_writes=3)
    api = world.here.browser("ada")
    body = {"items": [{"content": f"zebra {n}"} for n in range(15)]}
    assert api.post("/api/v1/memories/batch", body, format="json").status_code == 200
    check_refusal(
        api.post("/api/v1/memories", {"content": "x"}, format="json"), "key-writes", 3, 20
    )


@pytest.mark.parametrize("items", [None, "many", 7, {"a": 1}, []])
def test_items_that_are_no_list_are_told_so_and_count_for_one(
    world: World, settings: Any, clock: list[float], items: Any
) -> None:
    limit(settings, key_writes=100)
    api = world.here.api("aria")
    answer = api.post("/api/v1/memories/batch", {"items": items}, format="json")
    assert answer.status_code == 400
    assert left(world, "aria", "key-writes") == 99
    listed = api.post("/api/v1/memories/batch", [1, 2], format="json")
    assert listed.status_code == 400
