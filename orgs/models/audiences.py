"""Audiences: who may read. Every memory has exactly one."""

from django.db import models
from django.utils import timezone

from orgs.cohort_types import COHORT_TYPES
from orgs.models.base import TenantForeignKey, TenantModel


class AudienceType(models.TextChoices):
    ORGANISATION = "organisation"
    GROUP = "group"
    MEMBER = "member"
    ROBOT = "robot"
    TEAM = "team"
    PERSONA = "persona"
    INDUSTRY = "industry"
    ROLE = "role"
    EXPLICIT = "explicit"
    REVIEW = "review"


# The kinds that people of one profession read.
COHORT_AUDIENCE_TYPES = tuple(map(AudienceType, COHORT_TYPES))
# The kinds of what somebody shared with others by choice.
SHARED_AUDIENCE_TYPES = (AudienceType.ORGANISATION, AudienceType.GROUP, AudienceType.EXPLICIT)


class Audience(TenantModel):
    """A set of readers, named by kind and `key`.

    `key` is empty for the organisation, the id of the group, member, robot, team or persona, or
    the digest of an explicit list. An explicit list that was made inside a group is bound to it
    (`group`), so that a robot that speaks for a member there reads those rows and no others.
    """

    kind = models.CharField(max_length=12, choices=AudienceType.choices)
    key = models.CharField(max_length=64, blank=True, default="")
    group = TenantForeignKey("orgs.Group", null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "kind", "key"], name="audience_once"),
            models.CheckConstraint(
                condition=models.Q(kind__in=AudienceType.values), name="audience_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}".strip()


class ReaderType(models.TextChoices):
    """What an entry names. direct: the robot of a direct conversation; it reads the list only while
    it acts for the member whom the list names as well."""

    MEMBER = "member"
    GROUP = "group"
    ROBOT = "robot"
    TEAM = "team"
    DIRECT = "direct"


class AudienceEntry(TenantModel):
    """One reader of an explicit or review audience."""

    audience = TenantForeignKey("orgs.Audience", related_name="entries")
    kind = models.CharField(max_length=8, choices=ReaderType.choices)
    reader = models.UUIDField()

    class Meta:
        verbose_name_plural = "audience entries"
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "audience", "kind", "reader"], name="audience_reader_once"
            )
        ]
        indexes = [models.Index(fields=["organisation", "kind", "reader"], name="audience_reader")]
