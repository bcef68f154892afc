"""Stored answers of the language model, by a hash of the shown texts; call inside the worker's
scope.
"""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import models

from memories.jobs.leases import WORKER
from memories.store.models.memory_part import MemoryPart
from orgs.models.base import new_id

# Stored answers of a language model, so that each question is asked once.


class ModelAnswer(MemoryPart):
    """One answer about a memory: a code, never a text.

    question: a SHA-256 of the organisation, the model's name and the shown texts, so another model
    or a changed text is a new question. Deleted with the memory, and when any other of the
    same readers is deleted, for that may have been among the texts.
    """

    question = models.BinaryField(max_length=32)
    answer = models.CharField(max_length=10)
    answered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "question"], name="model_answer_once"),
            models.CheckConstraint(
                condition=models.Q(
                    answer__in=["contradict", "same", "different", "reworded", "refused"]
                ),
                name="model_answer_known",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "memory"], name="model_answer_memory"),
            models.Index(fields=["organisation", "audience"], name="model_answer_audience"),
        ]

    def __str__(self) -> str:
        return f"{self.answer} about memory {self.memory_id}"


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
