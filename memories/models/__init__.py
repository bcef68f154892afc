from memories.models.contributions import Contribution
from memories.models.disclosures import Disclosure
from memories.models.graph import (
    Edge,
    Entity,
    EntitySource,
    EntityType,
    Observation,
    Relation,
)
from memories.models.indexes import Embedding, Owed, Pending, PendingRestatement, PendingState, Text
from memories.models.memories import (
    Category,
    Kind,
    Level,
    Memory,
    Status,
    Tier,
    Type,
)
from memories.models.proposals import Cause, Proposal, State
from memories.models.recalls import Recall
from memories.models.restatements import Origin, Restatement
from memories.models.versions import Derivation, Version
from memories.models.work import Job, JobKind, JobState, SavedView

__all__ = [
    "Category",
    "Cause",
    "Contribution",
    "Derivation",
    "Disclosure",
    "Edge",
    "Embedding",
    "Entity",
    "EntitySource",
    "EntityType",
    "Job",
    "JobKind",
    "JobState",
    "Kind",
    "Level",
    "Memory",
    "Observation",
    "Origin",
    "Owed",
    "Pending",
    "PendingRestatement",
    "PendingState",
    "Proposal",
    "Recall",
    "Relation",
    "Restatement",
    "SavedView",
    "State",
    "Status",
    "Text",
    "Tier",
    "Type",
    "Version",
]
