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
)
from memories.library.models import SavedView
from memories.privacy.models import Disclosure
from memories.restatement.models import Origin, PendingRestatement, Restatement
from memories.retrieval.models import Recall
from memories.review.models import Cause, Proposal, State
from memories.store.models.choices import Category, Kind, Level, Status, Tier, Type
from memories.store.models.contribution import Contribution
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory
from memories.store.models.version import Version

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
    "OwedWork",
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
