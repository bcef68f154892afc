"""The exceptions of this app as problems of the API."""

from typing import Any

from django.utils import timezone

from orgs.principals import Actor
from robots.conversations.message_types import MessageConflictError
from robots.errors import (
    EnrolmentUsedUpError,
    ImpersonationError,
    InvalidKeyLimitError,
    KeyAddressError,
    KeyGroupsError,
    LastActiveRobotError,
    MissingScopeError,
    NoPassiveRobotError,
    NoSilentRobotError,
    TeamFullError,
    TeamInUseError,
    WrongCodeError,
)
from robots.registry.activity import record_failure

# (status, code, title) by exception.
EXCEPTION_PROBLEMS: dict[type[Exception], tuple[int, str, str]] = {
    MissingScopeError: (403, "missing-scope", "The key lacks a scope"),
    InvalidKeyLimitError: (400, "invalid", "Some fields are not valid"),
    KeyAddressError: (403, "key-address", "The key opens nothing from this address"),
    KeyGroupsError: (403, "key-groups", "The key is limited to groups"),
    EnrolmentUsedUpError: (403, "used-up", "The enrolment key is used up"),
    ImpersonationError: (403, "identity-claim", "You may not act as somebody else"),
    WrongCodeError: (400, "wrong-proof", "The code is wrong or has expired"),
    MessageConflictError: (409, "message-taken", "The external id names another text"),
    TeamInUseError: (409, "team-in-use", "Memories are for this team alone"),
    TeamFullError: (409, "team-full", "The team is full"),
    NoSilentRobotError: (409, "still-active", "No active robot is silent"),
    NoPassiveRobotError: (409, "nobody-passive", "Nobody can take over"),
    LastActiveRobotError: (409, "last-active", "The last active robot"),
}


def record_robot_failure(request: Any, code: str) -> None:
    """Keep the last failure of the calling robot. Failures of people are not kept."""
    # Read what the first authentication left, if any: `request.user` would authenticate once more.
    actor = getattr(request, "_user", None)
    if not isinstance(actor, Actor) or actor.robot_id is None:
        return
    match = getattr(request, "resolver_match", None)
    call = f"{request.method} /{match.route}" if match else str(request.method)
    record_failure(
        organisation_id=actor.organisation_id,
        robot_id=actor.robot_id,
        code=code,
        call=call,
        now=timezone.now(),
    )
