"""What was served, so that feedback can refer to it. Never the question's text."""

from django.db import models

from orgs.models.base import TenantKey, TenantModel


class Recall(TenantModel):
    """One answer: ids and the scores in 0-1 that were served, readable by the asker alone."""

    audience = TenantKey("orgs.Audience")
    robot = TenantKey("robots.Robot", null=True)
    member = TenantKey("orgs.Member", null=True)
    group = TenantKey("orgs.Group", null=True)
    strategy = models.CharField(max_length=20)
    hits = models.JSONField(default=list)
    took_ms = models.FloatField()
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["organisation", "-created_at"], name="recall_recent")]
