"""Deleting a member, a group, an audience or a message finds by an index who names it."""

from django.db import migrations

from orgs.database.protect import back

NAMING = (
    ("robots_conversation", "group_id"),
    ("robots_conversation", "member_id"),
    ("robots_delegation", "member_id"),
    ("robots_key", "created_by_id"),
    ("robots_message", "audience_id"),
    ("robots_message", "author_id"),
    ("robots_message", "reply_to_id"),
    ("robots_robot", "owner_id"),
    ("robots_robotgroup", "group_id"),
)


class Migration(migrations.Migration):
    dependencies = [("robots", "0008_names"), ("orgs", "0012_removed")]

    operations = [
        migrations.RunSQL(back(table, column), f"DROP INDEX {table}_{column}_back")
        for table, column in NAMING
    ]
