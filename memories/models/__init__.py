from memories.models.contributions import Contribution
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
from memories.models.recalls import Recall
from memories.models.versions import Derivation, Version

__all__ = [
    "Category",
    "Contribution",
    "Derivation",
    "Embedding",
    "Kind",
    "Level",
    "Memory",
    "Pending",
    "PendingState",
    "Recall",
    "Status",
    "Text",
    "Tier",
    "Type",
    "Version",
]
