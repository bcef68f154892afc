"""The exceptions of this app as problems of the API."""

from typing import Any

from django.utils import timezone

from orgs.api.problems import map_exception, on_problem
from orgs.principals import Actor
from robots.conversations.drafts import MessageTaken
from robots.errors import (
    IdentityClaim,
    LastActive,
    MissingScope,
    NobodyPassive,
    StillActive,
    TeamFull,
    TeamInUse,
    WrongProof,
)
from robots.registry.failures import note_failure

map_exception(MissingScope, 403, "missing-scope", "The key lacks a scope")
map_exception(IdentityClaim, 403, "identity-claim", "You may not act as somebody else")
map_exception(WrongProof, 400, "wrong-proof", "The code is wrong or has expired")
map_exception(MessageTaken, 409, "message-taken", "The external id names another text")
map_exception(TeamInUse, 409, "team-in-use", "Memories are for this team alone")
map_exception(TeamFull, 409, "team-full", "The team is full")
map_exception(StillActive, 409, "still-active", "No active robot is silent")
map_exception(NobodyPassive, 409, "nobody-passive", "Nobody can take over")
map_exception(LastActive, 409, "last-active", "The last active robot")


@on_problem
def note(request: Any, code: str) -> None:
    """Keep the last failure of the calling robot. Failures of people are not kept."""
    # Read what the first authentication left, if any: `request.user` would authenticate once more.
    actor = getattr(request, "_user", None)
    if not isinstance(actor, Actor) or actor.robot_id is None:
        return
    match = getattr(request, "resolver_match", None)
    call = f"{request.method} /{match.route}" if match else str(request.method)
    note_failure(
        organisation_id=actor.organisation_id,
        robot_id=actor.robot_id,
        code=code,
        call=call,
        now=timezone.now(),
    )
