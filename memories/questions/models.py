"""Questions that are kept for curators, who asked them, and who agreed to it.

A question points to its asker, and the asker to what was agreed, so that the database deletes what
is kept together with the agreement. Curators read the questions and no row of an asker.
"""

from django.db import models
from django.db.models import Q

from orgs.models.base import TenantForeignKey, TenantModel


class QuestionConsent(TenantModel):
    """A member, or for a robot whoever manages it, lets curators see questions that nothing
    answered. A personal robot has none of its own: its owner's counts."""

    member = TenantForeignKey("orgs.Member", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(member=None, robot__isnull=False) | Q(member__isnull=False, robot=None),
                name="question_consent_of_one",
            ),
            models.UniqueConstraint(
                fields=["organisation", "member"],
                condition=Q(member__isnull=False),
                name="question_consent_member_once",
            ),
            models.UniqueConstraint(
                fields=["organisation", "robot"],
                condition=Q(robot__isnull=False),
                name="question_consent_robot_once",
            ),
        ]


class QuestionAsker(TenantModel):
    """Who asked one question, readable by the asker alone.

    audience: the asker's own. recall: the id of the answer. member_consent, robot_consent: what it
    is kept by; both for a robot that asked for a member.
    """

    audience = TenantForeignKey("orgs.Audience")
    member_consent = TenantForeignKey("memories.QuestionConsent", null=True)
    robot_consent = TenantForeignKey("memories.QuestionConsent", null=True)
    recall = models.UUIDField()
    asked_on = models.DateField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(member_consent__isnull=False) | Q(robot_consent__isnull=False),
                name="question_asker_agreed",
            )
        ]
        indexes = [
            models.Index(fields=["organisation", "recall"], name="question_asker_recall"),
            models.Index(fields=["organisation", "asked_on"], name="question_asker_age"),
        ]


class QuestionReason(models.TextChoices):
    """Why curators see it; they do not see one that was answered."""

    ANSWERED = "", "Answered"
    UNANSWERED = "unanswered", "Unanswered"
    RATED = "rated", "Rated badly"


class Question(TenantModel):
    """The words of one question, encrypted.

    id: tells no time. audience: that of the curators. context_audience: the group in which it was
    asked, else the organisation; curators see it who read that. asked_on: the day in UTC.
    """

    asker = TenantForeignKey("memories.QuestionAsker")
    audience = TenantForeignKey("orgs.Audience")
    context_audience = TenantForeignKey("orgs.Audience")
    reason = models.CharField(
        max_length=10, choices=QuestionReason.choices, blank=True, default=QuestionReason.ANSWERED
    )
    sealed = models.TextField()
    asked_on = models.DateField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(reason__in=QuestionReason.values), name="question_reason_known"
            )
        ]
        indexes = [models.Index(fields=["organisation", "asked_on"], name="question_age")]
