"""How the exceptions of this app look outside."""

from orgs.api.problems import map_exception
from robots.conversations.drafts import MessageTaken
from robots.errors import IdentityClaim, MissingScope, WrongProof

map_exception(MissingScope, 403, "missing-scope", "The key lacks a scope")
map_exception(IdentityClaim, 403, "identity-claim", "You are somebody else")
map_exception(WrongProof, 400, "wrong-proof", "The code proves nothing")
map_exception(MessageTaken, 409, "message-taken", "The external id names another text")
