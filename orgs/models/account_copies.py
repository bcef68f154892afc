"""Which other servers have a copy of an account; a table of the home server."""

from django.db import models

from orgs.models.base import new_id


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
