"""What support did with an account, for the person whose account it is."""

from django.db import models

from orgs.models.base import new_id


class SupportActType(models.TextChoices):
    LOOKED_UP = "looked_up"
    SIGNED_OUT = "signed_out"
    SECOND_STEP_RESET = "second_step_reset"
    CHANGED = "changed"


class SupportAct(models.Model):
    """One act of support with an account, or a look-up that found none; append-only.

    It belongs to the person and is deleted with the account. Only the scope of the account's own
    user reads a row; the scope of the member of staff who acts writes it
    (`orgs/sql/support_v1.sql`). account: None where the address found none; address and reason are
    not kept then. detail: browser, proof, counts.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    at = models.DateTimeField()
    staff = models.UUIDField()
    staff_name = models.CharField(max_length=254)
    account = models.ForeignKey(
        "orgs.User", models.DO_NOTHING, null=True, db_constraint=False, related_name="+"
    )
    kind = models.CharField(max_length=20, choices=SupportActType.choices)
    reason = models.TextField()
    detail = models.JSONField(default=dict)

    class Meta:
        verbose_name = "act of support"
        verbose_name_plural = "acts of support"

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.kind}"
