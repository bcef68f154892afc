"""Sessions that are over go, in batches; all others stay, with their sign-ins (O23)."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from memories import tasks
from orgs.accounts import old_sessions
from orgs.models.sign_ins import SignIn
from tests.world import World

NOW = timezone.now()


def keys() -> set[str]:
    return set(Session.objects.values_list("session_key", flat=True))


def leave_session(name: str, days: int) -> None:
    """A session that ends in so many days."""
    Session.objects.create(
        session_key=name, session_data="", expire_date=NOW + timedelta(days=days)
    )


@pytest.mark.parametrize("batch", [1, 2, 5_000])
def test_what_is_over_goes_and_nothing_else(
    world: World, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(old_sessions, "BATCH", batch)
    before = keys()
    for name, days in {"over-1": -1, "over-2": -2, "over-3": -90, "open-1": 1}.items():
        leave_session(name, days)
    user, ago = world.here.members["mina"].user, NOW - timedelta(days=30)
    for name in ("over-1", "open-1", "never"):
        SignIn.objects.create(user=user, session_key=name, browser="x", last_seen_at=ago)
    # Its session is only just being written.
    SignIn.objects.create(user=user, session_key="coming", browser="x", last_seen_at=NOW)
    signed_in = SignIn.objects.count()
    assert old_sessions.delete_old_sessions(now=NOW) == 5
    assert keys() == before | {"open-1"}
    assert SignIn.objects.count() == signed_in - 2
    mine = SignIn.objects.filter(user=user, browser="x").values_list("session_key", flat=True)
    assert set(mine) == {"open-1", "coming"}
    assert old_sessions.delete_old_sessions(now=NOW) == 0


@pytest.mark.conformance("O23", open="sweeps by what is owed; indexes of one organisation")
def test_the_sweep_of_each_hour_does_it(
    lasting_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = lasting_world.here
    ended, browser = here.browser("bob"), here.browser("mina")
    Session.objects.filter(session_key=ended.session.session_key).update(
        expire_date=timezone.now() - timedelta(minutes=1)
    )
    monkeypatch.setattr(tasks, "list_organisation_ids", lambda: [here.id])
    tasks.sweep_operations()
    assert ended.session.session_key not in keys() or ended.get("/").status_code == 302
    assert not Session.objects.filter(expire_date__lt=timezone.now()).exists()
    assert browser.get("/").status_code == 200
    assert Client().get("/").status_code == 302
