"""The HTTP answers for the exceptions of this app."""

from memories.access.consent import LearningPausedError, SharingOptOutError
from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import MemoryRequestError
from memories.context.connectors.accounts import FileTooLargeError, TooManyAccountsError
from memories.context.connectors.parse_result import UnreadableFileError
from memories.context.working_memory_values import OverBudgetError
from memories.curation.decision_records.record_decision import InvalidDecisionError
from memories.curation.edit_memory import OutdatedVersionError
from memories.curation.review_decisions import VersionRequiredError
from memories.ingestion.draft_gates import TooLongToCheck
from memories.ingestion.remember import KeyConflictError
from memories.lifecycle.llm_checks.llm_propositions import ModelUnavailableError
from memories.llm.client import ModelAnswerError
from memories.preferences.preference_details import InvalidPreferenceError
from memories.privacy.erase_memory import ConfirmationError
from memories.privacy.forget_all import BlankTextError
from memories.privacy.request_erasure import TargetCountError
from memories.retrieval.strategies.registry import ProjectionOffError
from memories.retrieval.timeframes.parse_timeframe import TimeframeError
from memories.review.item_locks import ItemLockedError
from memories.review.review_queue import AlreadyDecidedError
from memories.safety.gate_refusals import GateRefusedError
from memories.safety.names.known_names import InvalidTermError
from memories.snapshots.snapshot_format import InvalidSnapshotError, OtherOrganisationError
from memories.store.encryption.keys import MissingEncryptionKeyError
from memories.store.encryption.texts import EncryptedTextError
from memories.store.tag_names import InvalidTagError
from orgs.api.problems import register_exception

register_exception(
    MemoryRequestError, 400, "misplaced", "The request does not fit the memory or its readers"
)
register_exception(ProjectionOffError, 400, "projection-off", "The layout is not switched on")
register_exception(TimeframeError, 400, "timeframe", "The time is not understood")
register_exception(InvalidSnapshotError, 400, "bad-snapshot", "Not a snapshot that is read here")
register_exception(
    OtherOrganisationError, 409, "other-organisation", "The snapshot of another organisation"
)
register_exception(TargetCountError, 400, "one-target", "Name exactly one target")
register_exception(ConfirmationError, 400, "not-confirmed", "Not confirmed")
register_exception(BlankTextError, 400, "blank", "No words")
register_exception(TooLongToCheck, 413, "too-long-to-check", "The text takes too long to check")
register_exception(OverBudgetError, 413, "over-budget", "Larger than the budget")
register_exception(UnreadableFileError, 400, "unreadable", "The file cannot be read")
register_exception(FileTooLargeError, 413, "file-too-large", "The file is too large")
register_exception(TooManyAccountsError, 409, "too-many", "Too many")
register_exception(KeyConflictError, 409, "key-taken", "The key names another text")
register_exception(InvalidTagError, 400, "bad-tag", "Not a tag")
register_exception(InvalidPreferenceError, 400, "bad-preference", "Not a preference of that kind")
register_exception(InvalidDecisionError, 400, "bad-decision", "Not a decision")
register_exception(MissingEncryptionKeyError, 400, "no-encryption-key", "No key to encrypt with")
register_exception(EncryptedTextError, 409, "encrypted", "The memory is encrypted")
register_exception(ChangeForbiddenError, 403, "not-yours", "Not yours to change")
register_exception(RedLineError, 409, "red-line", "Protected")
register_exception(OutdatedVersionError, 409, "outdated", "Changed meanwhile")
register_exception(
    VersionRequiredError, 400, "version-needed", "The version that was read is missing"
)
register_exception(AlreadyDecidedError, 409, "decided", "Decided already")
register_exception(ItemLockedError, 409, "held", "Somebody else has it open")
register_exception(LearningPausedError, 403, "learning-paused", "Learning is paused")
register_exception(InvalidTermError, 400, "bad-term", "Not a name")
register_exception(GateRefusedError, 409, "held-back", "A gate holds it back")
register_exception(SharingOptOutError, 403, "sharing-off", "Sharing is off")
register_exception(ModelUnavailableError, 409, "no-model", "No language model for this")
register_exception(ModelAnswerError, 503, "no-model-answer", "The language model did not answer")
