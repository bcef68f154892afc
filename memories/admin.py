"""Memories for support staff: when, who, which kind and state; never what they say."""

from django.contrib import admin

from memories.indexing.models import Pending
from memories.retrieval.models import Recall
from memories.store.models.contribution import Contribution
from memories.store.models.memory import Memory
from orgs.support.admin import SupportAdmin


@admin.register(Memory)
class MemoryAdmin(SupportAdmin):
    columns = (
        "id",
        "status",
        "kind",
        "type",
        "category",
        "first_tier",
        "robot_id",
        "group_id",
        "member_id",
        "importance",
        "remember_count",
        "created_at",
        "updated_at",
        "version",
    )
    listed = ("id", "status", "kind", "type", "category", "first_tier", "created_at", "updated_at")
    list_filter = ("status", "kind", "type", "first_tier")


@admin.register(Contribution)
class ContributionAdmin(SupportAdmin):
    columns = ("id", "memory_id", "robot_id", "first_at", "last_at", "count")


@admin.register(Pending)
class PendingAdmin(SupportAdmin):
    columns = ("id", "memory_id", "state", "attempts", "reason", "created_at")
    list_filter = ("state",)


@admin.register(Recall)
class RecallAdmin(SupportAdmin):
    columns = ("id", "robot_id", "strategy", "took_ms", "created_at")
    list_filter = ("strategy",)
