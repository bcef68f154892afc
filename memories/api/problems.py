"""How the exceptions of this app look outside."""

from memories.policies.visibility import Misplaced
from memories.retrieval.strategies.projected import ProjectionOff
from memories.services.deciding import Unread
from memories.services.managing import NotYours, Outdated
from memories.services.placing import LearningPaused, SharingOff
from memories.services.red_lines import RedLine
from memories.services.remembering import KeyTaken
from memories.services.reviewing import Decided, Held
from orgs.api.problems import map_exception

map_exception(Misplaced, 400, "misplaced", "The wish does not fit the place")
map_exception(ProjectionOff, 400, "projection-off", "The layout is not switched on")
map_exception(KeyTaken, 409, "key-taken", "The key names another text")
map_exception(NotYours, 403, "not-yours", "Not yours to change")
map_exception(RedLine, 409, "red-line", "Protected")
map_exception(Outdated, 409, "outdated", "Changed meanwhile")
map_exception(Unread, 400, "version-needed", "Which version was read")
map_exception(Decided, 409, "decided", "Decided already")
map_exception(Held, 409, "held", "Somebody else has it open")
map_exception(LearningPaused, 403, "learning-paused", "Learning is paused")
map_exception(SharingOff, 403, "sharing-off", "Sharing is off")
