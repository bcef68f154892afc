from memories.browsing.models import SavedView
from memories.context.connectors.models import Account, AccountEntry, AccountType
from memories.context.models import WorkingEntry
from memories.curation.decision_records.models import (
    Claim,
    Debate,
    DebateState,
    Decision,
    Dissent,
    DissentType,
    Participant,
)
from memories.indexing.models import Embedding, Pending, Text
from memories.ingestion.folder_import.models import FolderFile, ImportSubscription
from memories.jobs.leases import PendingState, PendingWork
from memories.jobs.models import Job, JobState, JobType
from memories.knowledge_graph.models import (
    Edge,
    Entity,
    EntitySource,
    EntityType,
    Observation,
    Relation,
    StatedRelation,
    StatedRelationType,
    Task,
)
from memories.lifecycle.llm_checks.stored_answers import ModelAnswer
from memories.lifecycle.models import AgeingPolicy, AgeingRun
from memories.privacy.erasure.erasure_run import (
    Erasure,
    ErasureSource,
    ErasureStep,
    ErasureTarget,
    Tombstone,
    TombstoneType,
)
from memories.privacy.models import Disclosure
from memories.questions.models import Question, QuestionAsker, QuestionConsent, QuestionReason
from memories.restatement.models import PendingRestatement, Restatement, RestatementSource
from memories.retrieval.models import Feedback, Recall
from memories.review.models import Proposal, ProposalCause, ProposalState
from memories.safety.models import GatePolicy, GazetteerTerm, HeldText, TermType
from memories.store.models.change import Change, Departure, DepartureReason
from memories.store.models.choices import Category, Kind, Level, QuarantineGate, Status, Tier, Type
from memories.store.models.memory import Memory
from memories.store.models.reader_use import KnownUse, ReaderUse
from memories.store.models.use import Transition, Use
from memories.store.models.version import (
    Contribution,
    Derivation,
    Operation,
    OperationVerb,
    Version,
)
from memories.webhooks.models import WebhookDelivery, WebhookEndpoint

__all__ = [
    "Account",
    "AccountEntry",
    "AccountType",
    "AgeingPolicy",
    "AgeingRun",
    "Category",
    "Change",
    "Claim",
    "Contribution",
    "Debate",
    "DebateState",
    "Decision",
    "Departure",
    "DepartureReason",
    "Derivation",
    "Disclosure",
    "Dissent",
    "DissentType",
    "Edge",
    "Embedding",
    "Entity",
    "EntitySource",
    "EntityType",
    "Erasure",
    "ErasureSource",
    "ErasureStep",
    "ErasureTarget",
    "Feedback",
    "FolderFile",
    "GatePolicy",
    "GazetteerTerm",
    "HeldText",
    "ImportSubscription",
    "Job",
    "JobState",
    "JobType",
    "Kind",
    "KnownUse",
    "Level",
    "Memory",
    "ModelAnswer",
    "Observation",
    "Operation",
    "OperationVerb",
    "Participant",
    "Pending",
    "PendingRestatement",
    "PendingState",
    "PendingWork",
    "Proposal",
    "ProposalCause",
    "ProposalState",
    "QuarantineGate",
    "Question",
    "QuestionAsker",
    "QuestionConsent",
    "QuestionReason",
    "ReaderUse",
    "Recall",
    "Relation",
    "Restatement",
    "RestatementSource",
    "SavedView",
    "StatedRelation",
    "StatedRelationType",
    "Status",
    "Task",
    "TermType",
    "Text",
    "Tier",
    "Tombstone",
    "TombstoneType",
    "Transition",
    "Type",
    "Use",
    "Version",
    "WebhookDelivery",
    "WebhookEndpoint",
    "WorkingEntry",
]
