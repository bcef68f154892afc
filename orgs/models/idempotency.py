"""What a call with an Idempotency-Key was answered."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from orgs.models.base import TenantModel


class IdempotencyRecord(TenantModel):
    """A call that has run, and its answer for whoever sends it again.

    caller: the key or member that sent it. call: a keyed digest of method, path and
    Idempotency-Key; request: one of query and body; standing: one of the caller's role and scopes.
    body: None if the answer is not repeated. shows: ids of the rows in the answer that the caller
    could read.
    """

    caller = models.UUIDField()
    call = models.BinaryField()
    request = models.BinaryField()
    standing = models.BinaryField()
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.BinaryField(null=True)
    shows = ArrayField(models.UUIDField(), default=list)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "caller", "call"], name="idempotency_once"
            )
        ]
        indexes = [models.Index(fields=["organisation", "created_at"], name="idempotency_age")]

    def __str__(self) -> str:
        return f"idempotency record {self.id}"
