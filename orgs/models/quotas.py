"""How much an organisation keeps, and how much it may keep."""

from django.db import models

from orgs.models.base import TenantModel


class Quota(TenantModel):
    """What an organisation may keep: of each resource so many, None for any number.

    bytes: of the texts of memories and messages, in UTF-8. The database refuses what goes beyond
    (`orgs/sql/quotas_v1.sql`).
    """

    memories = models.BigIntegerField(null=True)
    bytes = models.BigIntegerField(null=True)
    robots = models.BigIntegerField(null=True)
    groups = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation"], name="quota_once"),
            models.CheckConstraint(
                condition=models.Q(memories__gte=0)
                & models.Q(bytes__gte=0)
                & models.Q(robots__gte=0)
                & models.Q(groups__gte=0),
                name="quota_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"quota of {self.organisation_id}"


class Usage(TenantModel):
    """A change of what an organisation keeps; the sum of all its rows is what it keeps now.

    Written by the database alone, a row for each statement, so that writers do not wait for each
    other. Rows are added up from time to time.
    """

    memories = models.BigIntegerField()
    bytes = models.BigIntegerField()

    def __str__(self) -> str:
        return f"usage {self.id}"
