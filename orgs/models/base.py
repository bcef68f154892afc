"""What every tenant table shares."""

import uuid

from django.db import models
from uuid_utils.compat import uuid7


class TenantModel(models.Model):
    """A row that belongs to one organisation.

    Ids are made here (UUIDv7), never by the database, so that nothing has to be returned by an
    INSERT into an audience that the writer cannot read. The constraints between tenant tables
    are composite, (organisation, id), and are added by `orgs/sql/protection_v1.sql` and its like:
    Django's own foreign keys would let a row point into another organisation.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organisation = models.ForeignKey(
        "orgs.Organisation",
        models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )

    class Meta:
        abstract = True


class TenantKey(models.ForeignKey):
    """A reference to a row of the same organisation; the constraint is composite, in SQL."""

    def __init__(self, to: str, **kwargs: object) -> None:
        kwargs["on_delete"] = models.DO_NOTHING
        kwargs["db_constraint"] = False
        # Queries filter by the organisation first, so an index on the column alone is never used.
        kwargs.setdefault("db_index", False)
        kwargs.setdefault("related_name", "+")
        super().__init__(to, **kwargs)


def new_id() -> uuid.UUID:
    """A fresh time-ordered id."""
    return uuid7()
