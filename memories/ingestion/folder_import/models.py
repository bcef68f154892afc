"""Subscriptions of an organisation's import to folders on the server, and the files that were seen
there."""

from django.db import models
from django.db.models import Q

from memories.jobs.fetch_schedule import FetchSchedule
from orgs.models.base import TenantForeignKey, TenantModel


class FolderPauseReason(models.TextChoices):
    """Why a folder is not looked at. asked: somebody paused it. author: whoever subscribed may not
    import any more. group: they do not read the group any more that reads what names no reader.
    setting: the server has no folder for imports. folder: it is not there, or a link leads to it.
    unreadable: the server may not read it. too-many: it holds more than is looked through. files: a
    file of each of the last runs was refused."""

    ASKED = "asked"
    AUTHOR = "author"
    GROUP = "group"
    SETTING = "setting"
    FOLDER = "folder"
    UNREADABLE = "unreadable"
    TOO_MANY = "too-many"
    FILES = "files"


class LineReaders(models.TextChoices):
    """Who reads a line that names no reader and no group."""

    PRIVATE = "private"
    ORGANISATION = "organisation"
    GROUP = "group"


class ImportSubscription(FetchSchedule):
    """A folder below that of the organisation. Everybody who may import sees it.

    member, or robot with key: its author, whose job each run is. folder: its path, with `/`. The
    rest is how each file is imported, as `enqueue_import` takes it; columns: as they were written.
    """

    member = TenantForeignKey("orgs.Member", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)
    key = TenantForeignKey("robots.Key", null=True)
    folder = models.CharField(max_length=500, blank=True)
    format = models.CharField(max_length=20)
    time_zone = models.CharField(max_length=64, blank=True, default="")
    columns = models.TextField(blank=True, default="")
    by_group = models.BooleanField(default=False)
    join_groups = models.BooleanField(default=False)
    readers = models.CharField(
        max_length=12, choices=LineReaders.choices, default=LineReaders.PRIVATE
    )
    group = TenantForeignKey("orgs.Group", null=True)
    created_at = models.DateTimeField()
    last_run_at = models.DateTimeField(null=True)
    paused_for = models.CharField(
        max_length=11, choices=FolderPauseReason.choices, blank=True, default="", db_default=""
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "folder"], name="import_subscription_folder_once"
            ),
            models.CheckConstraint(
                condition=Q(member__isnull=False, robot=None, key=None)
                | Q(member=None, robot__isnull=False),
                name="import_subscription_of_one_author",
            ),
            models.CheckConstraint(
                condition=Q(readers=LineReaders.GROUP, group__isnull=False)
                | Q(readers__in=[LineReaders.PRIVATE, LineReaders.ORGANISATION], group=None),
                name="import_subscription_readers",
            ),
        ]

    def __str__(self) -> str:
        return f"folder {self.id}"


class FolderFile(TenantModel):
    """A file as it was seen last. It is deleted with its subscription.

    path: the SHA-256 of its path below the folder. size in bytes, changed_ns: see
    `FileState`. digest: the SHA-256 of its content; empty if it was not read. problem:
    its path and why it was refused; empty if its import was queued.
    """

    subscription = TenantForeignKey("memories.ImportSubscription")
    path = models.CharField(max_length=64)
    size = models.BigIntegerField()
    changed_ns = models.BigIntegerField()
    digest = models.CharField(max_length=64, blank=True, default="")
    problem = models.TextField(blank=True, default="")
    looked_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "subscription", "path"], name="folder_file_once"
            )
        ]

    def __str__(self) -> str:
        return f"file {self.id}"
