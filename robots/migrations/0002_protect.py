"""Row-level security, policies and composite constraints of the robots' tables."""

from django.db import migrations

from orgs.database.protect import Protect

ORGANISATION = ("orgs_organisation", "CASCADE")


class Migration(migrations.Migration):
    dependencies = [("robots", "0001_initial"), ("orgs", "0002_protect")]

    operations = [
        Protect(
            "robots_robot",
            references={"organisation_id": ORGANISATION, "owner_id": ("orgs_member", "SET NULL")},
            support=(
                "id",
                "organisation_id",
                "name",
                "builtin",
                "created_at",
                "last_active_at",
                "retired_at",
            ),
        ),
        Protect(
            "robots_robotgroup",
            references={
                "organisation_id": ORGANISATION,
                "robot_id": ("robots_robot", "CASCADE"),
                "group_id": ("orgs_group", "CASCADE"),
            },
        ),
        Protect(
            "robots_key",
            references={
                "organisation_id": ORGANISATION,
                "robot_id": ("robots_robot", "CASCADE"),
                "created_by_id": ("orgs_member", "SET NULL"),
            },
            support=(
                "id",
                "organisation_id",
                "robot_id",
                "prefix",
                "scopes",
                "label",
                "created_at",
                "expires_at",
                "revoked_at",
                "last_used_at",
            ),
        ),
        Protect(
            "robots_delegation",
            references={
                "organisation_id": ORGANISATION,
                "member_id": ("orgs_member", "CASCADE"),
                "robot_id": ("robots_robot", "CASCADE"),
            },
        ),
    ]
