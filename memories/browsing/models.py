"""Saved views of members."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class SavedView(TenantModel):
    """A member's name for a set of filters: the query of the page's address."""

    audience = TenantForeignKey("orgs.Audience")
    member = TenantForeignKey("orgs.Member")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "member", "name"], name="saved_view_once"
            )
        ]

    def __str__(self) -> str:
        return self.name
