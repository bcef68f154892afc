"""Which acts a red line refuses, and how an admin forces one."""

from datetime import datetime
from typing import Any

from django.db.models import Q

from memories.access.permissions import is_subject
from memories.store.models.memory import Memory, subject_q
from orgs import audit
from orgs.models.audiences import AudienceType
from orgs.models.memberships import Role
from orgs.principals import Actor, Principal


class RedLineError(Exception):
    """The memory is protected, so the act was refused."""

    def __init__(self) -> None:
        super().__init__(
            "This memory is protected (red line): it is neither forgotten nor archived, its words, "
            "readers and time to live stay. Take the protection off first. Nothing was changed."
        )


def is_red_line_exempt(actor: Actor, memory: Memory) -> bool:
    """Whether a person may always take it away: it is about them, their words, or theirs alone."""
    if is_subject(actor, memory):
        return True
    own = memory.audience.kind == AudienceType.MEMBER
    return bool(actor.is_person and own and memory.audience.key == str(actor.member_id))


def red_line_allows_q(actor: Actor) -> Q:
    """The memories that no red line keeps from the actor, as a condition; compare
    `is_red_line_exempt`."""
    if not actor.is_person:
        return Q(red_line=False)
    own = Q(audience__kind=AudienceType.MEMBER, audience__key=str(actor.member_id))
    return Q(red_line=False) | subject_q(actor.member_id) | own


def check_red_line(
    principal: Principal,
    memory: Memory,
    act: str,
    now: datetime,
    *,
    force: str | None = None,
    **detail: Any,
) -> None:
    """Refuse an act on a protected memory, unless an admin forces it with a reason, which is
    recorded.

    act: its name in the audit trail. force: the admin's reason. Raises RedLineError without
    `force`, and PermissionError if `force` comes from anybody but an admin.
    """
    if not memory.red_line:
        return
    if force is None:
        raise RedLineError
    actor = principal.actor
    if not (actor.is_person and actor.role == Role.ADMIN):
        raise PermissionError("Only an admin forces a change of what is protected.")
    audit.record_entry(
        "memory.forced",
        actor=actor,
        now=now,
        target=memory.id,
        target_type="memory",
        act=act,
        reason=force,
        **detail,
    )
