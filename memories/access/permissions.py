"""Look at memories, correct them, share them, forget and restore them."""

from django.db.models import Q

from memories.store.models.memory import Memory
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal


class NotYours(Exception):
    """Readable, but not the asker's to change."""


def may_change(principal: Principal, memory: Memory) -> bool:
    """Whether the asker may edit, forget or share what it can read.

    A robot changes what it wrote. A person changes what is theirs or about them, what they
    wrote or said, and, as curator or admin, whatever is shared.
    """
    actor = principal.actor
    if actor.robot_id:
        return memory.robot_id == actor.robot_id
    if actor.member_id in (memory.member_id, memory.author_id, memory.speaker_member_id):
        return True
    return actor.moderates


def may_forget(principal: Principal, memory: Memory) -> bool:
    """Whether the asker may take it out of every answer; a viewer what is theirs, and no more."""
    actor = principal.actor
    if actor.is_person and actor.role == Role.VIEWER:
        return actor.member_id in (memory.member_id, memory.speaker_member_id)
    return may_change(principal, memory)


def may_restore(principal: Principal, memory: Memory) -> bool:
    """Whether the asker may bring it back; what its subject forgot, they alone."""
    actor = principal.actor
    return is_subject(actor, memory) or (
        not memory.forgotten_by_subject and may_change(principal, memory)
    )


def restorable(actor: Actor) -> Q:
    """The same as a condition."""
    if actor.robot_id:
        return Q(robot_id=actor.robot_id, forgotten_by_subject=False)
    theirs = Q(member_id=actor.member_id) | Q(speaker_member_id=actor.member_id)
    others = Q() if actor.moderates else Q(author_id=actor.member_id)
    return theirs | (others & Q(forgotten_by_subject=False))


def is_subject(actor: Actor, memory: Memory) -> bool:
    """Whether it is about the person who asks, or gives their words."""
    return actor.is_person and actor.member_id in (memory.member_id, memory.speaker_member_id)
