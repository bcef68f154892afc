"""How the exceptions of this app look outside."""

from orgs.api.problems import map_exception
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

map_exception(MissingScope, 403, "missing-scope", "The key lacks a scope")
map_exception(IdentityClaim, 403, "identity-claim", "You are somebody else")
map_exception(WrongProof, 400, "wrong-proof", "The code proves nothing")
map_exception(MessageTaken, 409, "message-taken", "The external id names another text")
map_exception(TeamInUse, 409, "team-in-use", "Memories are for this team alone")
map_exception(TeamFull, 409, "team-full", "The team is full")
map_exception(StillActive, 409, "still-active", "Nobody is silent")
map_exception(NobodyPassive, 409, "nobody-passive", "Nobody can take over")
map_exception(LastActive, 409, "last-active", "The last active robot")
