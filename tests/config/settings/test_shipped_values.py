"""What is shipped: worked values of leases and limits that other tests read by name or override."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from config.settings import limits
from memories.jobs import job_queue, leases
from memories.jobs.models import JobType
from memories.jobs.organisation_run import lease_manual_run
from memories.restatement import llm_worker
from tests.orgs.accounts.test_entrance import enter
from tests.orgs.limits.test_rate_limits import wrong_key
from tests.page_client import get_user, response_text
from tests.world import World

MINUTES = timedelta(minutes=1)
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def no_attempts_yet() -> None:
    cache.clear()


@pytest.mark.conformance("O01")
def test_a_job_is_leased_for_five_minutes(lasting_world: World) -> None:
    here, now = lasting_world.here, timezone.now()
    job = lease_manual_run(here.id, JobType.CONSOLIDATE, now=now)
    after = now + 5 * MINUTES + SECOND
    assert lease_manual_run(here.id, JobType.CONSOLIDATE, now=after).id == job.id
    within = after + 5 * MINUTES - SECOND
    assert lease_manual_run(here.id, JobType.CONSOLIDATE, now=within).id != job.id


def test_other_leases_and_numbers_of_attempts() -> None:
    assert leases.LEASE == 5 * MINUTES
    assert llm_worker.LEASE == 15 * MINUTES
    assert (leases.MAX_ATTEMPTS, job_queue.MAX_ATTEMPTS) == (5, 5)


@pytest.mark.conformance("T17")
def test_after_eight_wrong_passwords_an_address_waits_ten_minutes(world: World) -> None:
    bob, now = get_user(world.here, "bob").email, timezone.now()
    with time_machine.travel(now, tick=False):
        for _ in range(8):
            assert "do not belong together" in response_text(enter(Client(), bob, "wrong"))
        assert "Too many attempts" in response_text(enter(Client(), bob))
    with time_machine.travel(now + 10 * MINUTES - SECOND, tick=False):
        assert "Too many attempts" in response_text(enter(Client(), bob))
    with time_machine.travel(now + 10 * MINUTES + SECOND, tick=False):
        assert enter(Client(), bob).status_code == 302


@pytest.mark.conformance("T17")
def test_after_sixty_wrong_passwords_an_account_waits_an_hour(world: World) -> None:
    bob, now = get_user(world.here, "bob").email, timezone.now()
    with time_machine.travel(now, tick=False):
        for number in range(60):
            enter(Client(REMOTE_ADDR=f"192.0.2.{number}"), bob, "wrong")
    for minutes, blocked in ((59, True), (61, False)):
        with time_machine.travel(now + minutes * MINUTES, tick=False):
            answer = enter(Client(REMOTE_ADDR="192.0.2.99"), bob)
            assert ("Too many attempts" in response_text(answer)) is blocked


@pytest.mark.conformance("T19")
def test_sixty_wrong_keys_a_minute(world: World, settings: Any) -> None:
    settings.LIMITS = dict(limits.LIMITS)
    with time_machine.travel(timezone.now(), tick=False):
        stranger = APIClient(REMOTE_ADDR="192.0.2.60")
        found = [
            stranger.get("/api/v1/stats", HTTP_AUTHORIZATION=wrong_key(world, n)).status_code
            for n in range(61)
        ]
    assert found == [401] * 60 + [429]


@pytest.mark.conformance("T19")
def test_the_limits_that_are_shipped() -> None:
    assert limits.LIMITS == {
        "key-reads": 12_000,
        "key-writes": 12_000,
        "organisation-reads": 60_000,
        "organisation-writes": 60_000,
        "pages": 1_200,
        "address": 1_200,
        "wrong-keys": 60,
        "client-metadata": 20,
        "support-look-ups": 20,
    }
    assert limits.ORGANISATION_BYTES_PER_DAY == 50_000_000_000
