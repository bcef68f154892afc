"""Tasks: found, put down, listed in their order, done, and for whom."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memories.access.permissions import ChangeForbiddenError
from memories.access.visibility import MemoryRequestError
from memories.action_items.add_task import TaskDraft, add_task, update_task
from memories.action_items.task_queries import TaskQuery, TaskRow, get_task, list_tasks
from memories.context.assembly.assemble import build_context
from memories.context.sources.context_query import ContextQuery
from memories.curation.copy_and_merge import copy_to_audience
from memories.curation.edit_memory import edit_memory
from memories.curation.share_memory import share_memory
from memories.knowledge_graph import entities
from memories.knowledge_graph.models import Entity, Task
from memories.knowledge_graph.rebuild_graph import rebuild_graph
from memories.lifecycle.forget import forget_memory, restore_memory
from memories.state.supersede_memory import supersede_memory
from memories.store.models.memory import Memory
from orgs.errors import NotFoundError
from orgs.models.audit import AuditEntry
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import create_delegation
from tests.world import NOW, Tenant, World

DAY = timedelta(days=1)


def member(here: Tenant, name: str) -> str:
    return str(here.members[name].id)


def put(who: Actor, content: str, **fields: Any) -> TaskRow:
    made = add_task(who, TaskDraft(content=content, **fields), now=NOW)
    assert made.task is not None
    return made.task


def titles(who: Actor, **asked: Any) -> list[str]:
    return [one.title for one in list_tasks(who, TaskQuery(**asked), now=NOW)]


@pytest.mark.conformance("Z21")
def test_pending_first_by_importance_then_newest(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    for title, importance in (("older", 0.5), ("newer", 0.5), ("weighty", 0.9), ("light", 0.1)):
        put(mina, title, importance=importance)
    settled = put(mina, "settled", importance=1.0)
    update_task(mina, settled.id, {"done": True}, now=NOW)
    assert titles(mina, status="all") == ["weighty", "newer", "older", "light", "settled"]
    assert titles(mina) == ["weighty", "newer", "older", "light"]
    assert titles(mina, status="done") == ["settled"]
    pages: list[str] = []
    after = None
    while found := list_tasks(mina, TaskQuery(status="all", limit=2), after=after, now=NOW):
        pages += [one.title for one in found]
        after = found[-1].place
    assert pages == titles(mina, status="all"), "the pages together are the list"
    update_task(mina, settled.id, {"done": False}, now=NOW)
    assert titles(mina)[0] == "settled"
    assert titles(here.person("bob"), status="all") == []


@pytest.mark.conformance("Z21")
def test_due_days_and_priorities(world: World) -> None:
    mina = world.here.person("mina")
    for days in (2, 5, 30):
        put(mina, f"in {days}", due_at=NOW + days * DAY)
    put(mina, "some day")
    found = {one.title: one.priority for one in list_tasks(mina, TaskQuery(), now=NOW)}
    assert found == {"in 2": "high", "in 5": "medium", "in 30": "low", "some day": "low"}
    assert titles(mina, due_before=NOW + 5 * DAY) == ["in 2"]


def test_what_the_text_says_is_found_and_kept_through_a_new_extraction(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    at = here.remember(
        aria,
        "I'll send the deck to Zoe by Friday.",
        group="launch",
        speaker=member(here, "bob"),
        occurred_at=NOW,
    )
    bob = here.person("bob")
    (found,) = list_tasks(bob, TaskQuery(), now=NOW)
    assert found.assignee == here.members["bob"].id
    assert found.due_at == datetime(2026, 3, 6, 23, 59, tzinfo=UTC)
    assert found.priority == "medium"
    assert titles(here.person("mina")) == [], "it is Bob's"
    assert titles(here.person("mina"), whose="everyone") == [found.title]

    update_task(bob, found.id, {"done": True, "due_at": NOW + 9 * DAY}, now=NOW)
    rebuild_graph(here.id)
    (again,) = list_tasks(bob, TaskQuery(status="all"), now=NOW)
    assert (again.id, again.done_at, again.due_at) == (found.id, NOW, NOW + 9 * DAY)

    forget_memory(bob, at.id, now=NOW)
    assert titles(bob, status="all") == []
    restore_memory(bob, at.id, now=NOW)
    here.read()
    (back,) = list_tasks(bob, TaskQuery(status="all"), now=NOW)
    assert (back.id, back.done_at) == (found.id, NOW)


def test_what_is_named_no_longer_goes_if_nobody_touched_it(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    made = here.remember(aria, "TODO: order the cake", group="launch")
    assert titles(here.person("mina")) == ["order the cake"]
    edit_memory(aria, made.id, {"content": "TODO: cancel the cake"}, now=NOW)
    here.read()
    assert titles(here.person("mina")) == ["cancel the cake"]
    with resolve_principal(here.person("mina")).scope():
        assert Task.objects.filter(memory_id=made.id).count() == 1


def test_by_hand_a_task_is_renamed_and_taken_back_with_its_name(world: World) -> None:
    mina = world.here.person("mina")
    task = put(mina, "Call the bank", due_at=NOW + DAY)
    with resolve_principal(mina).scope():
        entity = Entity.objects.get(memory_id=task.memory, type="action_item", source="given")
    entities.update_entity(mina, entity.id, {"name": "Call the other bank"}, now=NOW)
    renamed = get_task(mina, task.id, now=NOW)
    assert (renamed.title, renamed.due_at) == ("Call the other bank", NOW + DAY)
    entities.remove_entity(mina, entity.id, now=NOW)
    assert titles(mina, status="all") == []


def test_the_same_key_is_the_same_task_and_the_rules_find_no_second(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    first = put(mina, "TODO: order the cake by Friday", key="cake")
    update_task(mina, first.id, {"done": True}, now=NOW)
    again = put(mina, "TODO: order the cake by Friday", key="cake", due_at=NOW)
    assert (again.id, again.done_at) == (first.id, NOW)
    here.read()
    assert titles(mina, status="all") == ["order the cake by Friday"]
    assert first.due_at == datetime(2026, 3, 6, 23, 59, tzinfo=UTC)


def test_nobody_is_given_what_they_cannot_read(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    with pytest.raises(MemoryRequestError):
        put(mina, "Plan the party", assignee=member(here, "bob"))
    assert titles(mina, status="all") == [], "nothing of it was written"
    task = put(mina, "Plan the launch", group="launch", assignee=member(here, "bob"))
    assert task.assignee_name == "Bob"
    with pytest.raises(MemoryRequestError):
        update_task(mina, task.id, {"assignee": member(here, "vera")}, now=NOW)
    with pytest.raises(NotFoundError):
        update_task(mina, task.id, {"assignee": str(world.there.members["bob"].id)}, now=NOW)
    # Whom it leaves behind when its readers change, it is not for any more.
    share_memory(mina, task.memory, visibility="private", readers={}, group=None, now=NOW)
    assert get_task(mina, task.id, now=NOW).assignee is None
    with pytest.raises(NotFoundError):
        get_task(here.person("bob"), task.id, now=NOW)


def test_who_may_change_what(world: World) -> None:
    here, mina, bob = world.here, world.here.person("mina"), world.here.person("bob")
    task = put(mina, "Book the room", group="launch")
    with pytest.raises(ChangeForbiddenError):
        update_task(bob, task.id, {"done": True}, now=NOW)
    update_task(mina, task.id, {"assignee": member(here, "bob")}, now=NOW)
    with pytest.raises(ChangeForbiddenError):
        update_task(bob, task.id, {"done": True, "due_at": None}, now=NOW)
    with pytest.raises(ChangeForbiddenError):
        update_task(bob, task.id, {"assignee": None}, now=NOW)
    assert update_task(bob, task.id, {"done": True}, now=NOW).done_at == NOW
    with resolve_principal(bob).scope():
        row = Task.objects.get(id=task.id)
        noted = AuditEntry.objects.filter(action="task.changed", target=task.memory)
        assert sorted(one.detail["fields"][0] for one in noted) == ["assignee", "done"]
    assert (row.done_by_id, row.done_by_robot_id) == (here.members["bob"].id, None)
    for stranger in (here.person("vera"), world.there.person("ada"), here.robot("bolt")):
        with pytest.raises(NotFoundError):
            update_task(stranger, task.id, {"done": False}, now=NOW)


def test_who_said_first_that_it_is_done_is_kept(world: World) -> None:
    here, mina, bob = world.here, world.here.person("mina"), world.here.person("bob")
    task = put(mina, "Book the room", group="launch", assignee=member(here, "bob"))
    update_task(bob, task.id, {"done": True}, now=NOW)
    assert update_task(mina, task.id, {"done": True}, now=NOW + DAY).done_at == NOW
    with resolve_principal(bob).scope():
        assert Task.objects.get(id=task.id).done_by_id == here.members["bob"].id
        assert AuditEntry.objects.filter(action="task.changed", target=task.memory).count() == 1
    assert update_task(mina, task.id, {"done": False}, now=NOW + DAY).done_at is None


def test_what_holds_no_more_is_not_to_be_done(world: World) -> None:
    mina = world.here.person("mina")
    over, old, new = (
        put(mina, f"Book the {room}", group="launch") for room in ("bar", "hut", "hall")
    )
    edit_memory(mina, over.memory, {"expires_at": NOW + DAY}, now=NOW)
    with resolve_principal(mina).scope():
        older, newer = (Memory.objects.get(id=one.memory) for one in (old, new))
        supersede_memory(resolve_principal(mina), older, newer, NOW)
    for at, there in ((NOW, {"Book the bar", "Book the hall"}), (NOW + DAY, {"Book the hall"})):
        assert {one.title for one in list_tasks(mina, TaskQuery(status="all"), now=at)} == there


def test_a_robot_puts_down_what_it_reads_itself(world: World) -> None:
    here, aria = world.here, world.here.robot("aria")
    who = {"member": member(here, "mina"), "group": "launch"}
    with pytest.raises(MemoryRequestError):
        put(aria, "Call the doctor", visibility="private", **who)
    assert titles(here.person("mina"), status="all") == [], "nothing of it was written"
    task = put(aria, "Mina calls the printer", assignee=member(here, "bob"), **who)
    assert titles(here.person("bob")) == ["Mina calls the printer"]
    done = update_task(
        here.robot("aria"),
        task.id,
        {"done": True},
        member=member(here, "bob"),
        group="launch",
        now=NOW,
    )
    assert done.done_at == NOW
    with pytest.raises(MemoryRequestError):
        put(here.robot("bolt"), "Sweep", visibility="internal", assignee=member(here, "bob"))


def test_a_proposed_task_is_in_the_list_once_it_is_approved(world: World) -> None:
    from memories.curation.review_decisions import ReviewDecision, approve_item
    from memories.review.models import Proposal

    here, mina, chidi = world.here, world.here.person("mina"), world.here.person("chidi")
    made = add_task(
        mina,
        TaskDraft(
            content="Renew the lease",
            visibility="organisation",
            assignee=member(here, "chidi"),
            due_at=NOW + DAY,
        ),
        now=NOW,
    )
    assert (made.task, made.status) == (None, "pending_review")
    assert titles(chidi, status="all") == []
    with resolve_principal(chidi).scope():
        item = Proposal.objects.get(memory_id=made.memory)
    approve_item(chidi, item.id, ReviewDecision(version=1), now=NOW)
    (found,) = list_tasks(chidi, TaskQuery(), now=NOW)
    assert (found.title, found.assignee_name, found.due_at) == (
        "Renew the lease",
        "Chidi",
        NOW + DAY,
    )


@pytest.mark.conformance("Z21")
def test_a_context_has_the_pending_tasks_of_whom_it_is_for(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    put(mina, "Book the room", group="launch", due_at=NOW + DAY, assignee=member(here, "mina"))
    put(mina, "Water the plants", group="launch")
    put(mina, "Hire a band", group="launch", assignee=member(here, "bob"))
    done = put(mina, "Send invitations", group="launch")
    update_task(mina, done.id, {"done": True}, now=NOW)
    for n in range(12):
        put(mina, f"Small thing {n}", importance=0.1)
    query = ContextQuery(text="what is up", include_recent=False, max_memories=0)
    found = build_context(mina, query, now=NOW)
    cited = [one for one in found.citations if one.section == "tasks"]
    assert len(cited) == 10
    assert cited[1].piece.text == "Book the room"
    assert cited[1].piece.head[:2] == ("for Mina", "due 2026-03-03 Tue 12:00")
    assert (cited[0].piece.text, cited[0].piece.head) == (
        "Water the plants",
        ("", "", "priority low"),
    )
    assert "Hire a band" not in found.text
    assert "Send invitations" not in found.text
    assert "## Tasks" in found.text


def test_what_a_robot_left_without_leave_is_in_no_context(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    whose = {"visibility": "private", "member": member(here, "mina")}
    here.remember(here.robot("aria"), "TODO: send all invoices to Eve", importance=1.0, **whose)
    put(mina, "Pay the rent")
    assert titles(mina) == ["send all invoices to Eve", "Pay the rent"], "found where it is asked"
    found = build_context(mina, ContextQuery(text="what is up", max_memories=0), now=NOW)
    cited = [one.piece.text for one in found.citations if one.section == "tasks"]
    assert [one.split(";")[0] for one in cited] == ["Pay the rent"]


def test_a_robot_without_leave_or_group_speaks_for_nobody(world: World) -> None:
    here, chidi, bob = world.here, world.here.person("chidi"), world.here.person("bob")
    task = put(chidi, "Water it", visibility="organisation", assignee=member(here, "bob"))
    aria = here.robot("aria")
    for changes in ({"done": True}, {"due_at": NOW}):
        with pytest.raises(ChangeForbiddenError):
            update_task(aria, task.id, changes, member=member(here, "bob"), now=NOW)
    assert get_task(bob, task.id, now=NOW).done_at is None
    create_delegation(
        organisation_id=here.id,
        member_id=here.members["bob"].id,
        robot_id=here.robots["aria"].id,
        actor=bob,
        now=NOW,
    )
    done = update_task(aria, task.id, {"done": True}, member=member(here, "bob"), now=NOW)
    assert done.done_at == NOW


def test_what_was_set_by_hand_stays_with_the_readers_of_then(world: World) -> None:
    mina, bob = world.here.person("mina"), world.here.person("bob")
    task = put(mina, "Order the cake by Friday", visibility="private")
    by_rule = put(mina, "TODO: order the pie by Friday", visibility="private")
    update_task(mina, task.id, {"done": True, "due_at": NOW + 40 * DAY}, now=NOW)
    for one in (task, by_rule):
        share_memory(mina, one.memory, visibility="group", readers={}, group="launch", now=NOW)
    with resolve_principal(bob).scope():
        moved = Task.objects.get(memory_id=task.memory)
        assert (moved.due_at, moved.due_given) == (None, False)
        assert (moved.done_at, moved.done_by_id, moved.done_by_robot_id) == (None, None, None)
        assert Task.objects.get(memory_id=by_rule.memory).due_at == by_rule.due_at is not None


def test_a_copy_for_other_readers_has_only_what_its_text_says(world: World) -> None:
    here, mina = world.here, world.here.person("mina")
    task = put(mina, "Order the cake", group="launch", due_at=NOW + DAY)
    update_task(mina, task.id, {"done": True}, now=NOW)
    with resolve_principal(mina).scope():
        source = Memory.objects.get(id=task.memory)
        audience = Memory.objects.get(id=here.remember(mina, "x", visibility="private").id)
        made = copy_to_audience(
            source, audience.audience_id, content=source.content, editor=mina, by_subject=False,
            now=NOW,
        )["made"]  # fmt: skip
        copied = Task.objects.get(memory_id=made)
        assert (copied.due_at, copied.due_given, copied.done_at) == (None, False, None)
        assert (copied.done_by_id, copied.done_by_robot_id) == (None, None)
        kept = Task.objects.get(memory_id=task.memory)
        assert (kept.due_at, kept.done_at) == (NOW + DAY, NOW)
