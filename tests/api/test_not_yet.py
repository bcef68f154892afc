"""Nothing is accepted without effect (N02)."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from memories.access.readers_named import NamedReaders
from memories.ingestion.drafts import Draft
from memories.insights.audit_trail import Wanted
from memories.retrieval.recall import Query
from memories.retrieval.types import Filters
from robots.conversations.drafts import Utterance
from tests.architecture.source import modules

pytestmark = pytest.mark.conformance("N02")


@pytest.mark.parametrize("kind", [Query, Filters, Draft, NamedReaders, Utterance, Wanted])
def test_every_field_that_a_caller_can_fill_is_looked_at(kind: type) -> None:
    source = "".join(Path(path).read_text(encoding="utf-8") for path in modules())
    unread = [f.name for f in fields(kind) if not re.search(rf"""[."]{f.name}\b""", source)]
    assert unread == []
