"""The runs of ageing, and the policy of what workers may do by themselves."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class AgeingRun(TenantModel):
    """The latest period for which the memories of one tier were judged.

    period: a minute, an hour, a day or a month in UTC, in a form in which later ones are greater. A
    run without an end broke off.
    """

    tier = models.CharField(max_length=7)
    period = models.CharField(max_length=16)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "tier"], name="ageing_run_once")
        ]

    def __str__(self) -> str:
        return f"{self.tier} {self.period}"


class AgeingPolicy(TenantModel):
    """What an organisation lets its workers do by themselves; without a row they only propose.

    evict: memories above a tier's capacity are summarised and archived. capacities: which of the
    two tables of capacities applies. merge_duplicates: memories with equal words are merged.
    max_age_days: {type: days} after which a memory is archived. past_half_life: memories older than
    twice the half-life of their tier are archived. keep_most: how many memories stay active, the
    least important are archived first; None means no limit. Nothing here deletes.
    """

    evict = models.BooleanField(default=False)
    capacities = models.CharField(max_length=8, default="standard")
    merge_duplicates = models.BooleanField(default=False)
    max_age_days = models.JSONField(default=dict)
    past_half_life = models.BooleanField(default=False)
    keep_most = models.PositiveIntegerField(null=True)
    changed_by = TenantForeignKey("orgs.Member", null=True)
    changed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "ageing policies"
        constraints = [
            models.UniqueConstraint(fields=["organisation"], name="ageing_policy_once"),
            models.CheckConstraint(
                condition=models.Q(capacities__in=["standard", "large"]),
                name="ageing_policy_words_known",
            ),
        ]

    def __str__(self) -> str:
        return f"ageing policy of {self.organisation_id}"
