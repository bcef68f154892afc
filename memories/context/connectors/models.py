"""Calendars, mailboxes and feeds of members, with the entries that were read."""

from django.db import models

from memories.jobs.fetch_schedule import FetchSchedule
from orgs.models.base import TenantForeignKey, TenantModel


class AccountType(models.TextChoices):
    CALENDAR = "calendar", "Calendar"
    MAIL = "mail", "Mail"
    FEED = "feed", "Feed"


class PauseReason(models.TextChoices):
    """Why a subscription is not fetched. asked: its member paused it. secret: its address cannot be
    decrypted. The others say why the last of several attempts failed; refused: a status of HTTP
    that is neither success nor a redirect. The last three are of mailboxes: the server refuses the
    user or password, it has no such folder, or it does not offer STARTTLS."""

    ASKED = "asked"
    SECRET = "secret"  # noqa: S105 - a reason
    ADDRESS = "address"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    REDIRECT = "redirect"
    REFUSED = "refused"
    TOO_LARGE = "too-large"
    ENCODED = "encoded"
    UNREADABLE = "unreadable"
    CREDENTIALS = "credentials"
    FOLDER = "folder"
    UNENCRYPTED = "unencrypted"


class Account(FetchSchedule):
    """A calendar, mailbox or feed of a member, in the member's own audience.

    name: unique for the member. problems: what was left out of its file, in sentences.

    The rest is about one that is fetched from an address, a subscription. url: encrypted, empty
    without a subscription; of mail the mailbox with its password. etag, modified: what the server
    said of the last file; etag of mail: up to where the folder was read.
    """

    audience = TenantForeignKey("orgs.Audience")
    member = TenantForeignKey("orgs.Member")
    kind = models.CharField(max_length=8, choices=AccountType.choices)
    name = models.CharField(max_length=100)
    entries = models.PositiveIntegerField(default=0)
    problems = models.JSONField(default=list)
    created_at = models.DateTimeField()
    refreshed_at = models.DateTimeField()
    url = models.TextField(blank=True, default="", db_default="")
    etag = models.CharField(max_length=200, blank=True, default="", db_default="")
    modified = models.CharField(max_length=100, blank=True, default="", db_default="")
    paused_for = models.CharField(
        max_length=11, choices=PauseReason.choices, blank=True, default="", db_default=""
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "member", "name"], name="account_name_once"
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=AccountType.values), name="account_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class AccountEntry(TenantModel):
    """An event, a mail or an entry of a feed. It is deleted with its account, and has the account's
    audience and kind.

    uid: a digest of the id in its feed, empty for the other kinds.
    noted_at: when a worker looked at it; memory: what it made of it, if no gate held it. Each goes
    with the other, and an entry without a memory that stands is in no context.
    """

    account = TenantForeignKey("memories.Account")
    audience = TenantForeignKey("orgs.Audience")
    kind = models.CharField(max_length=8, choices=AccountType.choices)
    at = models.DateTimeField()
    until = models.DateTimeField(null=True)
    all_day = models.BooleanField(default=False)
    title = models.CharField(max_length=500)
    person = models.CharField(max_length=500, blank=True, default="")
    place = models.CharField(max_length=500, blank=True, default="")
    text = models.TextField(blank=True, default="")
    uid = models.CharField(max_length=32, blank=True, default="", db_default="")
    memory = TenantForeignKey("memories.Memory", null=True)
    noted_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "account entries"
        indexes = [
            models.Index(
                fields=["organisation", "account", "-at"],
                condition=models.Q(noted_at=None),
                name="account_entry_waits",
            ),
            models.Index(
                fields=["organisation", "audience", "kind", "at"], name="account_entry_at"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"
