"""Chainable words for sets of memories. Row-level security has restricted them already."""

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from memories.models import Memory  # noqa: F401 - named in the string below


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

    def with_names(self) -> "MemoryQuerySet":
        """With what an answer shows of robot, group, member and audience; no further query."""
        return self.select_related(
            "robot",
            "group",
            "member",
            "author",
            "audience",
            "speaker_member",
            "editor",
            "editor_robot",
        )
