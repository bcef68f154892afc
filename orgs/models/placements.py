"""On which server an organisation lies, and which have copies of accounts; tables of the home
server but for the fences, which each server has."""

from django.db import models

from orgs.models.base import new_id


class PlacementState(models.TextChoices):
    MAKING = "making"
    READY = "ready"


class Placement(models.Model):
    """The server of an organisation. One without a row lies on the home server.

    id: the organisation's. server: a name of DATABASE_SERVERS, empty for the home server. slug: as
    the organisation has it, unique among all servers.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    server = models.CharField(max_length=40, blank=True)
    slug = models.CharField(max_length=80, unique=True)
    state = models.CharField(max_length=10, choices=PlacementState.choices)

    def __str__(self) -> str:
        return f"{self.slug} on {self.server or 'the home server'}"


class FenceState(models.TextChoices):
    """arriving: the organisation is being copied to this server. sealed: it is read here, and
    nothing is written. moved: it lies on another server now."""

    ARRIVING = "arriving"
    SEALED = "sealed"
    MOVED = "moved"


class OrganisationFence(models.Model):
    """What a server says of an organisation that moves: each server has such a table, and whoever
    opens a scope there is told, also by a placement that a process remembers wrongly. An
    organisation without a row is open.

    id: the organisation's. until: when a seal ends by itself, empty for one that does not. since:
    when it moved.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    state = models.CharField(max_length=8, choices=FenceState.choices)
    until = models.DateTimeField(null=True)
    since = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.id} {self.state}"


class MoveStep(models.TextChoices):
    """How far a move is. moving: it lies where it was. flipped: it lies on the other server, and
    what was left behind is being deleted. cancelling: what was copied is being deleted."""

    MOVING = "moving"
    FLIPPED = "flipped"
    CANCELLING = "cancelling"


class OrganisationMove(models.Model):
    """A move that is not finished; a table of the home server, for commands of its superuser alone.

    id: the organisation's. source, target: names of servers, empty for the home server.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    slug = models.CharField(max_length=80)
    source = models.CharField(max_length=40, blank=True)
    target = models.CharField(max_length=40, blank=True)
    step = models.CharField(max_length=10, choices=MoveStep.choices)
    started_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.slug} to {self.target or 'the home server'}"


class AccountCopy(models.Model):
    """An account of which another server has a copy, because a membership there refers to it.

    account: its id; no foreign key, so that a copy is still found when its account is gone. server:
    a name of DATABASE_SERVERS. due_at: since when the copy has to be looked at again; empty where
    it is as it should be. ends_account: whether the account is deleted with its last copy, if it is
    no member anywhere.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    account = models.UUIDField()
    server = models.CharField(max_length=40)
    due_at = models.DateTimeField(null=True)
    ends_account = models.BooleanField(default=False)

    class Meta:
        verbose_name_plural = "account copies"
        constraints = [
            models.UniqueConstraint(fields=["account", "server"], name="account_copy_once")
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(due_at__isnull=False),
                name="account_copy_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.account} on {self.server}"
