"""What one persona learned, suggested to personas of the same role in another industry."""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey


class SuggestionState(models.TextChoices):
    OPEN = "open", "Waiting"
    ACCEPTED = "accepted", "Accepted"
    REJECTED = "rejected", "Rejected"


class Suggestion(MemoryPart):
    """An entry of one persona's block that may hold for another persona.

    memory: the entry, so that a suggestion is readable like it. persona: to whom it is suggested.
    made: the entry there, once a person has accepted it.
    """

    persona = TenantForeignKey("personas.Persona")
    state = models.CharField(
        max_length=8, choices=SuggestionState.choices, default=SuggestionState.OPEN
    )
    made = TenantForeignKey("memories.Memory", null=True)
    suggested_at = models.DateTimeField()
    decided_by = TenantForeignKey("orgs.Member", null=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "persona"], name="suggestion_once"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=SuggestionState.values),
                name="suggestion_state_known",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "persona", "state"], name="suggestion_waiting")
        ]
