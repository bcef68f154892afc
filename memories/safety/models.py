"""The terms and policy of an organisation's gates, and original texts of held memories."""

from django.db import models

from memories.safety.required_checks import PersonalDataPolicy
from orgs.models.base import TenantForeignKey, TenantModel


class TermType(models.TextChoices):
    CLIENT = "client", "Client"
    BRAND = "brand", "Brand"
    COMPANY = "company", "Company"


class GazetteerTerm(TenantModel):
    """A name that no text may show to a wider audience; curators keep the list.

    folded: in the form for comparing, so that no name is listed twice.
    """

    kind = models.CharField(max_length=7, choices=TermType.choices)
    term = models.CharField(max_length=200)
    folded = models.CharField(max_length=400)
    added_by = TenantForeignKey("orgs.Member", null=True)
    added_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "folded"], name="gazetteer_term_once"),
            models.CheckConstraint(
                condition=models.Q(kind__in=TermType.values), name="gazetteer_term_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return self.term


class GatePolicy(TenantModel):
    """How strict an organisation's gates are; without a row the default of the field applies."""

    personal = models.CharField(
        max_length=14,
        choices=[(one.value, one.value) for one in PersonalDataPolicy],
        default=PersonalDataPolicy.ABOUT_SOMEBODY.value,
    )
    changed_by = TenantForeignKey("orgs.Member", null=True)
    changed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "gate policies"
        constraints = [
            models.UniqueConstraint(fields=["organisation"], name="gate_policy_once"),
            models.CheckConstraint(
                condition=models.Q(personal__in=[one.value for one in PersonalDataPolicy]),
                name="gate_policy_words_known",
            ),
        ]

    def __str__(self) -> str:
        return self.personal


class HeldText(TenantModel):
    """The original words of a memory that was stored without its personal data.

    audience: the private one of the member for whom it was written, so that the database shows it
    to nobody else. findings: in these words, as `[kind, start, end, sure]`.
    """

    memory = TenantForeignKey("memories.Memory")
    audience = TenantForeignKey("orgs.Audience")
    content = models.TextField()
    findings = models.JSONField(default=list)
    held_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "memory"], name="held_text_once")
        ]
        indexes = [models.Index(fields=["organisation", "audience"], name="held_text_audience")]

    def __str__(self) -> str:
        return f"held text of memory {self.memory_id}"
