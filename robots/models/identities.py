"""Which robots know a member by which identity of a platform."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class IdentityLink(TenantModel):
    """A robot says that `platform:identifier` is this member, how sure it is and why.

    `known_as` is that robot's own name for the person. Confidence is in 0-1 and opens nothing: see
    `ExternalIdentity`.
    """

    identity = TenantForeignKey("orgs.ExternalIdentity", related_name="links")
    robot = TenantForeignKey("robots.Robot")
    known_as = models.CharField(max_length=300, blank=True, default="")
    confidence = models.FloatField(default=1.0)
    evidence = models.CharField(max_length=1000, blank=True, default="")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "identity", "robot"], name="identity_link_once"
            ),
            models.UniqueConstraint(
                fields=["organisation", "robot", "known_as"],
                condition=~models.Q(known_as=""),
                name="identity_known_as_once",
            ),
            models.CheckConstraint(
                condition=models.Q(confidence__range=(0, 1)), name="identity_confidence_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.robot_id} knows {self.identity_id}"
