"""Members of an organisation and their names on other platforms."""

from collections.abc import Collection
from datetime import UTC, tzinfo
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import models
from django.db.models import Q
from django.db.models.functions import Concat
from django.utils import timezone

from orgs.models.base import MAX_PROVISIONED_ID, TenantForeignKey, TenantModel

MAX_LANGUAGE = 16


def find_time_zone(name: str) -> ZoneInfo | None:
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


def joined_q() -> Q:
    """Members with an account who have joined and were not removed."""
    return Q(user__isnull=False, joined_at__isnull=False, removed_at__isnull=True)


def can_sign_in_q() -> Q:
    """Of these the ones whose account was not closed."""
    return joined_q() & Q(user__is_active=True)


def joined_sql(member: str) -> str:
    """`joined_q` as SQL. member: the alias of the table."""
    return (
        f"{member}.user_id IS NOT NULL AND {member}.joined_at IS NOT NULL "
        f"AND {member}.removed_at IS NULL"
    )


def sharing_q(prefix: str = "") -> Q:
    """Members who are here and let others learn from what they do. prefix: the way to the member,
    with `__` behind it."""
    return Q((f"{prefix}sharing_off_at", None), (f"{prefix}removed_at", None))


def sharing_sql(member: str) -> str:
    """`sharing_q` as SQL. member: the alias of the table."""
    return f"{member}.sharing_off_at IS NULL AND {member}.removed_at IS NULL"


def can_sign_in_sql(member: str, account: str) -> str:
    """`can_sign_in_q` as SQL, true or false. account: the alias of a LEFT JOIN of accounts."""
    return f"({joined_sql(member)} AND coalesce({account}.is_active, false))"


class Member(TenantModel):
    """A person in an organisation.

    `user` is the account that is invited or has joined; it opens nothing before `joined_at`, and
    nothing after `removed_at`. Without a user it is somebody whom only robots or imports know.

    learning_paused_at: since then nothing is remembered about them. sharing_off_at: since then
    nothing about them is shared beyond themselves and the group where it was said. erased_at: since
    then the row has only its id, to which other rows still point. invited_by: the admin who sent
    the last invitation; empty where a program or a command did.

    language: of the pages; empty where the browser decides.

    news_seen_at: until when they have seen their news. news_mail_since: since when they want them
    by mail; news_mailed_at: when the last mail went.

    provisioned_id: what an identity provider calls them (`externalId` of SCIM). deactivated_at: the
    provider has switched them off, and may switch a removed member on again.
    """

    user = models.ForeignKey(
        "orgs.User", models.CASCADE, null=True, blank=True, related_name="memberships"
    )
    name = models.CharField(max_length=200)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    time_zone = models.CharField(max_length=64, default="UTC")
    language = models.CharField(
        max_length=MAX_LANGUAGE, blank=True, default="", db_default="", editable=False
    )
    learning_paused_at = models.DateTimeField(null=True, blank=True)
    sharing_off_at = models.DateTimeField(null=True, blank=True)
    joined_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)
    invite_digest = models.CharField(max_length=64, blank=True, default="")
    invite_expires_at = models.DateTimeField(null=True, blank=True)
    invited_by = TenantForeignKey("orgs.Member", null=True)
    news_seen_at = models.DateTimeField(null=True, blank=True)
    news_mail_since = models.DateTimeField(null=True, blank=True)
    news_mailed_at = models.DateTimeField(null=True, blank=True)
    provisioned_id = models.CharField(
        max_length=MAX_PROVISIONED_ID, blank=True, default="", db_default="", editable=False
    )
    deactivated_at = models.DateTimeField(null=True, editable=False)
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
        indexes = [
            models.Index(
                fields=["organisation", "invited_by"],
                condition=models.Q(invited_by__isnull=False),
                name="member_invited_by",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> tzinfo:
        """The zone in which this member reads times; UTC where theirs is not known."""
        return find_time_zone(self.time_zone) or UTC

    @property
    def moderates(self) -> bool:
        """Whether the role reads groups that are not confidential and decides reviews."""
        return self.role in (Role.ADMIN, Role.CURATOR)


def identity_precedence(*, confirmed: bool, of_group: bool) -> int:
    """0-3: of several readings of one name the one with the lowest number wins.

    What is confirmed comes before what is not; then the group's own before the organisation's.
    """
    return 2 * (not confirmed) + (not of_group)


class IdentityQuerySet(models.QuerySet["ExternalIdentity"]):
    """Readings of names. SQL_OF_READING says the same as SQL, for statements written by hand."""

    def conferring(self) -> "IdentityQuerySet":
        """The identities that count where it is decided who reads; see `confers`."""
        return self.filter(models.Q(confirmed_at__isnull=False) | models.Q(member__user=None))

    def called(self, organisation_id: UUID, names: Collection[str]) -> "IdentityQuerySet":
        """Every reading of each of these names (`platform:identifier`), whatever the group."""
        parts = [name.partition(":") for name in names]
        # The first two conditions are for the index, the third is the exact one.
        rows = self.filter(
            organisation_id=organisation_id,
            platform__in={platform for platform, _, _ in parts},
            identifier__in={identifier for _, _, identifier in parts},
        )
        name = Concat("platform", models.Value(":"), "identifier")
        return rows.annotate(name=name).filter(name__in=names)

    def inside(self, group_id: UUID | None) -> "IdentityQuerySet":
        """Those that hold everywhere and, inside a group, that group's own."""
        everywhere = models.Q(group__isnull=True)
        return self.filter(everywhere | models.Q(group_id=group_id) if group_id else everywhere)

    def by_weight(self) -> "IdentityQuerySet":
        """Of one name the reading that wins first; see `identity_precedence`."""
        order = identity_precedence
        return self.annotate(
            weight=models.Case(
                models.When(
                    confirmed_at__isnull=False,
                    group__isnull=False,
                    then=order(confirmed=True, of_group=True),
                ),
                models.When(confirmed_at__isnull=False, then=order(confirmed=True, of_group=False)),
                models.When(group__isnull=False, then=order(confirmed=False, of_group=True)),
                default=order(confirmed=False, of_group=False),
            )
        ).order_by("weight")

    def winning(self) -> "IdentityQuerySet":
        """Of each name the reading that wins."""
        rows = self.by_weight().order_by("platform", "identifier", "weight")
        return rows.distinct("platform", "identifier")


# The member whom a name means: called(organisation, [name]), conferring(), inside(g.id) and
# winning() as one SELECT. `g` is a row of the statement around it.
IDENTITY_SQL = """
    SELECT i.member_id FROM orgs_externalidentity i WHERE i.organisation_id = %(organisation)s
    AND i.platform = %(platform)s AND i.identifier = %(identifier)s
    AND (i.group_id IS NULL OR i.group_id = g.id)
    AND (i.confirmed_at IS NOT NULL OR EXISTS (
        SELECT 1 FROM orgs_member p WHERE p.organisation_id = %(organisation)s
        AND p.id = i.member_id AND p.user_id IS NULL))
    ORDER BY i.confirmed_at IS NULL, i.group_id IS NULL LIMIT 1
"""


class ExternalIdentity(TenantModel):
    """`platform:identifier`, by which a robot or an import names a member.

    group: set if the name means this member only inside this group. Imports of separate chats set
    it; robots cannot. Which of several readings of a name wins: `identity_precedence`.

    An unconfirmed identity lets robots say whom they mean, but it never lets a person read. For a
    member with an account it counts only once an admin or the member's code has confirmed it
    (`confers`).
    """

    platform = models.CharField(max_length=40)
    identifier = models.CharField(max_length=300)
    member = TenantForeignKey("orgs.Member", related_name="identities")
    group = TenantForeignKey("orgs.Group", null=True, blank=True)
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

    @property
    def confers(self) -> bool:
        """Whether the identity counts where it is decided who reads: it is confirmed, or nobody
        can sign in as its member. Reads the member."""
        return self.confirmed_at is not None or self.member.user_id is None


def load_member_zone(organisation_id: UUID, member_id: UUID | None) -> tzinfo:
    """The zone of a member; UTC without one. Call in a scope of the organisation."""
    members = Member.objects.filter(organisation_id=organisation_id, id=member_id)
    whose = members.first() if member_id else None
    return whose.zone if whose else UTC
