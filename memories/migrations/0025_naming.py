"""Deleting a member, a group or an audience finds by an index who names it.

Where a part of a memory named its audience twice, once by itself and once by the key that it
shares with its memory, one is enough: the memory's audience is an audience.
"""

from django.db import migrations

from orgs.database.protect import back

NAMING = (
    ("memories_memory", "member_id"),
    ("memories_memory", "author_id"),
    ("memories_memory", "speaker_member_id"),
    ("memories_memory", "editor_id"),
    ("memories_memory", "group_id"),
    ("memories_memory", "proposed_audience_id"),
    ("memories_contribution", "member_id"),
    ("memories_text", "group_id"),
    ("memories_embedding", "group_id"),
    ("memories_partition", "group_id"),
    ("memories_entity", "member_id"),
    ("memories_disclosure", "memory_id"),
    ("memories_job", "audience_id"),
    ("memories_job", "member_id"),
    ("memories_proposal", "target_audience_id"),
    ("memories_proposal", "proposed_by_id"),
    ("memories_proposal", "assignee_id"),
    ("memories_proposal", "locked_by_id"),
    ("memories_proposal", "decided_by_id"),
    ("memories_recall", "audience_id"),
    ("memories_recall", "group_id"),
    ("memories_recall", "member_id"),
    ("memories_savedview", "audience_id"),
    ("memories_version", "audience_then_id"),
    ("memories_version", "group_then_id"),
    ("memories_version", "editor_id"),
)
TWICE = (
    ("memories_contribution", "audience_id"),
    ("memories_derivation", "audience_id"),
    ("memories_derivation", "source_audience_id"),
    ("memories_embedding", "audience_id"),
    ("memories_pending", "audience_id"),
    ("memories_pendingrestatement", "audience_id"),
    ("memories_proposal", "audience_id"),
    ("memories_restatement", "audience_id"),
    ("memories_text", "audience_id"),
    ("memories_version", "audience_id"),
)


class Migration(migrations.Migration):
    dependencies = [("memories", "0024_names"), ("orgs", "0012_removed")]

    operations = [
        *(
            migrations.RunSQL(back(table, column), f"DROP INDEX {table}_{column}_back")
            for table, column in NAMING
        ),
        *(
            migrations.RunSQL(
                f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_fk",
                f"ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_fk "
                f"FOREIGN KEY (organisation_id, {column}) "
                "REFERENCES orgs_audience (organisation_id, id)",
            )
            for table, column in TWICE
        ),
    ]
