"""How the exceptions of this app look outside."""

from orgs.api.problems import map_exception
from robots.services import IdentityClaim, MissingScope

map_exception(MissingScope, 403, "missing-scope", "The key lacks a scope")
map_exception(IdentityClaim, 403, "identity-claim", "You are somebody else")
