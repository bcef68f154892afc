"""Row-level security of conversations and messages: a message may be for fewer than its chat."""

from django.db import migrations

from orgs.database.protect import Protect

PLACES = {
    "organisation_id": ("orgs_organisation", "CASCADE"),
    "audience_id": ("orgs_audience", "NO ACTION"),
    "robot_id": ("robots_robot", "NO ACTION"),
}


class Migration(migrations.Migration):
    dependencies = [("robots", "0003_conversations")]

    operations = [
        Protect(
            "robots_conversation",
            by="audience",
            references={
                **PLACES,
                "group_id": ("orgs_group", "NO ACTION"),
                "member_id": ("orgs_member", "NO ACTION"),
            },
            support=("id", "organisation_id", "group_id", "created_at"),
        ),
        Protect(
            "robots_message",
            by="audience",
            references={
                **PLACES,
                "conversation_id": ("robots_conversation", "CASCADE"),
                "author_id": ("orgs_member", "NO ACTION"),
                "speaker_member_id": ("orgs_member", "NO ACTION"),
                "reply_to_id": ("robots_message", "SET NULL"),
            },
        ),
    ]
