from memories.context.connectors.models import Account, AccountEntry, AccountKind
from memories.context.models import WorkingEntry
from memories.curation.decisions.models import (
    Claim,
    Debate,
    DebateState,
    Decision,
    Dissent,
    DissentKind,
    Participant,
)
from memories.indexing.models import Embedding, Pending, Text
from memories.jobs.models import Job, JobKind, JobState
from memories.jobs.owed_work import OwedWork, PendingState
from memories.knowledge_graph.models import (
    Edge,
    Entity,
    EntitySource,
    EntityType,
    Observation,
    Relation,
    Task,
)
from memories.library.models import SavedView
from memories.lifecycle.llm_checks.models import ModelAnswer
from memories.lifecycle.models import AgeingPolicy, AgeingRun
from memories.privacy.erasure.models import (
    Erasure,
    ErasureStep,
    Gone,
    SourceKind,
    Target,
    Tombstone,
)
from memories.privacy.models import Disclosure
from memories.restatement.models import Origin, PendingRestatement, Restatement
from memories.retrieval.models import Feedback, Recall
from memories.review.models import Cause, Proposal, State
from memories.safety.models import GatePolicy, GazetteerTerm, HeldText, TermKind
from memories.store.models.choices import Category, HeldFor, Kind, Level, Status, Tier, Type
from memories.store.models.contribution import Contribution
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory
from memories.store.models.operation import Operation, Verb
from memories.store.models.reader_use import KnownUse, ReaderUse
from memories.store.models.use import Transition, Use
from memories.store.models.version import Version

__all__ = [
    "Account",
    "AccountEntry",
    "AccountKind",
    "AgeingPolicy",
    "AgeingRun",
    "Category",
    "Cause",
    "Claim",
    "Contribution",
    "Debate",
    "DebateState",
    "Decision",
    "Derivation",
    "Disclosure",
    "Dissent",
    "DissentKind",
    "Edge",
    "Embedding",
    "Entity",
    "EntitySource",
    "EntityType",
    "Erasure",
    "ErasureStep",
    "Feedback",
    "GatePolicy",
    "GazetteerTerm",
    "Gone",
    "HeldFor",
    "HeldText",
    "Job",
    "JobKind",
    "JobState",
    "Kind",
    "KnownUse",
    "Level",
    "Memory",
    "ModelAnswer",
    "Observation",
    "Operation",
    "Origin",
    "OwedWork",
    "Participant",
    "Pending",
    "PendingRestatement",
    "PendingState",
    "Proposal",
    "ReaderUse",
    "Recall",
    "Relation",
    "Restatement",
    "SavedView",
    "SourceKind",
    "State",
    "Status",
    "Target",
    "Task",
    "TermKind",
    "Text",
    "Tier",
    "Tombstone",
    "Transition",
    "Type",
    "Use",
    "Verb",
    "Version",
    "WorkingEntry",
]
