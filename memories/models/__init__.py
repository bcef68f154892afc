from memories.models.contributions import Contribution
from memories.models.disclosures import Disclosure
from memories.models.indexes import Embedding, Pending, PendingState, Text
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
    "Embedding",
    "Job",
    "JobKind",
    "JobState",
    "Kind",
    "Level",
    "Memory",
    "Origin",
    "Pending",
    "PendingState",
    "Proposal",
    "Recall",
    "Restatement",
    "SavedView",
    "State",
    "Status",
    "Text",
    "Tier",
    "Type",
    "Version",
]
