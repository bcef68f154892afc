"""Personas of an organisation, and which members have them."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel

# The longest handle, and the longest line of kpis, motivations and queries.
MAX_HANDLE_LENGTH, MAX_LINE_LENGTH = 60, 300
# The longest name of a tool.
MAX_TOOL_LENGTH = 64


class Persona(TenantModel):
    """What people of one profession in one industry have in common.

    handle: `<industry>_<role>`, unique in the organisation. industry_key, role_key: its two parts;
    the first ends at the first underscore. industry, role: as people write them. kpis,
    motivations, queries: lists of lines.
    """

    handle = models.CharField(max_length=MAX_HANDLE_LENGTH)
    industry_key = models.CharField(max_length=MAX_HANDLE_LENGTH)
    role_key = models.CharField(max_length=MAX_HANDLE_LENGTH)
    industry = models.CharField(max_length=100)
    role = models.CharField(max_length=100)
    description = models.TextField(blank=True, default="")
    kpis = models.JSONField(default=list, blank=True)
    motivations = models.JSONField(default=list, blank=True)
    queries = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "handle"], name="persona_handle_once"),
            models.CheckConstraint(
                condition=models.Q(handle__regex=r"^[a-z0-9]+(_[a-z0-9]+)+$"),
                name="persona_handle_formed",
            ),
        ]
        indexes = [models.Index(fields=["organisation", "role_key"], name="persona_role")]

    def __str__(self) -> str:
        return self.handle


class ToolOutcome(TenantModel):
    """How calls of a tool for people of a persona turned out on one day (UTC): counts, and nothing
    of who reported them. The id holds the day and no finer time."""

    persona = TenantForeignKey("personas.Persona")
    tool = models.CharField(max_length=MAX_TOOL_LENGTH)
    day = models.DateField()
    successes = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "persona", "tool", "day"], name="tool_outcome_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.day}"


class Association(TenantModel):
    """A member has a persona, or a robot says so.

    confidence: 0-1, how sure it is. Its times are days, `told_at` apart: who curates reads them,
    and the member's robot was made or taught then. discovered_at: when it was first said;
    last_confirmed_at: when last. confirmed_at: since when it counts and opens what the persona
    reads; empty while it waits for the member or a curator. proposed_by: the robot that said so;
    confirmed_by: the person. told_at: when the member said so too.
    """

    member = TenantForeignKey("orgs.Member")
    persona = TenantForeignKey("personas.Persona", related_name="associations")
    confidence = models.FloatField(default=1.0)
    discovered_at = models.DateTimeField()
    last_confirmed_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True)
    confirmed_by = TenantForeignKey("orgs.Member", null=True)
    proposed_by = TenantForeignKey("robots.Robot", null=True)
    told_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "member", "persona"], name="association_once"
            ),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0) & models.Q(confidence__lte=1),
                name="association_confidence",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.member_id} {self.persona_id}"
