"""A permission is one condition: the database and one loaded row give the same answer."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Exists, F, Q

from memories.access.evaluate_condition import ANY_ROW, NO_ROW, matches
from memories.access.permissions import (
    may_change_q,
    may_forget_q,
    may_publish,
    may_restore_q,
    published_by,
    red_line_allows_q,
)
from memories.lifecycle.forget import forget_memory
from memories.review.deciders import decidable_q, may_decide
from memories.review.models import Proposal
from memories.review.propose import report_memory
from memories.review.protect import protect_memory
from memories.store.models.memory import Memory, subject_q
from orgs.principals import Actor, resolve_principal
from robots.access.acting_for_members import resolve_actor
from tests.world import NOW, Tenant, World

PERMISSIONS: dict[str, Callable[[Actor], Q]] = {
    "change": may_change_q,
    "forget": may_forget_q,
    "restore": may_restore_q,
    "take away in spite of a red line": red_line_allows_q,
    "subject": lambda actor: subject_q(actor.member_id),
}


def write_everything(here: Tenant) -> None:
    """Memories of several writers, subjects and readers; forgotten, protected and proposed ones."""
    mina, bob, vera = (str(here.members[name].id) for name in ("mina", "bob", "vera"))
    aria = here.robot("aria")
    wishes: list[dict[str, Any]] = [
        {"visibility": "organisation"},
        {"visibility": "organisation", "speaker": vera},
        {"visibility": "group", "group": "launch"},
        {"group": "launch", "member": mina},
        {"group": "launch", "speaker": mina},
        {"group": "launch", "member": bob, "speaker": mina},
    ]
    for number, wish in enumerate(wishes):
        made = here.remember(aria, f"The robot's note {number}.", **wish)
        if number in (0, 2):
            protect_memory(aria, made.id, reason="Robots rely on it.", now=NOW)
        if number in (3, 4):
            forget_memory(here.person("mina"), made.id, now=NOW)
    for name in ("mina", "bob", "ada"):
        who = here.person(name)
        here.remember(who, f"{name} keeps this.", visibility="private")
        if name != "ada":
            here.remember(who, f"{name} says this in the group.", group="launch")
        said = here.remember(who, f"{name} tells everybody.", visibility="organisation")
    protect_memory(here.person("ada"), said.id, reason="It saves lives.", now=NOW)
    for name in ("mina", "vera"):
        report_memory(here.person(name), said.id, reason="Not so.", now=NOW)
    bob = here.person("bob")
    forget_memory(bob, here.remember(bob, "Bob forgets this.", group="launch").id, now=NOW)


def everybody(here: Tenant) -> dict[str, Actor]:
    found = {name: here.person(name) for name in here.members}
    found |= {name: here.robot(name) for name in here.robots}
    mina = str(here.members["mina"].id)
    found["aria for mina"] = resolve_actor(here.robot("aria"), group="launch", member=mina)
    return found


def test_the_database_and_a_row_say_the_same(world: World) -> None:
    here = world.here
    write_everything(here)
    answers = set()
    for name, actor in everybody(here).items():
        with resolve_principal(actor).scope():
            rows = list(Memory.objects.select_related("audience"))
            for permission, condition_of in PERMISSIONS.items():
                condition = condition_of(actor)
                found = set(Memory.objects.filter(condition).values_list("id", flat=True))
                alone = {row.id for row in rows if matches(condition, row)}
                assert alone == found, (name, permission)
                answers |= {(permission, row.id in found) for row in rows}
            published = set(Memory.objects.filter(published_by(actor)).values_list("id", flat=True))
            if actor.is_person:
                assert {row.id for row in rows if may_publish(actor, row)} == published, name
    assert answers == {(p, answer) for p in PERMISSIONS for answer in (True, False)}


def test_who_decides_an_item(world: World) -> None:
    here = world.here
    write_everything(here)
    seen = set()
    for name, actor in everybody(here).items():
        principal = resolve_principal(actor)
        with principal.scope():
            items = list(Proposal.objects.select_related("memory__audience"))
            found = set(Proposal.objects.filter(decidable_q(actor)).values_list("id", flat=True))
            alone = {item.id for item in items if may_decide(principal, item)}
            assert alone == found, name
            seen |= {(item.cause, item.id in found) for item in items}
    assert {answer for _, answer in seen} == {True, False}
    assert {"publish", "report", "red_line"} <= {cause for cause, _ in seen}


def test_what_cannot_be_asked_of_a_row_is_refused(world: World) -> None:
    row = Memory(importance=0.5)
    assert matches(ANY_ROW, row)
    assert matches(Q(), row)
    assert matches(~Q(), row), "as in SQL"
    assert not matches(NO_ROW, row)
    assert matches(Q(member_id=None) & ~Q(author_id__isnull=False), row)
    assert not matches(Q(member_id__in=[None]), row), "nothing is in a list, as in SQL"
    refused = [
        Q(Exists(Memory.objects.all())),
        Q(importance=F("confidence")),
        Q(red_line=True) ^ Q(sensitive=True),
        # The database finds an id and its text equal.
        Q(id=str(row.id)),
        ~Q(id__in=[str(row.id)]),
    ]
    for condition in refused:
        with pytest.raises(TypeError):
            matches(condition, row)
    with pytest.raises(AttributeError):
        matches(Q(importance__gt=0.1), row)
