"""Robots and keys for support staff: never a digest, a purpose or metadata."""

from django.contrib import admin

from orgs.support.admin import SupportAdmin
from robots.models.keys import Key
from robots.models.robots import Robot


@admin.register(Robot)
class RobotAdmin(SupportAdmin):
    columns = ("id", "name", "builtin", "created_at", "last_active_at", "retired_at")


@admin.register(Key)
class KeyAdmin(SupportAdmin):
    columns = (
        "id",
        "prefix",
        "robot_id",
        "label",
        "scopes",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    )
