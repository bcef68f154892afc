"""The HTTP answers for the exceptions of this app."""

from memories.access.consent import LearningPausedError, SharingOptOutError
from memories.access.permissions import ChangeForbiddenError, RedLineError
from memories.access.visibility import MemoryRequestError
from memories.browsing.change_feed.change_feed import CursorTooOldError
from memories.context.connectors.accounts import FileTooLargeError, TooManyAccountsError
from memories.context.connectors.parse_result import UnreadableFileError
from memories.context.connectors.subscriptions import NoSubscriptionError
from memories.context.working_memory_values import OverBudgetError
from memories.curation.bulk_by_filter import TooManyMatchesError
from memories.curation.decision_records.record_decision import InvalidDecisionError
from memories.curation.edit_memory import OutdatedVersionError
from memories.curation.review_decisions import VersionRequiredError
from memories.ingestion.documents.parser_slots import ParsersBusyError
from memories.ingestion.draft_gates import TooLongToCheck
from memories.ingestion.file_import.import_job import ImportTooLargeError, UnreadableImportError
from memories.ingestion.folder_import.server_folder import InvalidFolderError
from memories.ingestion.folder_import.subscriptions import (
    NoImportFolderError,
    TooManySubscriptionsError,
)
from memories.ingestion.remember import KeyConflictError
from memories.lifecycle.llm_checks.llm_propositions import ModelUnavailableError
from memories.llm.client import ModelAnswerError
from memories.preferences.preference_details import InvalidPreferenceError
from memories.privacy.forget_all import BlankTextError
from memories.privacy.request_erasure import TargetCountError
from memories.retrieval.strategies.registry import ProjectionOffError
from memories.retrieval.timeframes.parse_timeframe import TimeframeError
from memories.review.item_locks import ItemLockedError
from memories.review.review_queue import AlreadyDecidedError
from memories.safety.gate_refusals import GateRefusedError
from memories.safety.names.known_names import InvalidTermError
from memories.snapshots.export_job import ExportFileGoneError
from memories.snapshots.snapshot_format import InvalidSnapshotError, OtherOrganisationError
from memories.store.encryption.keys import MissingEncryptionKeyError
from memories.store.encryption.texts import EncryptedTextError
from memories.store.tag_names import InvalidTagError
from memories.webhooks.endpoints import TooManyEndpointsError
from orgs.errors import ConfirmationError
from orgs.outbound.url_rules import InvalidUrlError

# (status, code, title) by exception.
EXCEPTION_PROBLEMS: dict[type[Exception], tuple[int, str, str]] = {
    MemoryRequestError: (400, "misplaced", "The request does not fit the memory or its readers"),
    CursorTooOldError: (410, "cursor-too-old", "The cursor is too old"),
    TooManyMatchesError: (400, "too-many-matches", "Too many memories match"),
    ProjectionOffError: (400, "projection-off", "The layout is not switched on"),
    TimeframeError: (400, "timeframe", "The time is not understood"),
    InvalidSnapshotError: (400, "bad-snapshot", "Not a snapshot that is read here"),
    OtherOrganisationError: (409, "other-organisation", "The snapshot of another organisation"),
    TargetCountError: (400, "one-target", "Name exactly one target"),
    ConfirmationError: (400, "not-confirmed", "Not confirmed"),
    BlankTextError: (400, "blank", "No words"),
    TooLongToCheck: (413, "too-long-to-check", "The text takes too long to check"),
    OverBudgetError: (413, "over-budget", "Larger than the budget"),
    UnreadableFileError: (400, "unreadable", "The file cannot be read"),
    FileTooLargeError: (413, "file-too-large", "The file is too large"),
    UnreadableImportError: (400, "unreadable", "The file cannot be read"),
    ImportTooLargeError: (413, "file-too-large", "The file is too large"),
    ExportFileGoneError: (410, "file-gone", "The file was deleted"),
    TooManyEndpointsError: (409, "too-many", "Too many"),
    InvalidUrlError: (400, "invalid", "Some fields are not valid"),
    NoSubscriptionError: (409, "no-subscription", "Not fetched from an address"),
    TooManyAccountsError: (409, "too-many", "Too many"),
    TooManySubscriptionsError: (409, "too-many", "Too many"),
    NoImportFolderError: (409, "no-import-folder", "No folder for imports"),
    InvalidFolderError: (400, "bad-folder", "Not a folder"),
    KeyConflictError: (409, "key-taken", "The key names another text"),
    InvalidTagError: (400, "bad-tag", "Not a tag"),
    InvalidPreferenceError: (400, "bad-preference", "Not a preference of that kind"),
    InvalidDecisionError: (400, "bad-decision", "Not a decision"),
    MissingEncryptionKeyError: (400, "no-encryption-key", "No key to encrypt with"),
    EncryptedTextError: (409, "encrypted", "The memory is encrypted"),
    ChangeForbiddenError: (403, "not-yours", "Not yours to change"),
    RedLineError: (409, "red-line", "Protected"),
    OutdatedVersionError: (409, "outdated", "Changed meanwhile"),
    VersionRequiredError: (400, "version-needed", "The version that was read is missing"),
    AlreadyDecidedError: (409, "decided", "Decided already"),
    ItemLockedError: (409, "held", "Somebody else holds it"),
    LearningPausedError: (403, "learning-paused", "Learning is paused"),
    InvalidTermError: (400, "bad-term", "Not a name"),
    GateRefusedError: (409, "held-back", "A gate holds it back"),
    SharingOptOutError: (403, "sharing-off", "Sharing is off"),
    ModelUnavailableError: (409, "no-model", "No language model for this"),
    ParsersBusyError: (503, "busy", "Busy"),
    ModelAnswerError: (503, "no-model-answer", "The language model did not answer"),
}
