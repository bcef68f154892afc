"""Chainable words for sets of memories. Row-level security has restricted them already."""

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import models
from django.db.models import Exists, Func, OuterRef, Q
from django.db.models.functions import Cast

from orgs.models import Audience, AudienceKind

if TYPE_CHECKING:
    from memories.models import Memory


class _InScope(Func):
    """Whether the transaction's scope reads the audience of this id."""

    template = (
        "%(expressions)s = ANY ((SELECT NULLIF(current_setting('app.audiences', true), '')"
        "::uuid[])::uuid[])"
    )
    output_field = models.BooleanField()


class MemoryQuerySet(models.QuerySet["Memory"]):
    def active(self, now: datetime) -> "MemoryQuerySet":
        """Neither waiting for review, archived, forgotten nor expired."""
        return self.filter(status="active").filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now)
        )

    def for_people(self) -> "MemoryQuerySet":
        """Without the robots' own notes, which no person reads."""
        return self.exclude(kind="internal")

    def about(self, member_id: UUID) -> "MemoryQuerySet":
        """What a member is the subject, speaker or author of."""
        who = Q(member_id=member_id) | Q(speaker_member_id=member_id) | Q(author_id=member_id)
        return self.filter(who)

    def newest(self, most: int) -> list["Memory"]:
        """The newest of them, by their ids first; two queries.

        Joined to their names at once, the planner, which expects one row of a rare match, reads
        everything again for each robot.
        """
        ids = list(self.order_by("-id").values_list("id", flat=True)[:most])
        known = self.in_bulk(ids) if ids else {}
        return [known[id_] for id_ in ids if id_ in known]

    def with_names(self) -> "MemoryQuerySet":
        """With what an answer shows of robot, group, member and audience; no further query.

        A memory may have readers who are not in its group, and these do not learn of the group: see
        `Memory.place`.
        """
        theirs = Audience.objects.filter(
            _InScope("id"),
            organisation_id=OuterRef("organisation_id"),
            kind=AudienceKind.GROUP,
            key=Cast(OuterRef("group_id"), models.TextField()),
        )
        return self.annotate(group_known=Exists(theirs)).select_related(
            "robot",
            "group",
            "member",
            "author",
            "audience",
            "speaker_member",
            "editor",
            "editor_robot",
            "reworded_by",
            "reworded_by_robot",
            "red_line_by",
        )
