"""The tenant and the groups inside it."""

from dataclasses import dataclass
from functools import lru_cache

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from uuid_utils.compat import uuid7

from orgs.models.base import MAX_PROVISIONED_ID, TenantForeignKey, TenantModel


class Projection(models.TextChoices):
    """Additional index layouts, written in the same transaction as the rows that they index."""

    GRAPH = "graph"
    PARTITIONS = "partitions"


def default_projections() -> list[str]:
    """The projections of a new organisation."""
    return [Projection.GRAPH.value]


@dataclass(frozen=True, slots=True)
class EncoderChoice:
    """Names of embedding models, as in the setting ENCODER, which an empty `serving` means.

    serving: by which questions are answered. second: kept up to date beside it; empty for none.
    rows: whose vectors stand in the rows that every recall scans; those of the other stand beside.
    has_parts: whether texts of several parts have vectors of these beside the rows.
    """

    serving: str = ""
    second: str = ""
    rows: str = ""
    has_parts: bool = False


# The most characters of what the people of a suspended organisation are told.
MAX_SUSPENSION_REASON_LENGTH = 200
DEFAULT_ENCODERS = EncoderChoice()
# The choice as one text, of an organisation `o`.
ENCODERS_SQL = "concat_ws(E'\\n', o.encoder, o.second_encoder, o.row_encoder, o.has_parts)"


@lru_cache(maxsize=512)
def parse_encoders(text: str) -> EncoderChoice:
    """The choice from the text of ENCODERS_SQL."""
    *names, has_parts = text.split("\n")
    return EncoderChoice(*names, has_parts=has_parts == "t")


class ActiveOrganisationManager(models.Manager["Organisation"]):
    """Organisations that are not removed, so that nothing works on a half-deleted one."""

    def get_queryset(self) -> "models.QuerySet[Organisation]":
        return super().get_queryset().filter(removed_at__isnull=True)


class Organisation(models.Model):
    """The tenant: no row or reader of one belongs to another.

    removed_at: since then it is closed to everybody, and its rows are being deleted. suspended_at:
    since then it is closed to everybody, and all stays as it is; suspended_for: why, for its
    people.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=80, unique=True)
    language = models.CharField(
        max_length=40, default="english", help_text="Postgres text-search configuration."
    )
    indexed_language = models.CharField(
        max_length=40,
        default="",
        db_default="",
        editable=False,
        help_text="The language for which the words of all memories are indexed.",
    )
    members_publish = models.BooleanField(
        default=False, help_text="Members publish to the organisation without review."
    )
    demo = models.BooleanField(
        default=False, help_text="Made to look around in; an admin may remove it with all its rows."
    )
    projections = ArrayField(
        models.CharField(max_length=10, choices=Projection.choices),
        default=default_projections,
        blank=True,
        help_text="Which index layouts are kept; rebuild_projections fills one switched on later.",
    )
    encoder = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="The embedding model that serves; empty: the setting ENCODER.",
    )
    second_encoder = models.CharField(
        max_length=200, blank=True, default="", db_default="", editable=False
    )
    row_encoder = models.CharField(
        max_length=200, blank=True, default="", db_default="", editable=False
    )
    has_parts = models.BooleanField(default=False, db_default=False, editable=False)
    fill_paused = models.BooleanField(default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    removed_at = models.DateTimeField(null=True, editable=False)
    suspended_at = models.DateTimeField(null=True, editable=False)
    suspended_for = models.CharField(
        max_length=MAX_SUSPENSION_REASON_LENGTH, default="", db_default="", editable=False
    )

    objects = ActiveOrganisationManager()
    with_removed = models.Manager["Organisation"]()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(projections__contained_by=Projection.values),
                name="organisation_projections_known",
            ),
            # Which model serves is a choice before another stands beside it.
            models.CheckConstraint(
                condition=models.Q(second_encoder="", row_encoder="") | ~models.Q(encoder=""),
                name="organisation_encoder_chosen",
            ),
            models.CheckConstraint(
                condition=models.Q(encoder="") | ~models.Q(second_encoder=models.F("encoder")),
                name="organisation_encoders_differ",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class IngestProfile(models.TextChoices):
    """Who reads what is posted in a group: the whole group, or those whom it concerns."""

    OPEN = "open"
    STRICT = "strict"


class ContradictionPolicy(models.TextChoices):
    """Which of two facts that disagree holds without anybody deciding it: none; the newest that
    somebody said of themselves; the newest that the same person said."""

    ASK = "ask"
    OWN_FACTS = "newest_of_own_facts"
    SAME_SPEAKER = "newest_of_same_speaker"


class Group(TenantModel):
    """A chat, team or project. Curators outside it read it only if it is not confidential.

    external_id: what its own people call it. Two groups may have the same one, if whoever makes the
    second may not know of the first (docs/adr/0009-names.md). provisioned_at: since then an
    identity provider says who is in it; provisioned_id: what the provider calls it.
    """

    external_id = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    confidential = models.BooleanField(default=True)
    profile = models.CharField(
        max_length=6, choices=IngestProfile.choices, default=IngestProfile.OPEN
    )
    contradiction_policy = models.CharField(
        max_length=22,
        choices=ContradictionPolicy.choices,
        default=ContradictionPolicy.OWN_FACTS,
        db_default=ContradictionPolicy.OWN_FACTS,
    )
    owner = TenantForeignKey("orgs.Member", null=True, blank=True)
    provisioned_id = models.CharField(
        max_length=MAX_PROVISIONED_ID, blank=True, default="", db_default="", editable=False
    )
    provisioned_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(contradiction_policy__in=ContradictionPolicy.values),
                name="group_contradiction_policy_known",
            ),
            models.CheckConstraint(
                condition=models.Q(profile__in=IngestProfile.values), name="group_profile_known"
            ),
        ]
        indexes = [models.Index(fields=["organisation", "external_id"], name="group_called")]

    def __str__(self) -> str:
        return self.name


class GroupMembership(TenantModel):
    group = TenantForeignKey("orgs.Group", related_name="memberships")
    member = TenantForeignKey("orgs.Member", related_name="group_memberships")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "group", "member"], name="group_member_once"
            )
        ]
        indexes = [models.Index(fields=["organisation", "member"], name="group_member_member")]
