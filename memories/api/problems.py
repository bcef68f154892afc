"""The HTTP answers for the exceptions of this app."""

from memories.access.consent import LearningPaused, SharingOff
from memories.access.permissions import NotYours
from memories.access.red_lines import RedLine
from memories.access.visibility import Misplaced
from memories.context.at_hand import OverBudget
from memories.context.connectors.accounts import TooLarge, TooMany
from memories.context.connectors.parsed import Unreadable
from memories.curation.decide import Unread
from memories.curation.decisions.record import BadDecision
from memories.curation.edit import Outdated
from memories.ingestion.gates import TooLongToCheck
from memories.ingestion.remember import KeyTaken
from memories.lifecycle.llm_checks.propositions import NoModel
from memories.llm.client import NoModelAnswer
from memories.preferences.forms import BadPreference
from memories.privacy.erase import NotConfirmed
from memories.privacy.forget_content import BlankText
from memories.privacy.request_erasure import OneTarget
from memories.retrieval.strategies.projection_required import ProjectionOff
from memories.retrieval.timeframes.timeframes import NotUnderstood
from memories.review.holds import Held
from memories.review.queue import Decided
from memories.safety.names.terms import BadTerm
from memories.safety.refusals import HeldBack
from memories.snapshots.form import BadSnapshot, OtherOrganisation
from memories.store.encryption.keys import NoEncryptionKey
from memories.store.encryption.texts import Encrypted
from memories.store.tag_names import BadTag
from orgs.api.problems import map_exception

map_exception(Misplaced, 400, "misplaced", "The request does not fit the memory or its readers")
map_exception(ProjectionOff, 400, "projection-off", "The layout is not switched on")
map_exception(NotUnderstood, 400, "timeframe", "The time is not understood")
map_exception(BadSnapshot, 400, "bad-snapshot", "Not a snapshot that is read here")
map_exception(OtherOrganisation, 409, "other-organisation", "The snapshot of another organisation")
map_exception(OneTarget, 400, "one-target", "Name exactly one target")
map_exception(NotConfirmed, 400, "not-confirmed", "Not confirmed")
map_exception(BlankText, 400, "blank", "No words")
map_exception(TooLongToCheck, 413, "too-long-to-check", "The text takes too long to check")
map_exception(OverBudget, 413, "over-budget", "Larger than the budget")
map_exception(Unreadable, 400, "unreadable", "The file cannot be read")
map_exception(TooLarge, 413, "file-too-large", "The file is too large")
map_exception(TooMany, 409, "too-many", "Too many")
map_exception(KeyTaken, 409, "key-taken", "The key names another text")
map_exception(BadTag, 400, "bad-tag", "Not a tag")
map_exception(BadPreference, 400, "bad-preference", "Not a preference of that kind")
map_exception(BadDecision, 400, "bad-decision", "Not a decision")
map_exception(NoEncryptionKey, 400, "no-encryption-key", "No key to encrypt with")
map_exception(Encrypted, 409, "encrypted", "The memory is encrypted")
map_exception(NotYours, 403, "not-yours", "Not yours to change")
map_exception(RedLine, 409, "red-line", "Protected")
map_exception(Outdated, 409, "outdated", "Changed meanwhile")
map_exception(Unread, 400, "version-needed", "The version that was read is missing")
map_exception(Decided, 409, "decided", "Decided already")
map_exception(Held, 409, "held", "Somebody else has it open")
map_exception(LearningPaused, 403, "learning-paused", "Learning is paused")
map_exception(BadTerm, 400, "bad-term", "Not a name")
map_exception(HeldBack, 409, "held-back", "A gate holds it back")
map_exception(SharingOff, 403, "sharing-off", "Sharing is off")
map_exception(NoModel, 409, "no-model", "No language model for this")
map_exception(NoModelAnswer, 503, "no-model-answer", "The language model did not answer")
