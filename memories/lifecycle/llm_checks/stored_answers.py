"""Stored answers of the language model, by a hash of the shown texts; call inside the worker's
scope."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memories.jobs.leases import WORKER
from memories.lifecycle.llm_checks.models import ModelAnswer
from orgs.models.base import new_id


def compute_question_hash(organisation_id: UUID, act: str, texts: Sequence[str]) -> bytes:
    """A hash of 32 bytes of a question to the present model about these texts, in any order."""
    asked = [str(organisation_id), settings.LLM_MODEL, act, *sorted(texts)]
    return hashlib.sha256(json.dumps(asked).encode()).digest()


def find_answer(organisation_id: UUID, question: bytes) -> str | None:
    """The stored answer; None if the question was not asked."""
    rows = ModelAnswer.objects.using(WORKER).filter(organisation_id=organisation_id)
    return rows.filter(question=question).values_list("answer", flat=True).first()


def store_answer(
    organisation_id: UUID,
    memory_id: UUID,
    audience_id: UUID,
    kind: str,
    *,
    question: bytes,
    answer: str,
    now: datetime,
) -> None:
    """Store an answer; if two runs ask at once, the first answer stays."""
    row = ModelAnswer(
        id=new_id(),
        organisation_id=organisation_id,
        memory_id=memory_id,
        audience_id=audience_id,
        kind=kind,
        question=question,
        answer=answer,
        answered_at=now,
    )
    ModelAnswer.objects.using(WORKER).bulk_create([row], ignore_conflicts=True)
