"""Members of an organisation and the names other platforms know them by."""

from datetime import UTC, tzinfo
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import models
from django.utils import timezone

from orgs.models.base import TenantKey, TenantModel


def time_zone(name: str) -> ZoneInfo | None:
    """The zone of that name; None where there is none."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


class Role(models.TextChoices):
    ADMIN = "admin"
    CURATOR = "curator"
    MEMBER = "member"
    VIEWER = "viewer"


class Member(TenantModel):
    """A person in an organisation.

    `user` is the account that is invited or has joined; it opens nothing before `joined_at`, and
    nothing after `removed_at`. Without a user it is somebody whom robots or imports know.

    learning_paused_at: since then nothing is remembered about them. sharing_off_at: since then
    nothing about them goes further than themselves and the group where it was said. erased_at:
    since then the row is an id without a name, for what others kept points at it.
    """

    user = models.ForeignKey(
        "orgs.User", models.CASCADE, null=True, blank=True, related_name="memberships"
    )
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    time_zone = models.CharField(max_length=64, default="UTC")
    learning_paused_at = models.DateTimeField(null=True, blank=True)
    sharing_off_at = models.DateTimeField(null=True, blank=True)
    joined_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)
    invite_digest = models.CharField(max_length=64, blank=True, default="")
    invite_expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "user"], name="member_once", nulls_distinct=True
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="member_role_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> tzinfo:
        """The zone in which this member reads times; UTC where theirs is not known."""
        return time_zone(self.time_zone) or UTC

    @property
    def moderates(self) -> bool:
        """Whether the role reads what is not confidential and decides reviews."""
        return self.role in (Role.ADMIN, Role.CURATOR)


class IdentityQuerySet(models.QuerySet["ExternalIdentity"]):
    def conferring(self) -> "IdentityQuerySet":
        """Those that stand for their member where it is decided who reads: confirmed, or of
        somebody whom nobody can sign in as."""
        return self.filter(models.Q(confirmed_at__isnull=False) | models.Q(member__user=None))

    def named(self, organisation_id: UUID, platform: str, identifier: str) -> "IdentityQuerySet":
        """Every reading of one name, whatever the group."""
        return self.filter(
            organisation_id=organisation_id, platform=platform, identifier=identifier
        )

    def inside(self, group_id: UUID | None) -> "IdentityQuerySet":
        """Those that hold everywhere and, inside a group, that group's own."""
        everywhere = models.Q(group__isnull=True)
        return self.filter(everywhere | models.Q(group_id=group_id) if group_id else everywhere)

    def by_weight(self) -> "IdentityQuerySet":
        """Of one name the reading that wins first."""
        return self.annotate(
            weight=models.Case(
                models.When(confirmed_at__isnull=False, group__isnull=False, then=0),
                models.When(confirmed_at__isnull=False, then=1),
                models.When(group__isnull=False, then=2),
                default=3,
            )
        ).order_by("weight")


class ExternalIdentity(TenantModel):
    """`platform:identifier`, by which a robot or an import names a member.

    group: the one in which alone the name means this member, as an import of separate chats says
    it; no robot can say so. What is confirmed wins over what is not, then the group's own over the
    organisation's (`by_weight`).

    An unconfirmed identity lets robots say who they speak of; it never lets a person read: for a
    member with an account it counts only once an admin has confirmed it (`conferring`).
    """

    platform = models.CharField(max_length=40)
    identifier = models.CharField(max_length=300)
    member = TenantKey("orgs.Member", related_name="identities")
    group = TenantKey("orgs.Group", null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = IdentityQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "external identities"
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "platform", "identifier", "group"],
                nulls_distinct=False,
                name="identity_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.platform}:{self.identifier}"
