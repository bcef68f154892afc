"""What is sent, how it is signed, and what becomes of what is not taken (N08)."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.test import override_settings
from django.utils import timezone

from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.lifecycle.forget import forget_memory
from memories.privacy.erase_memory import erase_memory
from memories.webhooks import read_feeds as feed_module
from memories.webhooks import send_deliveries as sending
from memories.webhooks.delivery_log import delete_old_deliveries, enqueue_test, redeliver
from memories.webhooks.endpoints import rotate_secret, update_endpoint
from memories.webhooks.models import WebhookDelivery
from memories.webhooks.owners import list_open_endpoints
from memories.webhooks.retry_schedule import MAX_ATTEMPTS, compute_delay, compute_pause
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError
from orgs.outbound import post
from orgs.outbound.post import PostResult
from robots.models.robots import RobotGroup
from tests.memories.webhooks.receiver import (
    Receiver,
    Request,
    by_key,
    deliveries,
    due_now,
    endpoint,
    pump,
    read,
    receiving,
    say,
    send,
    stopped_for,
    verify,
)
from tests.world import Tenant

pytestmark = [pytest.mark.conformance("N08"), pytest.mark.usefixtures("lasting_world")]
CANARY = "Canary: the launch is on Monday."
LAUNCH: dict[str, Any] = {"visibility": "group", "group": "launch"}


def states(here: Tenant) -> list[str]:
    return sorted(deliveries(here, "state"))


def test_a_message_is_signed_by_the_standard(here: Tenant, receiver: Receiver) -> None:
    made = endpoint(by_key(here, "aria"), receiver.url)
    said = say(here.person("mina"), CANARY, **LAUNCH)
    assert pump(here) == 1
    [request] = receiver.requests
    assert verify(made.secret, request)
    assert request.headers["content-type"] == "application/json"
    assert request.headers["webhook-id"].startswith("msg_")
    assert set(request.json) == {"type", "timestamp", "data"}
    assert request.json["data"]["id"] == str(said)
    changed = Request(request.headers, request.body + b" ", request.path)
    assert not verify(made.secret, changed)
    assert not verify(endpoint(by_key(here, "aria"), receiver.url).secret, request)
    assert states(here) == ["sent"]


def test_a_signature_of_the_specification() -> None:
    """The example of standardwebhooks.com."""
    signature = sending.signed_headers(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )["webhook-signature"]
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_without_with_text_no_word_leaves(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url)
    mina = here.person("mina")
    for number in range(3):
        said = say(mina, f"{CANARY} {number}", topic="Canary", tags=("canary",), **LAUNCH)
        pump(here)
        forget_memory(mina, said, now=timezone.now())
        pump(here)
    assert len(receiver.requests) == 6
    assert b"anary" not in b"".join(one.body for one in receiver.requests)
    with organisation_scope(here.id, using="worker"):
        rows = list(
            WebhookDelivery.objects.using("worker").filter(organisation_id=here.id).values()
        )
    assert "anary" not in str(rows)


def test_with_text_it_is_that_of_the_moment(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url, ["memory.created"], with_text=True)
    said = say(here.person("mina"), CANARY, **LAUNCH)
    read(here)
    edit_memory(here.person("mina"), said, {"content": "It is on Friday."}, now=timezone.now())
    send(here)
    assert [one.json["data"]["content"] for one in receiver.requests] == ["It is on Friday."]


def test_an_encrypted_text_never_leaves(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url, with_text=True)
    said = say(here.person("mina"), CANARY, sensitive=True, **LAUNCH)
    pump(here)
    [request] = receiver.requests
    assert request.json["data"]["id"] == str(said)
    assert request.json["data"]["content"] is None
    assert b"Canary" not in request.body


def erased(here: Tenant, said: Any) -> None:
    erase_memory(here.person("mina"), said, confirm=str(said), now=timezone.now())


def forgotten(here: Tenant, said: Any) -> None:
    forget_memory(here.person("mina"), said, now=timezone.now())


def narrowed(here: Tenant, said: Any) -> None:
    alone: dict[str, Any] = {"visibility": "private", "readers": {}, "group": None}
    share_memory(here.person("mina"), said, **alone, now=timezone.now())


def left(here: Tenant, said: Any) -> None:
    with organisation_scope(here.id):
        RobotGroup.objects.filter(robot_id=here.robots["aria"].id).delete()


@pytest.mark.parametrize("lose", [erased, forgotten, narrowed, left])
@pytest.mark.parametrize("failed", [False, True])
def test_what_the_owner_lost_between_event_and_sending_is_not_sent(
    here: Tenant, receiver: Receiver, lose: Any, failed: bool
) -> None:
    """Neither the first time, nor again after a failure."""
    endpoint(by_key(here, "aria"), receiver.url, ["memory.created"], with_text=True)
    said = say(here.person("mina"), CANARY, **LAUNCH)
    assert read(here) == 1
    if failed:
        receiver.answer = lambda number, request: (500, {}, 0)
        send(here)
        receiver.requests.clear()
    lose(here, said)
    due_now(here)
    assert send(here) == 0
    assert receiver.requests == []
    assert states(here) == ["withheld"]


def test_an_end_is_not_told_to_who_left_meanwhile(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url, ["memory.forgotten"])
    said = say(here.person("mina"), CANARY, **LAUNCH)
    read(here)
    forgotten(here, said)
    assert read(here) == 1
    left(here, said)
    assert send(here) == 0
    assert states(here) == ["withheld"]


def test_a_failure_is_tried_again_with_the_same_id(here: Tenant, receiver: Receiver) -> None:
    made = endpoint(by_key(here, "aria"), receiver.url)
    receiver.answer = lambda number, request: (500 if number == 1 else 204, {}, 0)
    say(here.person("mina"), CANARY, **LAUNCH)
    pump(here)
    assert deliveries(here, "state", "status", "error", "attempts") == [
        ("waiting", 500, "status", 1)
    ]
    [(next_at, at)] = deliveries(here, "next_attempt_at", "attempted_at")
    assert timedelta(seconds=4) < next_at - at < timedelta(seconds=7)
    assert send(here) == 0, "it is not time yet"
    due_now(here)
    assert send(here) == 1
    first, second = receiver.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert verify(made.secret, second)
    assert deliveries(here, "state", "status", "error", "attempts") == [("sent", 204, "", 2)]


def test_after_twelve_failures_it_is_dead(here: Tenant, receiver: Receiver) -> None:
    ada = here.person("ada")
    made = endpoint(ada, receiver.url)
    receiver.answer = lambda number, request: (503, {}, 0)
    say(ada, CANARY, visibility="organisation")
    pump(here)
    for _ in range(MAX_ATTEMPTS + 3):
        due_now(here)
        send(here)
    assert len(receiver.requests) == MAX_ATTEMPTS
    assert deliveries(here, "state", "attempts", "next_attempt_at") == [("dead", 12, None)]
    receiver.answer = lambda number, request: (200, {}, 0)
    [delivery] = deliveries(here)
    redeliver(ada, made.endpoint.id, delivery.id, now=timezone.now())
    with pytest.raises(AlreadyExistsError):
        redeliver(ada, made.endpoint.id, delivery.id, now=timezone.now())
    assert send(here) == 1
    assert deliveries(here, "state", "attempts", "status") == [("sent", 1, 200)]
    assert len({one.headers["webhook-id"] for one in receiver.requests}) == 1


def test_the_delays_grow_from_seconds_to_a_day() -> None:
    delays = [compute_delay(n, lambda: 0.5) for n in range(1, MAX_ATTEMPTS)]
    assert delays[:4] == [timedelta(seconds=s) for s in (5, 20, 80, 320)]
    assert delays[-1] == timedelta(hours=24)
    assert delays == sorted(delays)
    assert compute_delay(MAX_ATTEMPTS, lambda: 0.5) is None
    assert compute_delay(1, lambda: 0.0) == timedelta(seconds=4)
    assert compute_delay(1, lambda: 1.0) == timedelta(seconds=6)
    assert compute_pause(1) == timedelta(seconds=5)
    assert compute_pause(10_000) == timedelta(minutes=5)


def test_410_switches_the_endpoint_off(here: Tenant, receiver: Receiver) -> None:
    aria = by_key(here, "aria")
    made = endpoint(aria, receiver.url).endpoint
    receiver.answer = lambda number, request: (410, {}, 0)
    say(here.person("mina"), CANARY, **LAUNCH)
    pump(here)
    assert stopped_for(here, made.id) == "gone"
    say(here.person("mina"), f"{CANARY} Again.", **LAUNCH)
    due_now(here)
    assert pump(here) == 0
    receiver.answer = lambda number, request: (200, {}, 0)
    update_endpoint(aria, made.id, {"enabled": True}, now=timezone.now())
    due_now(here)
    assert pump(here) == 2, "what happened meanwhile is told"


def test_a_redirect_is_a_failure_and_is_not_followed(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url)
    with receiving() as other:
        receiver.answer = lambda number, request: (302, {"Location": other.url}, 0)
        say(here.person("mina"), CANARY, **LAUNCH)
        pump(here)
        receiver.answer = lambda number, request: (
            307,
            {"Location": "http://169.254.169.254/latest/meta-data"},
            0,
        )
        due_now(here)
        send(here)
        assert other.requests == []
    assert deliveries(here, "state", "status", "error") == [("waiting", 307, "status")]


def test_a_receiver_that_hangs_is_given_up(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post, "SECONDS", 0.3)
    endpoint(by_key(here, "aria"), receiver.url)
    receiver.answer = lambda number, request: (200, {}, 30)
    say(here.person("mina"), CANARY, **LAUNCH)
    started = time.monotonic()
    pump(here)
    assert time.monotonic() - started < 10
    assert deliveries(here, "state", "status", "error") == [("waiting", None, "timeout")]


def test_during_a_rotation_both_secrets_sign(here: Tenant, receiver: Receiver) -> None:
    aria, now = by_key(here, "aria"), timezone.now()
    made = endpoint(aria, receiver.url)
    rotated = rotate_secret(aria, made.endpoint.id, now=now)
    assert rotated.secret != made.secret
    say(here.person("mina"), CANARY, **LAUNCH)
    pump(here)
    assert verify(made.secret, receiver.requests[0])
    assert verify(rotated.secret, receiver.requests[0])
    rotate_secret(aria, made.endpoint.id, now=now - timedelta(days=2))
    say(here.person("mina"), f"{CANARY} Again.", **LAUNCH)
    pump(here)
    assert not verify(made.secret, receiver.requests[1])
    assert not verify(rotated.secret, receiver.requests[1]), "a day is over"


def test_without_its_secret_nothing_is_sent(here: Tenant, receiver: Receiver) -> None:
    made = endpoint(by_key(here, "aria"), receiver.url).endpoint
    say(here.person("mina"), CANARY, **LAUNCH)
    read(here)
    with override_settings(SECRET_KEY="another one", SECRET_KEY_FALLBACKS=[]):
        assert send(here) == 0
    assert stopped_for(here, made.id) == "secret"


def test_an_address_that_the_settings_forbid_now_is_not_called(
    here: Tenant, receiver: Receiver
) -> None:
    made = endpoint(by_key(here, "aria"), receiver.url).endpoint
    say(here.person("mina"), CANARY, **LAUNCH)
    read(here)
    with override_settings(WEBHOOK_PRIVATE_HOSTS=frozenset()):
        assert send(here) == 0
    assert receiver.requests == []
    assert stopped_for(here, made.id) == "address"


def test_two_workers_at_once_send_each_once(here: Tenant, receiver: Receiver) -> None:
    ada = here.person("ada")
    endpoint(ada, receiver.url)
    for number in range(20):
        say(ada, f"Number {number}.", visibility="organisation")
    begin = threading.Barrier(3)

    def work() -> None:
        begin.wait()
        try:
            pump(here)
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(60)
    pump(here)
    assert len(deliveries(here)) == 20
    ids = [one.headers["webhook-id"] for one in receiver.requests]
    assert len(ids) == 20 == len(set(ids))
    assert states(here) == ["sent"] * 20


@contextmanager
def beside(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, work: Callable[[], Any]
) -> Iterator[Any]:
    """Yields once another thread stands in the middle of the work, at the call of `name`."""
    inside, go, whole, found = threading.Event(), threading.Event(), getattr(module, name), []

    def waits(*given: Any, **named: Any) -> Any:
        if threading.current_thread() is other:
            inside.set()
            go.wait(5)
        return whole(*given, **named)

    def run() -> None:
        try:
            found.append(work())
        finally:
            connections.close_all()

    monkeypatch.setattr(module, name, waits)
    other = threading.Thread(target=run)
    other.start()
    assert inside.wait(10)
    yield found
    go.set()
    other.join(20)


def test_what_one_worker_prepares_no_other_takes(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint(by_key(here, "aria"), receiver.url)
    say(here.person("mina"), CANARY, **LAUNCH)
    read(here)
    [owner] = list_open_endpoints(here.id)

    def lease() -> list[Any]:
        return sending.lease_messages(owner, 4, now=timezone.now())

    with beside(monkeypatch, sending, "_message", lease) as theirs:
        assert lease() == []
    assert [len(one) for one in theirs] == [1]


def test_what_one_worker_reads_no_other_reads(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint(by_key(here, "aria"), receiver.url)
    say(here.person("mina"), CANARY, **LAUNCH)
    with beside(monkeypatch, feed_module, "read_changes", lambda: read(here)) as theirs:
        assert read(here) == 0
    assert theirs == [1]
    assert len(deliveries(here)) == 1


def test_a_slow_receiver_holds_up_no_other(here: Tenant, receiver: Receiver) -> None:
    ada = here.person("ada")
    fast = receiver.url
    with receiving() as slow:
        slow.answer = lambda number, request: (200, {}, 1.5)
        endpoint(ada, slow.url)
        for number in range(50):
            say(ada, f"Number {number}.", visibility="organisation")
        read(here)
        endpoint(by_key(here, "aria"), fast)
        say(ada, "One more.", visibility="organisation")
        read(here)
        started = time.monotonic()
        came: list[float] = []

        def answer(number: int, request: Request) -> Any:
            came.append(time.monotonic() - started)
            return (200, {}, 0)

        receiver.answer = answer
        send(here, seconds=1.0)
        assert len(came) == 1
        assert len(slow.requests) <= 2 * sending.MAX_OF_ENDPOINT, "no more at the same time"
    # Before the first slow answer came.
    assert came[0] < 1.4


def test_what_failed_is_left_alone_for_a_while(here: Tenant, receiver: Receiver) -> None:
    """Ten thousand waiting messages cost a worker one attempt in five minutes."""
    ada = here.person("ada")
    endpoint(ada, receiver.url)
    for number in range(10):
        say(ada, f"Number {number}.", visibility="organisation")
    receiver.answer = lambda number, request: (500, {}, 0)
    pump(here)
    tried = len(receiver.requests)
    assert tried <= 2 * sending.MAX_OF_ENDPOINT
    assert send(here) == 0
    due_now(here)
    send(here)
    assert len(receiver.requests) == tried + 1
    receiver.answer = lambda number, request: (200, {}, 0)
    due_now(here)
    assert send(here) == 10
    assert states(here) == ["sent"] * 10


def test_a_worker_that_died_loses_nothing(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url)
    say(here.person("mina"), CANARY, **LAUNCH)
    read(here)

    def dies(*_: Any, **__: Any) -> PostResult:
        raise SystemExit

    with pytest.raises(SystemExit):
        send(here, post=dies)
    assert send(here) == 0, "it is leased"
    with organisation_scope(here.id, using="worker"):
        rows = WebhookDelivery.objects.using("worker").filter(organisation_id=here.id)
        rows.update(leased_until=timezone.now() - timedelta(seconds=1))
    assert send(here) == 1


def test_a_test_message_has_no_content(here: Tenant, receiver: Receiver) -> None:
    ada = here.person("ada")
    made = endpoint(ada, receiver.url, ["memory.erased"])
    enqueue_test(ada, made.endpoint.id, now=timezone.now())
    with pytest.raises(AlreadyExistsError):
        enqueue_test(ada, made.endpoint.id, now=timezone.now())
    assert pump(here) == 1
    assert receiver.requests[0].type == "webhook.test"
    assert receiver.requests[0].json["data"] == {"id": None}


def test_the_log_is_kept_for_some_days(here: Tenant, receiver: Receiver) -> None:
    endpoint(by_key(here, "aria"), receiver.url)
    say(here.person("mina"), CANARY, **LAUNCH)
    pump(here)
    later = timezone.now() + timedelta(days=29)
    assert delete_old_deliveries(here.id, now=later) == 0
    assert delete_old_deliveries(here.id, now=later + timedelta(days=2)) == 1
    assert deliveries(here) == []


def test_an_endpoint_that_cannot_be_prepared_holds_up_no_other(
    here: Tenant, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = here.person("ada")
    broken = endpoint(ada, receiver.url + "/broken").endpoint
    endpoint(ada, receiver.url)
    say(ada, CANARY, visibility="organisation")
    whole = sending.lease_messages

    def breaks(owner: Any, most: int, *, now: Any) -> Any:
        if owner.id == broken.id:
            raise ValueError(CANARY)
        return whole(owner, most, now=now)

    monkeypatch.setattr(sending, "lease_messages", breaks)
    read(here)
    assert send(here) == 1
