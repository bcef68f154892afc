"""The canonical memory: one row, one audience."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Cast, Coalesce, JSONObject
from django.utils import timezone

from memories.store.models.choices import (
    PREFERENCE_ALWAYS_ABOVE,
    ArchiveReason,
    Category,
    Kind,
    QuarantineGate,
    Status,
    Tier,
    Type,
)
from memories.store.models.levels import LEVEL, derive_level
from memories.store.models.reader_use import KnownUse
from memories.store.models.sealed import ContentHashField, SealedRow, SealedTextField
from orgs.database.answer_size import first_ids, is_one_of, rows_of, text_columns
from orgs.database.text_match import contains_text
from orgs.expiry import not_expired_q
from orgs.models.audiences import Audience, AudienceType
from orgs.models.base import TenantForeignKey, TenantModel
from orgs.models.organisations import Group
from robots.models.robots import Robot
from robots.registry.personal_robot_privacy import (
    InScope,
    asker_ids,
    is_robot_hidden,
    visible_robot,
)


def subject_q(member_id: UUID | None, path: str = "") -> Q:
    """The condition that a memory is about the member or gives their words: they are its subject.

    path: the look-up that leads to the memory, as `memory__`.
    Without a member it matches nothing; a comparison with nobody would match what has no subject.
    """
    if member_id is None:
        return Q(pk__in=[])
    return Q((f"{path}member_id", member_id)) | Q((f"{path}speaker_member_id", member_id))


# In a memory's `source`: the ids of those that it was made from, as its writer names them, and the
# id of the one that it is a proposition of.
SOURCE_IDS_KEY = "memories"
PROPOSITION_OF = "proposition_of"
MADE_FROM_KEYS = (SOURCE_IDS_KEY, PROPOSITION_OF)
# The columns of a known use, but for its keys, as one value.
_USE_FIELDS = [field for field in KnownUse._meta.fields if not field.is_relation]
_USE_ROW = {field.name: field.name for field in _USE_FIELDS}
_NOT_LOADED = object()
# The tier in which a memory is now, as an expression; as SQL: `store.known_use`.
CURRENT_TIER = Coalesce("use__tier", "first_tier")


class MemoryQuerySet(models.QuerySet["Memory"]):
    def active(self, now: datetime) -> "MemoryQuerySet":
        """Neither waiting for review, archived, forgotten nor expired."""
        return self.filter(not_expired_q(now), status="active")

    def for_people(self) -> "MemoryQuerySet":
        """Without the robots' own notes, which no person reads."""
        return self.exclude(kind="internal")

    def about(self, member_id: UUID) -> "MemoryQuerySet":
        """What a member is the subject, speaker or author of."""
        return self.filter(subject_q(member_id) | Q(author_id=member_id))

    def by_robot(self, robot_id: UUID) -> "MemoryQuerySet":
        """The memories of a robot that the current reader may attribute to it; evaluate inside a
        scope."""
        return self.filter(~Q(is_robot_hidden()), robot_id=robot_id)

    def containing(self, text: str) -> "MemoryQuerySet":
        """Those whose text contains this, in any normal form and letter case."""
        return self.filter(contains_text("content", text))

    def with_words(self, text: str) -> "MemoryQuerySet":
        """The same, for a queryset with few rows."""
        return self.filter(is_one_of(self.order_by().values("id"))).containing(text)

    def newest(self, most: int) -> tuple[list["Memory"], bool]:
        """The newest of them, at most so many and no more than one answer holds, and whether older
        ones follow; by their ids first, two queries.

        In a single query with the joins, the planner expects one row of a rare match and reads
        everything again for each robot.
        """
        ids, more = first_ids(self.order_by("-id"), most, text_columns(Memory))
        return self.those(ids), more

    def those(self, ids: Iterable[UUID]) -> list["Memory"]:
        """The ones of these ids among them, in the order of the ids; one query."""
        return rows_of(self, list(ids))

    def with_names(self) -> "MemoryQuerySet":
        """With the robot, group, member and audience that an answer shows; no further query.

        A memory may have readers outside of its group, and these do not see the group: see
        `Memory.place`.
        """
        theirs = Audience.objects.filter(
            InScope("id"),
            organisation_id=OuterRef("organisation_id"),
            kind=AudienceType.GROUP,
            key=Cast(OuterRef("group_id"), models.TextField()),
        )
        newer = Memory.objects.filter(
            organisation_id=OuterRef("organisation_id"),
            id=OuterRef("superseded_by_id"),
            status=Status.ACTIVE,
        )
        uses = KnownUse.objects.filter(
            organisation_id=OuterRef("organisation_id"), memory_id=OuterRef("id")
        )
        known = self.annotate(
            group_known=Exists(theirs),
            newer_known=models.Subquery(newer.values("id")),
            asked_by=asker_ids(),
            # Looked up by its key: joined, the view is read for all that was ever served.
            use_known=models.Subquery(uses.values(row=JSONObject(**_USE_ROW))),
        )
        return known.select_related(
            "robot",
            "group",
            "member",
            "author",
            "audience",
            "proposed_audience",
            "speaker_member",
            "editor",
            "editor_robot",
            "reworded_by",
            "reworded_by_robot",
            "red_line_by",
        )

    def in_tier(self, tier: str) -> "MemoryQuerySet":
        """Those that are in a tier now: `CURRENT_TIER` so that the index of tiers serves it."""
        return self.filter(Q(use__tier=tier) | Q(use=None, first_tier=tier))

    def of_level(self, level: str) -> "MemoryQuerySet":
        """Those of a level."""
        return self.alias(of_level=LEVEL).filter(of_level=level)


class Memory(SealedRow, TenantModel):
    """What was learnt, by whom, about whom, and who may read it.

    Importance and confidence are in 0-1. `member` is whom it is about or belongs to. Who wrote it
    and whose words it gives are two facts: `robot` and `author` (the person, where one wrote it)
    are set by the server, `speaker` is a name, and a member only where `speaker_member` says so;
    none of them changes. `reworded_by` gave it its present words in the place of who said it.
    The audience changes only by sharing. `position` orders the turns of one conversation.
    `content_hash` covers text, speaker and subject. `sensitive`: the text is kept encrypted, in
    `sealed`, and not indexed. `red_line`: kept as it is, for a reason.
    `archived_for`: the rule that archived it, empty where somebody did. `restored_at`: when it was
    brought back, for what a policy calls its age.
    `held_for`: the gate for which it waits or has waited, before it goes to `proposed_audience`.
    `first_tier`: the one it was written into; `tier` is where it is now (see `store.models.use`).
    `valid_from`, `valid_until`: from and until when it holds, if somebody said or decided that.
    `superseded_by`: the newer memory that holds in its place since `valid_until`; both are kept.
    """

    audience = TenantForeignKey("orgs.Audience")
    status = models.CharField(max_length=14, choices=Status.choices, default=Status.ACTIVE)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    type = models.CharField(max_length=12, choices=Type.choices, default=Type.FACT)
    category = models.CharField(max_length=12, choices=Category.choices, blank=True, default="")
    first_tier = models.CharField(max_length=7, choices=Tier.choices, default=Tier.SLOW)

    content = SealedTextField()
    content_hash = ContentHashField(max_length=32)
    key = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    topic = models.CharField(max_length=300, blank=True, default="")
    tags = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    source = models.JSONField(default=dict, blank=True)

    robot = TenantForeignKey("robots.Robot")
    group = TenantForeignKey("orgs.Group", null=True, blank=True)
    member = TenantForeignKey("orgs.Member", null=True, blank=True)
    author = TenantForeignKey("orgs.Member", null=True, blank=True)
    speaker = models.CharField(max_length=300, blank=True, default="")
    speaker_member = TenantForeignKey("orgs.Member", null=True, blank=True)
    reworded_by = TenantForeignKey("orgs.Member", null=True, blank=True)
    reworded_by_robot = TenantForeignKey("robots.Robot", null=True, blank=True)
    listeners = ArrayField(models.UUIDField(), default=list, blank=True)
    conversation = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    position = models.BigIntegerField()
    deposited_by = models.UUIDField(null=True, blank=True)
    proposed_audience = TenantForeignKey("orgs.Audience", null=True, blank=True)
    held_for = models.CharField(
        max_length=13, choices=QuarantineGate.choices, blank=True, default="", db_default=""
    )

    importance = models.FloatField(default=0.5)
    confidence = models.FloatField(default=1.0)
    sensitive = models.BooleanField(default=False)
    shareable = models.BooleanField(default=False)
    red_line = models.BooleanField(default=False)
    red_line_reason = models.TextField(blank=True, default="")
    red_line_by = TenantForeignKey("orgs.Member", null=True, blank=True)
    red_line_at = models.DateTimeField(null=True, blank=True)

    remember_count = models.PositiveIntegerField(default=1)

    occurred_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    superseded_by = TenantForeignKey("self", null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    archived_for = models.CharField(
        max_length=9, choices=ArchiveReason.choices, blank=True, default="", db_default=""
    )
    restored_at = models.DateTimeField(null=True, blank=True)
    forgotten_at = models.DateTimeField(null=True, blank=True)
    forgotten_by_subject = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    editor = TenantForeignKey("orgs.Member", null=True, blank=True)
    editor_robot = TenantForeignKey("robots.Robot", null=True, blank=True)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "memories"
        constraints = [
            # A deposit may not learn what lies in an audience it cannot read, so each depositor
            # has a space of its own in these.
            models.UniqueConstraint(
                fields=["organisation", "audience", "key", "deposited_by"],
                condition=models.Q(key__isnull=False),
                name="memory_key_once",
                nulls_distinct=False,
            ),
            models.UniqueConstraint(
                fields=[
                    "organisation",
                    "audience",
                    "content_hash",
                    "key",
                    "conversation",
                    "occurred_at",
                    "deposited_by",
                ],
                name="memory_content_once",
                nulls_distinct=False,
            ),
            models.UniqueConstraint(
                fields=["organisation", "id", "audience", "kind"], name="memory_narrow_key"
            ),
            models.CheckConstraint(
                condition=models.Q(kind="group", group__isnull=False, member__isnull=True)
                | models.Q(
                    kind__in=("user", "interaction"), group__isnull=False, member__isnull=False
                )
                | models.Q(kind="direct", group__isnull=True)
                | models.Q(kind__in=("organisation", "internal")),
                name="memory_kind_fits",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=Kind.values)
                & models.Q(type__in=Type.values)
                & models.Q(first_tier__in=Tier.values)
                & models.Q(status__in=Status.values)
                & models.Q(category__in=["", *Category.values])
                & models.Q(held_for__in=["", *QuarantineGate.values]),
                name="memory_words_known",
            ),
            models.CheckConstraint(
                condition=models.Q(importance__range=(0, 1), confidence__range=(0, 1)),
                name="memory_weights_in_range",
            ),
            # Beside a ciphertext no plain text is ever stored.
            models.CheckConstraint(
                condition=models.Q(sealed=None) | models.Q(content="", sensitive=True),
                name="memory_sealed_alone",
            ),
        ]
        indexes = [
            # What a rotation of keys looks through.
            models.Index(
                fields=["organisation", "id"],
                condition=models.Q(sensitive=True),
                name="memory_sensitive",
            ),
            # The lists with their filters read this index alone: a filter that nothing fits has
            # to look at everything that is readable, and so has a count of what is folded.
            models.Index(
                fields=["organisation", "audience", "-id"],
                include=[
                    *("status", "kind", "type", "category", "first_tier"),
                    *("robot", "group", "member", "author", "speaker_member"),
                    *("expires_at", "occurred_at", "created_at"),
                    *("conversation", "importance", "red_line"),
                ],
                name="memory_lines",
            ),
            # What has tags. Without these: a thousand of them fit into no row of an index.
            models.Index(
                fields=["organisation", "audience", "-id"],
                include=["status", "kind", "expires_at"],
                condition=~models.Q(tags=[]),
                name="memory_tagged",
            ),
            models.Index(
                fields=["organisation", "id"],
                condition=models.Q(shareable=True),
                name="memory_shareable",
            ),
            # Preferences that a context holds whatever it is asked.
            models.Index(
                fields=["organisation", "audience", "-importance", "-id"],
                condition=models.Q(
                    category=Category.PREFERENCE, importance__gte=PREFERENCE_ALWAYS_ABOVE
                ),
                name="memory_always_on",
            ),
            # With the id, for turns that came at one moment have one position. With the audience,
            # which is compared in the index: turns around are asked for within one audience, and
            # the planner would rather sort what it takes for few.
            models.Index(
                fields=["organisation", "conversation", "position", "id", "audience"],
                condition=models.Q(conversation__isnull=False),
                name="memory_turns",
            ),
        ]

    def __str__(self) -> str:
        return f"memory {self.id}"

    @property
    def sealed_for(self) -> UUID:
        return self.id

    @property
    def used(self) -> KnownUse:
        """How it is used, as the reader may know it; a fresh one where it never was. Needs
        `with_names`, or asks again."""
        # Once: after `refresh_from_db` it asks again.
        row = self.__dict__.pop("use_known", _NOT_LOADED)
        if row is not _NOT_LOADED:
            facts = {one.name: one.to_python(row[one.name]) for one in _USE_FIELDS} if row else {}
            known = KnownUse(memory=self, **facts) if facts else None
            self._meta.get_field("known_use").set_cached_value(self, known)
        return getattr(self, "known_use", None) or KnownUse(memory=self, tier=self.first_tier)

    @property
    def tier(self) -> str:
        return self.used.tier

    @property
    def access_count(self) -> int:
        return self.used.access_count

    @property
    def last_accessed_at(self) -> datetime | None:
        return self.used.last_accessed_at

    @property
    def level(self) -> str:
        """How far it reaches (`store.models.levels`)."""
        return derive_level(
            kind=self.kind,
            type=self.type,
            group=self.group_id,
            member=self.member_id,
            speaker=self.speaker_member_id,
        )

    @property
    def place(self) -> Group | None:
        """The group, or None if the reader may not know it.

        Needs `with_names`; without it, only memories for the whole group show the group.
        """
        known = getattr(self, "group_known", None)
        if known is None:
            known = self.audience.kind == AudienceType.GROUP
        return self.group if known and self.group_id else None

    def told(self, robot: Robot | None, *, then: str = "") -> Robot | None:
        """The robot, or None if the reader may not know that it took part
        (`personal_robot_privacy`).

        then: the kind of the audience at that time. Needs `with_names`; without it a personal robot
        is never shown on what a profession reads or is proposed to read.
        """
        if robot is None or robot.owner_id is None:
            return robot
        kinds = {self.audience.kind, then}
        if self.proposed_audience_id:
            kinds.add(self.proposed_audience.kind)
        return visible_robot(robot, kinds, getattr(self, "asked_by", None) or ())

    @property
    def teller(self) -> Robot | None:
        """The robot that wrote it, by the rule of `told`."""
        return self.told(self.robot)

    @property
    def holds_since(self) -> datetime:
        """From when it holds, as far as it is known: as somebody said, else since it was said."""
        return self.valid_from or self.occurred_at or self.created_at

    @property
    def holds_now(self) -> UUID | None:
        """The id of the newer memory, or None if the reader may not read it. Needs `with_names`."""
        return getattr(self, "newer_known", None)

    @property
    def open_conversation(self) -> str | None:
        """The conversation, by the rule of `place`: its name often contains the group's."""
        return self.conversation if self.place or not self.group_id else None

    @property
    def open_source(self) -> dict[str, Any]:
        """The source without the ids of other memories, which others may read: they tell that there
        is something, and when it was written. Its lineage has those that the asker reads."""
        return {name: one for name, one in self.source.items() if name not in MADE_FROM_KEYS}
