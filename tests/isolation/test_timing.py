"""How long an answer takes does not tell foreign from absent either (T06)."""

import statistics
import time

import pytest

from memories.embedding.query_cache import get_query_cache
from tests.isolation.api_surface import ABSENT
from tests.isolation.canaries import plant_canaries
from tests.world import World

# The calls take turns, so a busy machine slows both alike, and a median forgets what is rare.
ROUNDS = 1200


def difference(client: object, secret: str, absent: str, call: str, body: str | None) -> float:
    """How far the medians lie apart, as a share of the smaller; calls take turns."""
    took: dict[str, list[float]] = {secret: [], absent: []}
    for n in range(ROUNDS):
        for value in (secret, absent) if n % 2 else (absent, secret):
            started = time.perf_counter()
            if body is None:
                answer = client.get(call.format(value))  # type: ignore[attr-defined]
            else:
                answer = client.post(call, {"query": "word", body: value}, format="json")  # type: ignore[attr-defined]
            took[value].append(time.perf_counter() - started)
            assert answer.status_code == 404
    medians = [statistics.median(times) for times in took.values()]
    return abs(medians[0] - medians[1]) / min(medians)


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.conformance("T06")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("kind", "call", "body"),
    [
        ("foreign memory", "/api/v1/memories/{}", None),
        ("hidden memory", "/api/v1/memories/{}", None),
        ("foreign group", "/api/v1/groups/{}", None),
        ("hidden group", "/api/v1/groups/{}", None),
        ("hidden group", "/api/v1/groups/{}/members", None),
        ("foreign member", "/api/v1/members/{}", None),
        ("hidden member", "/api/v1/members/{}", None),
        ("foreign robot", "/api/v1/robots/{}", None),
        ("foreign group", "/api/v1/recall", "group"),
        ("hidden group", "/api/v1/recall", "group"),
    ],
)
def test_foreign_and_absent_take_equally_long(
    lasting_world: World, kind: str, call: str, body: str | None
) -> None:
    stage = plant_canaries(lasting_world)
    here, there = lasting_world.here, lasting_world.there
    secret = {
        "foreign memory": stage.memories["canary-there"],
        "hidden memory": stage.memories["canary-private-mina"],
        "foreign group": there.groups["design"].id,
        "hidden group": here.groups["design"].id,
        "foreign member": there.members["mina"].id,
        "hidden member": here.members["ada"].id,
        "foreign robot": there.robots["clio"].id,
    }[kind]
    client = here.api("bolt")
    assert difference(client, str(secret), ABSENT, call, body) < 0.10


@pytest.mark.conformance("T29")
def test_no_question_is_answered_faster_because_another_has_asked_it(world: World) -> None:
    """A vector that is kept spares the encoder's time, and `took_ms` says so to a thousandth."""
    here, kept = world.here, get_query_cache()
    here.remember(here.robot("aria"), "Lawyers sit on the third floor.", group="launch")
    asked = {"query": "Which lawyer helps with a divorce?"}
    bob, mina = here.browser("bob"), here.browser("mina")
    for client in (bob, mina):
        for path in ("/api/v1/recall", "/api/v1/context", "/api/v1/answer"):
            for spared in (False, True) if path.endswith("recall") else (True,):
                before = kept.misses
                assert client.post(path, asked, format="json").status_code == 200
                assert (kept.misses == before) is spared, (path, spared)
    before = kept.misses
    plain = here.api("bolt").post("/api/v1/recall", asked, format="json")
    assert plain.status_code == 200
    assert kept.misses > before
