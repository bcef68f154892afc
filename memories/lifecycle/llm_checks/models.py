"""Stored answers of a language model, so that each question is asked once."""

from django.db import models

from memories.store.models.memory_part import MemoryPart


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
