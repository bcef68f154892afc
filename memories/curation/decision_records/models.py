"""The record of a decision: parts of its memory; and debates, which lead to decisions."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memories.curation.decision_records.topic_rules import MAX_WORD_LENGTH
from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey, TenantModel
from robots.models.robots import Robot
from robots.registry.personal_robot_privacy import HIDDEN_ROBOT_NAME, visible_robot


class Decision(MemoryPart):
    """The facts of a decision that its memory does not have; the memory's id is its id too.

    The memory has topic, conclusion (in its text), confidence, tags, the time of the decision
    (`occurred_at`) and its successor. words: of the topic, see `topic_words`. topic_hash:
    of these words, in hexadecimal. agree, disagree: votes.
    """

    id = None  # type: ignore[assignment]  # the memory is the key
    memory = models.OneToOneField(
        "memories.Memory",
        models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="decision",
    )
    topic_hash = models.CharField(max_length=64)
    words = ArrayField(models.CharField(max_length=MAX_WORD_LENGTH))
    domain = models.CharField(max_length=100, blank=True, default="")
    agree = models.PositiveIntegerField(default=0)
    disagree = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["organisation", "topic_hash"], name="decision_topic")]

    def __str__(self) -> str:
        return f"decision {self.memory_id}"


class _AttributedPart(MemoryPart):
    """Somebody in the record of a decision. Being in it gives no right to read.

    name: as given, or as the member or robot was called then. member, robot: who it is, if known.
    position: in the order in which they were given.
    """

    # Relations that are read in the same query.
    NAMED: ClassVar[tuple[str, ...]] = ("member", "robot", "audience")

    position = models.PositiveSmallIntegerField(default=0)
    name = models.CharField(max_length=300)
    member = TenantForeignKey("orgs.Member", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)

    class Meta:
        abstract = True

    def known(self, robot: Robot | None) -> Robot | None:
        """A robot of this row, if readers may know that it took part (`personal_robot_privacy`),
        else None. Needs `NAMED`."""
        return visible_robot(robot, [self.audience.kind])

    @property
    def called(self) -> str:
        """Their present name; the given name if no member or robot is known."""
        who = self.member or self.robot
        if who is None or self.member is not None:
            return who.name if who else self.name
        return who.name if self.known(self.robot) else HIDDEN_ROBOT_NAME


class Participant(_AttributedPart):
    """Somebody who took part in a decision."""

    class Meta:
        indexes = [models.Index(fields=["organisation", "memory"], name="participant_memory")]

    def __str__(self) -> str:
        return f"participant of {self.memory_id}"


class Claim(_AttributedPart):
    """An argument in favour or a remark, and by whom; without a name it is nobody's in
    particular."""

    text = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["organisation", "memory"], name="claim_memory")]

    def __str__(self) -> str:
        return f"claim in {self.memory_id}"


class DissentType(models.TextChoices):
    MINOR_QUIBBLE = "minor_quibble", "Minor quibble"
    ALTERNATIVE_APPROACH = "alternative_approach", "Another approach"
    FUNDAMENTAL_DISAGREEMENT = "fundamental_disagreement", "Fundamental disagreement"
    EDGE_CASE_CONCERN = "edge_case_concern", "Concern about an edge case"
    RISK_WARNING = "risk_warning", "Risk warning"
    ABSTENTION = "abstention", "Abstention"


class Dissent(_AttributedPart):
    """A dissent: who, what and why; confidence in 0-1.

    Its words never change: the application may update only the answer (acknowledged, rebuttal, by
    whom and when). noted_by: the person or robot that recorded it.
    """

    NAMED = (
        *_AttributedPart.NAMED,
        *("noted_by", "noted_by_robot", "answered_by", "answered_by_robot"),
    )

    form = models.CharField(max_length=24, choices=DissentType.choices)
    content = models.TextField()
    reasoning = models.TextField(blank=True, default="")
    confidence = models.FloatField(default=1.0)
    created_at = models.DateTimeField()
    noted_by = TenantForeignKey("orgs.Member", null=True)
    noted_by_robot = TenantForeignKey("robots.Robot", null=True)
    acknowledged = models.BooleanField(default=False)
    rebuttal = models.TextField(blank=True, default="")
    answered_at = models.DateTimeField(null=True)
    answered_by = TenantForeignKey("orgs.Member", null=True)
    answered_by_robot = TenantForeignKey("robots.Robot", null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(form__in=DissentType.values, confidence__range=(0, 1)),
                name="dissent_fits",
            )
        ]
        indexes = [models.Index(fields=["organisation", "memory"], name="dissent_memory")]

    def __str__(self) -> str:
        return f"dissent {self.id}"

    @property
    def is_open(self) -> bool:
        """Neither acknowledged nor rebutted."""
        return not self.acknowledged and not self.rebuttal


class DebateState(models.TextChoices):
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class Debate(TenantModel):
    """A meeting that a program runs, from its topic to its decision. Only its opener may continue
    it.

    visibility: of all that it writes. recall: the recall that began it. member: the person, or the
    member for whom the robot acts.
    """

    audience = TenantForeignKey("orgs.Audience")
    group = TenantForeignKey("orgs.Group", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)
    member = TenantForeignKey("orgs.Member", null=True)
    visibility = models.CharField(max_length=12)
    topic = models.CharField(max_length=300)
    state = models.CharField(max_length=6, choices=DebateState.choices, default=DebateState.OPEN)
    recall = TenantForeignKey("memories.Recall", null=True)
    decision = TenantForeignKey("memories.Memory", null=True)
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"debate {self.id}"
