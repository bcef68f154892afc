"""Nothing is accepted without effect (N02)."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from memories.access.references import ReaderReferences
from memories.ingestion.drafts import Draft
from memories.insights.audit_trail import AuditFilter
from memories.retrieval.resolve_filters import Query
from memories.retrieval.search_types import SearchFilters
from robots.conversations.message_types import NewMessage
from tests.architecture.source import module_files

pytestmark = pytest.mark.conformance("N02")


@pytest.mark.parametrize(
    "kind", [Query, SearchFilters, Draft, ReaderReferences, NewMessage, AuditFilter]
)
def test_every_field_that_a_caller_can_fill_is_looked_at(kind: type) -> None:
    source = "".join(Path(path).read_text(encoding="utf-8") for path in module_files())
    unread = [f.name for f in fields(kind) if not re.search(rf"""[."]{f.name}\b""", source)]
    assert unread == []
