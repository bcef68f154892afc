"""Records of recalls, to which feedback refers. The question's text is never in them."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class Recall(TenantModel):
    """One answer: the served ids and scores (0-1), readable by the asker alone.

    hits: see `answering.recorded`, in the order in which they were served. answered, confidence:
    see `answering.confidence`; empty if it was not judged, as for a context. folded: the ids of the
    hits that do not answer.
    """

    audience = TenantForeignKey("orgs.Audience")
    robot = TenantForeignKey("robots.Robot", null=True)
    member = TenantForeignKey("orgs.Member", null=True)
    group = TenantForeignKey("orgs.Group", null=True)
    strategy = models.CharField(max_length=20)
    hits = models.JSONField(default=list)
    answered = models.CharField(max_length=6, blank=True, default="", db_default="")
    confidence = models.FloatField(null=True)
    folded = models.JSONField(default=list, db_default=[])
    took_ms = models.FloatField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(answered__in=("", "yes", "unsure", "no"))
                & (models.Q(confidence=None) | models.Q(confidence__range=(0, 1))),
                name="recall_answered_known",
            )
        ]
        indexes = [models.Index(fields=["organisation", "-created_at"], name="recall_recent")]


class Feedback(TenantModel):
    """Feedback on one hit of a recall, given once; readable by whoever gave it.

    usefulness, predicted (the score that was served) and surprise in 0-1; outcome is success,
    failure or empty. told_at: when the last of it was given. counted_for: the audience of the
    memory, if the feedback may count for its other readers, from the day after; else empty.
    learned: whether its usefulness counts there already; published: whether all of it does.
    """

    audience = TenantForeignKey("orgs.Audience")
    recall = TenantForeignKey("memories.Recall")
    memory = TenantForeignKey("memories.Memory")
    robot = TenantForeignKey("robots.Robot", null=True)
    member = TenantForeignKey("orgs.Member", null=True)
    usefulness = models.FloatField()
    outcome = models.CharField(max_length=7, blank=True, default="")
    predicted = models.FloatField()
    surprise = models.FloatField()
    created_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True)
    counted_for = models.UUIDField(null=True)
    learned = models.BooleanField(default=False, db_default=False)
    published = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "recall", "memory"], name="feedback_once"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    usefulness__range=(0, 1),
                    surprise__range=(0, 1),
                    outcome__in=("", "success", "failure"),
                ),
                name="feedback_in_range",
            ),
        ]
        indexes = [models.Index(fields=["organisation", "memory"], name="feedback_memory")]

    def __str__(self) -> str:
        return f"feedback on memory {self.memory_id}"
