"""How the exceptions of this app look outside."""

from memories.access.consent import LearningPaused, SharingOff
from memories.access.permissions import NotYours
from memories.access.red_lines import RedLine
from memories.access.visibility import Misplaced
from memories.curation.decide import Unread
from memories.curation.edit import Outdated
from memories.ingestion.remember import KeyTaken
from memories.retrieval.strategies.projection_required import ProjectionOff
from memories.review.holds import Held
from memories.review.queue import Decided
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
