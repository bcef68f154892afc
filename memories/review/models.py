"""Items that wait for a decision, and their outcome."""

from django.db import models

from memories.store.models.choices import QuarantineGate
from memories.store.models.memory_part import MemoryPart
from orgs.languages.page_text import lazy_text
from orgs.models.base import TenantForeignKey


class ProposalCause(models.TextChoices):
    """Why an item is in the queue."""

    PUBLISH = "publish", lazy_text("New for everyone")
    CORRECTION = "correction", lazy_text("Correction")
    DUPLICATE = "duplicate", lazy_text("Possible duplicate")
    CONTRADICTION = "contradiction", lazy_text("These disagree")
    REPORT = "report", lazy_text("Report")
    RETURN = "return", lazy_text("Was forgotten")
    RED_LINE = "red_line", lazy_text("To be protected")
    CAPACITY = "over_capacity", lazy_text("Too many")
    MENTION = "mention", lazy_text("Named somebody erased")
    PERSONAL_DATA = QuarantineGate.PERSONAL_DATA.value, lazy_text("Something personal")
    POISON = QuarantineGate.POISON.value, lazy_text("May steer a robot")


# Two memories of the same readers side by side: both stay, or somebody merges them.
PAIR_CAUSES = (ProposalCause.DUPLICATE, ProposalCause.CONTRADICTION)
# Memories held by a gate.
GATE_CAUSES = (ProposalCause.PERSONAL_DATA, ProposalCause.POISON)
# If approved, it is copied to its target audience; if rejected, it is archived.
PUBLISHING_CAUSES = (ProposalCause.PUBLISH, *GATE_CAUSES)
# A text that has readers by the decision alone.
NEW_TEXT_CAUSES = (*PUBLISHING_CAUSES, ProposalCause.RETURN)


# In an item's details, also after an undo: by which policy it was decided, or that it was merged,
# without anybody deciding it.
BY_POLICY, AUTO_MERGED = "policy", "merged_by_itself"


class ProposalState(models.TextChoices):
    OPEN = "open", lazy_text("Waiting")
    APPROVED = "approved", lazy_text("Approved")
    MERGED = "merged", lazy_text("Merged")
    REJECTED = "rejected", lazy_text("Rejected")
    WITHDRAWN = "withdrawn", lazy_text("Withdrawn")


class Proposal(MemoryPart):
    """An item of the review queue, readable exactly like the memory that it is about.

    memory: the proposed memory (publish, return), or the one that would be changed. other: the
    older one of a pair, or the one into which a proposal was merged. target_audience: who would
    read it. proposed_by, robot: who asks; both are empty if maintenance found it. content: the text
    of a correction. seen_version: the version of the memory, and so the readers, for which it was
    written. outcome: what the decision changed, for undo; after an undo `undone`, the id of the
    copy.

    changes: of a correction that was proposed as a change, by act what was given to it
    (`memories/review/changes.py`); `content` repeats a new text of the memory.

    details: numbers and codes, no text. For too many memories: `tier`, its `capacity`, the `count`,
    how many would be archived (`chosen`) into how many `summaries`; for a block its `label` and id
    instead of the tier, and both numbers in characters. For a held memory `found`: how often each
    kind was found, `spans`: where in the memory's text each kind is, `failed`: whether a detector
    failed. For a text that waits `supersedes`: the ids of what it would replace, `red_line`: that
    it is to be protected.
    """

    cause = models.CharField(max_length=13, choices=ProposalCause.choices)
    state = models.CharField(
        max_length=9, choices=ProposalState.choices, default=ProposalState.OPEN
    )
    other = TenantForeignKey("memories.Memory", null=True)
    target_audience = TenantForeignKey("orgs.Audience", null=True)
    proposed_by = TenantForeignKey("orgs.Member", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)
    content = models.TextField(blank=True, default="")
    seen_version = models.PositiveIntegerField(null=True)
    reason = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()

    assignee = TenantForeignKey("orgs.Member", null=True)
    locked_by = TenantForeignKey("orgs.Member", null=True)
    locked_until = models.DateTimeField(null=True)
    decided_by = TenantForeignKey("orgs.Member", null=True)
    decided_at = models.DateTimeField(null=True)
    decision = models.TextField(blank=True, default="")
    outcome = models.JSONField(default=dict)
    details = models.JSONField(default=dict, db_default={})
    # Whether a text that it is about is another one now; the queue's query alone looks for it.
    text_changed: bool = False
    changes = models.JSONField(default=dict, db_default={})

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "cause", "proposed_by", "robot", "other"],
                condition=models.Q(state="open"),
                name="proposal_open_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=models.Q(cause__in=ProposalCause.values)
                & models.Q(state__in=ProposalState.values),
                name="proposal_words_known",
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "state", "id"], name="proposal_queue"),
            models.Index(fields=["organisation", "memory"], name="proposal_memory"),
            models.Index(
                fields=["organisation", "other"],
                condition=models.Q(other__isnull=False),
                name="proposal_other",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cause} {self.id}"

    @property
    def decided_by_itself(self) -> str:
        """How it was decided without anybody deciding it: BY_POLICY, AUTO_MERGED, or empty."""
        if self.decided_by_id is not None:
            return ""
        if self.state == ProposalState.MERGED and AUTO_MERGED in self.details:
            return AUTO_MERGED
        decided = self.state == ProposalState.APPROVED and BY_POLICY in self.details
        return BY_POLICY if decided else ""
