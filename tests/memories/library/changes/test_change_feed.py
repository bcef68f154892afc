"""The feed of changes: what each act tells to whom, and what nobody learns by it (N27)."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test import override_settings
from django.utils import timezone

from memories.browsing.change_feed.change_feed import CursorTooOldError
from memories.browsing.change_feed.old_departures import delete_old_departures, reset_positions
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.ingestion.drafts import Draft
from memories.ingestion.remember import remember
from memories.lifecycle.forget import archive_memory, forget_memory, restore_memory
from memories.privacy.erase_memory import erase_memory
from memories.store.models.change import Change, Departure
from memories.store.models.memory import Memory
from orgs.database.rls import organisation_scope
from orgs.organisations.groups import add_to_group, remove_from_group
from orgs.principals import Actor, resolve_principal
from tests.isolation.forgery import all_audiences_scope
from tests.memories.library.changes.memory_copy import MemoryCopy, fresh_list
from tests.world import Tenant

pytestmark = [pytest.mark.conformance("N27"), pytest.mark.usefixtures("lasting_world")]
URL = "/api/v1/changes"
EVERYONE = {"visibility": "organisation"}


def say(who: Actor, content: str, **fields: Any) -> UUID:
    return remember(who, Draft(content=content, **fields), now=timezone.now()).id


def copy_of(who: Actor) -> MemoryCopy:
    """A copy that has everything until now."""
    copy = MemoryCopy(who)
    copy.catch_up(timezone.now())
    return copy


def changes(copy: MemoryCopy) -> list[tuple[str, UUID | None]]:
    """(change, id) of each line since the copy was read last."""
    return [(line.change.value, line.id) for line in copy.catch_up(timezone.now())]


def put_in(here: Tenant, group: str, name: str) -> None:
    ids = {"organisation_id": here.id, "group_id": here.groups[group].id}
    add_to_group(**ids, member_ids=[here.members[name].id])


def remove_person_from_group(here: Tenant, group: str, name: str) -> None:
    ids = {"organisation_id": here.id, "group_id": here.groups[group].id}
    remove_from_group(**ids, member_ids=[here.members[name].id])


def test_each_act_is_one_line(here: Tenant) -> None:
    mina, now = here.person("mina"), timezone.now()
    copy = copy_of(mina)
    assert changes(copy) == []
    said = say(mina, "The launch is on Monday.", visibility="private")
    assert changes(copy) == [("made", said)]
    edit_memory(mina, said, {"content": "The launch is on Friday."}, now=now)
    say(mina, "The launch is on Friday.", visibility="private")
    assert changes(copy) == [("changed", said)], "once, as it is now"
    assert copy.rows[said]["content"] == "The launch is on Friday."
    forget_memory(mina, said, now=now)
    assert changes(copy) == [("forgotten", said)]
    restore_memory(mina, said, now=now)
    assert changes(copy) == [("made", said)]
    archive_memory(mina, said, now=now)
    assert changes(copy) == [("gone", said)]
    restore_memory(mina, said, now=now)
    erase_memory(mina, said, confirm=str(said), now=now)
    assert changes(copy) == [], "it came and went meanwhile"
    other = say(mina, "The launch is in the hall.", visibility="private")
    changes(copy)
    erase_memory(mina, other, confirm=str(other), now=now)
    assert changes(copy) == [("erased", other)]
    assert copy.rows == {}


def test_a_memory_that_moves_is_told_to_each_reader_as_it_is_for_them(here: Tenant) -> None:
    mina, bob, vera = (here.person(name) for name in ("mina", "bob", "vera"))
    said = say(mina, "The launch is on Monday.", group="launch", visibility="group")
    copies = [copy_of(who) for who in (mina, bob, vera)]
    chidi, now = here.person("chidi"), timezone.now()
    with organisation_scope(here.id):
        here.groups["launch"].confidential = False
        here.groups["launch"].save(update_fields=["confidential"])
    wider = {"visibility": "organisation", "readers": {}, "group": None}
    share_memory(chidi, said, **wider, now=now)  # type: ignore[arg-type]
    assert [changes(copy) for copy in copies] == [
        [("changed", said)],
        [("changed", said)],
        [("made", said)],
    ]
    narrow = {"visibility": "private", "readers": {}, "group": None}
    share_memory(mina, said, **narrow, now=now)  # type: ignore[arg-type]
    assert [changes(copy) for copy in copies] == [
        [("changed", said)],
        [("gone", said)],
        [("gone", said)],
    ]
    forget_memory(mina, said, now=now)
    assert [changes(copy) for copy in copies] == [[("forgotten", said)], [], []]


def test_who_joins_gets_what_is_there_and_hears_of_nothing_that_was(here: Tenant) -> None:
    mina, bob, now = here.person("mina"), here.person("bob"), timezone.now()
    copy = copy_of(bob)
    was, there = (
        say(mina, f"Number {n} of the design.", group="design", visibility="group")
        for n in range(2)
    )
    forget_memory(mina, was, now=now)
    put_in(here, "design", "bob")
    assert changes(copy) == [("made", there)]
    erase_memory(mina, was, confirm=str(was), now=now)
    assert changes(copy) == []
    forget_memory(mina, there, now=now)
    assert changes(copy) == [("forgotten", there)]


def test_who_leaves_is_told_one_line_and_nothing_of_what_follows(here: Tenant) -> None:
    mina, bob, now = here.person("mina"), here.person("bob"), timezone.now()
    put_in(here, "design", "bob")
    held = [
        say(mina, f"Number {n} of the design.", group="design", visibility="group")
        for n in range(3)
    ]
    copy = copy_of(bob)
    assert set(held) <= copy.rows.keys()
    remove_person_from_group(here, "design", "bob")
    made = say(mina, "Made while Bob was out.", group="design", visibility="group")
    forget_memory(mina, held[0], now=now)
    lines = copy.catch_up(now)
    assert [(line.change.value, line.id, line.memory) for line in lines] == [("gone", None, None)]
    assert not copy.rows.keys() & set(held)
    assert changes(copy) == []
    put_in(here, "design", "bob")
    assert sorted(changes(copy)) == sorted(("made", id_) for id_ in [*held[1:], made])


def test_what_came_and_went_while_somebody_was_out_is_not_told(here: Tenant) -> None:
    """Not even to who left and came back between two looks."""
    mina, now = here.person("mina"), timezone.now()
    put_in(here, "design", "bob")
    there = say(mina, "It was always there.", group="design", visibility="group")
    copy = copy_of(here.person("bob"))
    remove_person_from_group(here, "design", "bob")
    secret = say(mina, "Not for Bob.", group="design", visibility="group")
    erase_memory(mina, secret, confirm=str(secret), now=now)
    forget_memory(mina, there, now=now)
    put_in(here, "design", "bob")
    assert changes(copy) == [("forgotten", there)]
    assert secret not in copy.told


def test_what_waits_for_review_is_no_change_until_it_is_approved(here: Tenant) -> None:
    copy = copy_of(here.person("bob"))
    waiting = remember(
        here.person("mina"), Draft(content="The office is open.", **EVERYONE), now=timezone.now()
    )
    assert waiting.status == "pending_review"
    assert changes(copy) == []


def test_an_end_that_passes_is_told_without_any_act(here: Tenant) -> None:
    mina, now = here.person("mina"), timezone.now()
    hour = timedelta(hours=1)
    ends = say(mina, "Until noon.", visibility="private", expires_at=now + hour)
    stays = say(mina, "For long.", visibility="private", expires_at=now + 4 * hour)
    copy = copy_of(mina)
    assert {ends, stays} <= copy.rows.keys()
    assert [(line.change.value, line.id) for line in copy.catch_up(now + 2 * hour)] == [
        ("gone", ends)
    ]
    assert copy.catch_up(now + 2 * hour) == []
    archive_memory(mina, ends, now=now + 2 * hour)
    assert copy.catch_up(now + 3 * hour) == [], "it was gone already"
    assert copy.rows == fresh_list(mina, now + 3 * hour)


@pytest.mark.parametrize("leaves", [archive_memory, forget_memory])
def test_what_ended_in_a_window_is_told_though_it_leaves_between_its_pages(
    here: Tenant, leaves: Callable[..., Any]
) -> None:
    """The window is of before; the next one begins when it had ended."""
    mina, now = here.person("mina"), timezone.now()
    end = {"visibility": "private", "expires_at": now + timedelta(hours=1)}
    first, *others = [say(mina, f"Until {hour}.", **end) for hour in ("one", "two", "three")]
    copy, later = copy_of(mina), now + timedelta(hours=2)
    [line], more = copy.read(later, limit=1)
    assert (line.change, line.id, more) == ("gone", first, True)
    for id_ in others:
        leaves(mina, id_, now=later)
    told = [(line.change, line.id) for line in copy.catch_up(later + timedelta(hours=1))]
    assert told == [("gone", id_) for id_ in others]
    assert copy.rows == fresh_list(mina, later + timedelta(hours=1)) == {}


@pytest.mark.parametrize("leaves", ["forgotten", "erased", "moved"])
def test_what_ends_in_the_past_and_leaves_before_it_is_told_is_told(
    here: Tenant, leaves: str
) -> None:
    """Its end is put before the last reading, and then it goes: no list shows it any more."""
    ada, now = here.person("ada"), timezone.now()
    id_ = say(ada, "Until the day before yesterday.", **EVERYONE)
    bob = copy_of(here.person("bob"))
    assert id_ in bob.rows
    edit_memory(ada, id_, {"expires_at": now - timedelta(days=2)}, now=timezone.now())
    if leaves == "forgotten":
        forget_memory(ada, id_, now=timezone.now())
    elif leaves == "erased":
        erase_memory(ada, id_, confirm=str(id_), now=timezone.now())
    else:
        share_memory(ada, id_, visibility="private", readers={}, group=None, now=timezone.now())
    assert [one for _, one in changes(bob)] == [id_]
    assert bob.rows == fresh_list(here.person("bob"), timezone.now())
    assert changes(bob) == []


def test_what_commits_late_is_not_missed(here: Tenant) -> None:
    """A transaction that began first and ends last: by a sequence or a time its row would lie
    behind the cursor."""
    mina = here.person("mina")
    copy = copy_of(mina)
    written, read = threading.Event(), threading.Event()
    found: list[UUID] = []

    def write_slowly() -> None:
        try:
            with transaction.atomic():
                found.append(say(here.robot("aria"), "Begun first.", group="launch"))
                written.set()
                assert read.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=write_slowly)
    thread.start()
    assert written.wait(30)
    second = say(mina, "Begun second.", visibility="private")
    before = changes(copy)
    read.set()
    thread.join()
    after = changes(copy)
    assert sorted(before + after) == sorted([("made", found[0]), ("made", second)])
    assert ("made", found[0]) in after


def test_a_copy_that_is_read_while_others_write_is_whole(here: Tenant) -> None:
    people = [here.person(name) for name in ("mina", "bob", "ada")]
    copy, left = copy_of(here.person("mina")), threading.Barrier(len(people) + 1)

    def write(who: Actor, number: int) -> None:
        try:
            for n in range(12):
                said = say(who, f"Number {n} of {number}.", group="launch", visibility="group")
                if n % 3 == 0:
                    forget_memory(who, said, now=timezone.now())
            left.wait(60)
        finally:
            connection.close()

    put_in(here, "launch", "ada")
    threads = [threading.Thread(target=write, args=(who, n)) for n, who in enumerate(people)]
    for thread in threads:
        thread.start()
    while left.n_waiting < len(people):
        copy.read(timezone.now(), limit=3)
    left.wait(60)
    for thread in threads:
        thread.join()
    copy.catch_up(timezone.now())
    assert len(copy.rows) == 24
    assert copy.rows == fresh_list(here.person("mina"), timezone.now())


def test_what_was_there_before_the_feed_is_told_like_the_rest(here: Tenant) -> None:
    mina, now = here.person("mina"), timezone.now()
    old = [say(mina, f"Number {n}.", visibility="private") for n in range(3)]
    with all_audiences_scope(here):
        Change.objects.all().delete()
    copy = copy_of(mina)
    assert copy.rows.keys() == set(old)
    edit_memory(mina, old[0], {"importance": 0.9}, now=now)
    forget_memory(mina, old[1], now=now)
    assert sorted(changes(copy)) == sorted([("changed", old[0]), ("forgotten", old[1])])


def test_a_restore_of_a_backup_begins_every_copy_anew(here: Tenant) -> None:
    mina = here.person("mina")
    said = say(mina, "The launch is on Monday.", visibility="private")
    gone = say(mina, "The launch is on Friday.", visibility="private")
    forget_memory(mina, gone, now=timezone.now())
    reset_positions(lambda text: None)
    with all_audiences_scope(here):
        assert set(Change.objects.values_list("since", "at")) == {(0, 0)}
        assert not Departure.objects.exists()
    assert said in copy_of(mina).rows


def test_a_cursor_ends_after_the_days_for_which_departures_are_kept(here: Tenant) -> None:
    mina, now = here.person("mina"), timezone.now()
    said = say(mina, "The launch is on Monday.", visibility="private")
    copy = copy_of(mina)
    forget_memory(mina, said, now=now)
    with override_settings(CHANGES_DAYS=7):
        assert delete_old_departures(here.id, now=now + timedelta(days=7)) == 0
        copy.read(now + timedelta(days=6, hours=23), limit=1)
        assert copy.rows == {}
        assert delete_old_departures(here.id, now=now + timedelta(days=9)) == 1
        old = copy_of(mina)
        with pytest.raises(CursorTooOldError, match="7 days"):
            old.read(now + timedelta(days=7, minutes=1))


@pytest.mark.parametrize("name", ["mina", "aria"])
def test_the_api_gives_the_memory_and_tombstones_without_text(here: Tenant, name: str) -> None:
    person = name in here.members
    who = here.person(name) if person else here.robot(name)
    client = here.browser(name) if person else here.api(name)
    own = {"visibility": "private" if person else "internal"}
    first = client.get(URL).json()
    assert first["next"] is None
    said = say(who, "The zebra is called Zoe.", **own)
    (line,) = client.get(URL, {"cursor": first["cursor"]}).json()["results"]
    assert line["change"] == "made"
    assert line["memory"] == client.get("/api/v1/memories").json()["results"][0]
    forget_memory(who, said, now=timezone.now())
    answer = client.get(URL, {"cursor": first["cursor"]}).json()
    assert answer["results"] == [], "it was never told"
    say(who, "The lion is called Leo.", **own)
    say(who, "The ant is called Ann.", **own)
    page = client.get(URL, {"cursor": answer["cursor"], "limit": 1}).json()
    assert [row["change"] for row in page["results"]] == ["made"]
    rest = client.get(page["next"]).json()
    assert [row["change"] for row in rest["results"]] == ["made"]
    last = client.get(rest["next"]).json()
    assert (last["results"], last["next"]) == ([], None)
    gone = UUID(page["results"][0]["id"])
    forget_memory(who, gone, now=timezone.now())
    tombstones = client.get(URL, {"cursor": last["cursor"]}).json()["results"]
    assert tombstones == [
        {"change": "forgotten", "id": str(gone), "audience": None, "memory": None}
    ]


def test_a_cursor_is_its_askers_alone_and_tells_nothing(here: Tenant) -> None:
    mina, bob = here.browser("mina"), here.browser("bob")
    say(here.person("mina"), "The launch is on Monday.", visibility="private")
    cursor = mina.get(URL).json()["cursor"]
    own = resolve_principal(here.person("mina"))
    assert str(own.own_audience) not in cursor
    for client, given in ((bob, cursor), (mina, cursor[:-9] + "A" * 9), (mina, "mine")):
        answer = client.get(URL, {"cursor": given})
        assert answer.status_code == 400, answer.content
        assert answer.json()["errors"][0]["field"] == "cursor"
    with override_settings(CHANGES_DAYS=-1):
        late = mina.get(URL, {"cursor": cursor})
    assert late.status_code == 410
    assert late.json()["type"].endswith(":cursor-too-old")


def test_rows_of_the_feed_hold_ids_and_words_of_a_list(here: Tenant) -> None:
    columns = {
        model.__name__: {field.column for field in model._meta.concrete_fields}
        for model in (Change, Departure)
    }
    position = {"organisation_id", "audience_id", "since", "at", "expires_at"}
    assert columns == {
        "Change": {"memory_id", "kind", *position},
        "Departure": {"id", "memory", "reason", "last_change", "left_on", *position},
    }


# What no answer shows, or what always comes with a column that is compared.
UNSHOWN = {
    *("id", "organisation_id", "version", "content_hash", "position", "listeners"),
    *("deposited_by", "proposed_audience_id", "held_for", "red_line_by_id", "red_line_at"),
    *("archived_at", "archived_for", "restored_at", "forgotten_at", "forgotten_by_subject"),
    *("editor_id", "editor_robot_id"),
}


def test_every_shown_column_is_followed(here: Tenant) -> None:
    """A new column of a memory is compared by the trigger, or said here to be shown to nobody."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'memories_memory_changed'"
        )
        ((definition,),) = cursor.fetchall()
    shown = {field.column for field in Memory._meta.concrete_fields} - UNSHOWN
    assert {name for name in shown if f"new.{name}" in definition.lower()} == shown
    assert not [name for name in UNSHOWN if f"new.{name}," in definition.lower()]
