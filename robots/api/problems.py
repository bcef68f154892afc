"""The exceptions of this app as problems of the API."""

from typing import Any

from django.utils import timezone

from orgs.api.problems import register_exception, register_problem_hook
from orgs.principals import Actor
from robots.conversations.message_types import MessageConflictError
from robots.errors import (
    ImpersonationError,
    LastActiveRobotError,
    MissingScopeError,
    NoPassiveRobotError,
    NoSilentRobotError,
    TeamFullError,
    TeamInUseError,
    WrongCodeError,
)
from robots.registry.failures import record_failure

register_exception(MissingScopeError, 403, "missing-scope", "The key lacks a scope")
register_exception(ImpersonationError, 403, "identity-claim", "You may not act as somebody else")
register_exception(WrongCodeError, 400, "wrong-proof", "The code is wrong or has expired")
register_exception(MessageConflictError, 409, "message-taken", "The external id names another text")
register_exception(TeamInUseError, 409, "team-in-use", "Memories are for this team alone")
register_exception(TeamFullError, 409, "team-full", "The team is full")
register_exception(NoSilentRobotError, 409, "still-active", "No active robot is silent")
register_exception(NoPassiveRobotError, 409, "nobody-passive", "Nobody can take over")
register_exception(LastActiveRobotError, 409, "last-active", "The last active robot")


@register_problem_hook
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
