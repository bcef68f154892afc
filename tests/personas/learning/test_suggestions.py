"""A lesson of one persona is suggested to the same role in another industry; a person decides."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from memories.lifecycle.forget import archive_memory
from memories.store.models.version import Derivation
from orgs.database.rls import organisation_scope
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.models.audit import AuditEntry
from orgs.principals import resolve_principal
from personas.block_writes.block_updates import WriteOptions, add_entry, confirm_entry
from personas.errors import BlockTooLongError
from personas.learning.suggestion_job import create_suggestions
from personas.learning.suggestions import accept_suggestion, list_suggestions, reject_suggestion
from robots.models.robots import Robot
from tests.personas.persona_helpers import (
    RETAIL,
    get_block_by_label,
    make_association,
    make_entries,
    make_owner_actor,
)
from tests.world import NOW, Tenant, World

DAY = timedelta(days=1)
SAME_ROLE, OTHER_ROLE = "qsr_asset_management", "qsr_real_estate"
LESSON = "They compare visits of centres before they renew a lease."
OTHER = "They want the trade area as a map."


@pytest.fixture
def here(lasting_world: World) -> Tenant:
    """Mina, Bob and Chidi have retail_asset_management; Ada has qsr_asset_management."""
    here = lasting_world.here
    for name in ("mina", "bob", "chidi"):
        make_association(here, name, RETAIL)
    make_association(here, "ada", SAME_ROLE)
    return here


def taught(here: Tenant, *texts: str) -> list[UUID]:
    """Mina's robot learns it, Bob's confirms it, and the worker has read it."""
    ids = make_entries(here, "mina", *texts, handle=RETAIL)
    bob = make_owner_actor(here, "bob")
    for id_ in ids:
        confirm_entry(
            bob, get_block_by_label(bob, f"{RETAIL}_service_experience").block.id, id_, now=NOW
        )
    here.embed()
    return ids


def shown(here: Tenant, **fields: object) -> list[tuple[str, str, str]]:
    found, _ = list_suggestions(here.person("chidi"), now=NOW, limit=50, **fields)  # type: ignore[arg-type]
    return [(one.text, one.origin, one.persona) for one in found]


@pytest.mark.conformance("P26")
def test_a_lesson_is_suggested_once_and_labelled(here: Tenant) -> None:
    [lesson] = taught(here, LESSON)
    make_entries(here, "mina", OTHER, handle=RETAIL)
    here.embed()
    assert create_suggestions(here.id, now=NOW) == 1
    assert shown(here) == [(LESSON, RETAIL, SAME_ROLE)]
    assert create_suggestions(here.id, now=NOW) == 0

    chidi = here.person("chidi")
    [one] = list_suggestions(chidi, now=NOW, limit=50)[0]
    mine = f"{SAME_ROLE}_service_experience"
    ada = make_owner_actor(here, "ada")
    assert get_block_by_label(ada, mine).entries == []
    with pytest.raises(PermissionError):
        list_suggestions(here.person("mina"), now=NOW, limit=50)
    with pytest.raises(PermissionError):
        accept_suggestion(here.person("mina"), one.id, now=NOW)
    with pytest.raises(PermissionError):
        reject_suggestion(ada, one.id, now=NOW)

    done = accept_suggestion(chidi, one.id, now=NOW)
    [entry] = get_block_by_label(ada, mine).entries
    assert (entry.id, entry.text, entry.source) == (
        done.entry.id,
        LESSON,
        {"suggested_from": RETAIL},
    )
    assert done.lesson.made == entry.id
    with resolve_principal(chidi).scope():
        [link] = Derivation.objects.filter(memory_id=entry.id)
    assert link.source_id == lesson
    plain = replace(here.person("ada"), role="member")
    assert entry.id in here.readable(plain)
    assert lesson not in here.readable(plain), "it is still the other persona's"
    with organisation_scope(here.id):
        found = AuditEntry.objects.filter(action__startswith="suggestion.")
        told = {entry.action: entry.detail for entry in found}
    assert told["suggestion.made"] == {"suggestions": 1}
    assert told["suggestion.accepted"] == {
        "suggestion": str(one.id),
        "lesson": str(lesson),
        "made": str(entry.id),
    }
    with pytest.raises(AlreadyExistsError):
        accept_suggestion(chidi, one.id, now=NOW)
    with pytest.raises(AlreadyExistsError):
        reject_suggestion(chidi, one.id, now=NOW)
    assert shown(here) == []
    assert shown(here, state="accepted", persona=SAME_ROLE) == [(LESSON, RETAIL, SAME_ROLE)]
    assert shown(here, state=None, persona=RETAIL) == []
    assert create_suggestions(here.id, now=NOW) == 0, "it is there by now"


def test_what_is_rejected_is_not_suggested_again(here: Tenant) -> None:
    taught(here, LESSON)
    assert create_suggestions(here.id, now=NOW) == 1
    [one] = list_suggestions(here.person("chidi"), now=NOW, limit=50)[0]
    assert reject_suggestion(here.person("chidi"), one.id, now=NOW).state == "rejected"
    assert create_suggestions(here.id, now=NOW + DAY) == 0
    assert (
        get_block_by_label(make_owner_actor(here, "ada"), f"{SAME_ROLE}_service_experience").entries
        == []
    )
    with organisation_scope(here.id):
        assert AuditEntry.objects.filter(action="suggestion.rejected").count() == 1


def test_what_does_not_count_is_not_suggested(here: Tenant) -> None:
    # One robot alone said the first, however often; a curator's word on a page is no robot's.
    [once, by_hand] = make_entries(
        here, "mina", OTHER, "They ask who anchors a centre.", handle=RETAIL
    )
    retail = f"{RETAIL}_service_experience"
    place = get_block_by_label(make_owner_actor(here, "mina"), retail).block.id
    confirm_entry(make_owner_actor(here, "mina"), place, once, now=NOW + DAY)
    confirm_entry(here.person("chidi"), place, by_hand, now=NOW)
    # The other persona has the second in nearly the same words, and the third in the same.
    taught(here, LESSON, "They read the rent roll first.")
    make_entries(here, "ada", LESSON.replace("of centres", "of the centres"), handle=SAME_ROLE)
    make_entries(here, "ada", "They read the rent roll first.", handle=SAME_ROLE)
    here.embed()
    create_suggestions(here.id, now=NOW)
    assert shown(here) == []
    # Two robots said it, but long ago.
    [old] = taught(here, "They watch who moves in next door.")
    assert create_suggestions(here.id, now=NOW + 91 * DAY) == 0
    assert create_suggestions(here.id, now=NOW + 90 * DAY) == 1
    assert [one.memory_id for one in list_suggestions(here.person("ada"), now=NOW, limit=5)[0]] == [
        old
    ]


def test_another_role_and_the_same_industry_get_nothing(lasting_world: World) -> None:
    here = lasting_world.here
    for name in ("mina", "bob"):
        make_association(here, name, RETAIL)
    make_association(here, "ada", OTHER_ROLE)
    taught(here, LESSON)
    assert create_suggestions(here.id, now=NOW) == 0


def test_a_lesson_that_does_not_hold_any_more_waits_no_longer(here: Tenant) -> None:
    [lesson] = taught(here, LESSON)
    create_suggestions(here.id, now=NOW)
    [one] = list_suggestions(here.person("chidi"), now=NOW, limit=50)[0]
    archive_memory(here.person("chidi"), lesson, now=NOW)
    assert shown(here) == []
    with pytest.raises(NotFoundError):
        accept_suggestion(here.person("chidi"), one.id, now=NOW)


def test_a_full_block_takes_nothing_and_the_suggestion_waits(here: Tenant) -> None:
    taught(here, LESSON)
    create_suggestions(here.id, now=NOW)
    [one] = list_suggestions(here.person("chidi"), now=NOW, limit=50)[0]
    ada = make_owner_actor(here, "ada")
    place = get_block_by_label(ada, f"{SAME_ROLE}_service_experience").block.id
    add_entry(ada, place, "They ask " + "a" * 7_960, wanted=WriteOptions(), now=NOW)
    with pytest.raises(BlockTooLongError):
        accept_suggestion(here.person("chidi"), one.id, now=NOW)
    assert shown(here) == [(LESSON, RETAIL, SAME_ROLE)]


def test_pages_over_the_api(here: Tenant) -> None:
    taught(here, LESSON, OTHER, "They read the rent roll first.")
    assert create_suggestions(here.id, now=NOW) == 3
    chidi = here.browser("chidi")
    url, seen = "/api/v1/personas/suggestions?limit=2", []
    while url:
        body = chidi.get(url).json()
        seen += body["results"]
        url = body["next"]
    assert len({one["id"] for one in seen}) == 3
    assert {one["origin"] for one in seen} == {RETAIL}
    assert here.browser("mina").get("/api/v1/personas/suggestions").status_code == 403
    assert chidi.get("/api/v1/personas/suggestions?state=nonsense").status_code == 400
    first, second, third = (one["id"] for one in seen)
    done = chidi.post(f"/api/v1/personas/suggestions/{first}/accept")
    assert (done.status_code, done.json()["status"]) == (200, "active")
    assert chidi.post(f"/api/v1/personas/suggestions/{first}/reject").status_code == 409
    assert chidi.post(f"/api/v1/personas/suggestions/{second}/reject").json()["state"] == "rejected"
    there = here.browser("mina").post(f"/api/v1/personas/suggestions/{third}/accept")
    assert there.status_code == 403
    absent = f"/api/v1/personas/suggestions/{UUID(int=3)}/accept"
    assert chidi.post(absent).status_code == 404


def test_two_robots_that_one_member_has_had_count_as_one(here: Tenant) -> None:
    [lesson] = make_entries(here, "mina", LESSON, handle=RETAIL)
    with organisation_scope(here.id):
        Robot.objects.filter(owner_id=here.members["mina"].id).update(retired_at=NOW)
    again = make_owner_actor(here, "mina")
    place = get_block_by_label(again, f"{RETAIL}_service_experience").block.id
    confirm_entry(again, place, lesson, now=NOW)
    here.embed()
    assert create_suggestions(here.id, now=NOW) == 0
    bob = make_owner_actor(here, "bob")
    confirm_entry(bob, place, lesson, now=NOW)
    assert create_suggestions(here.id, now=NOW) == 1
