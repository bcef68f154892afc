"""Parts that nothing refers to need no key by organisation beside their own: an index less a row."""

from django.db import migrations

TABLES = (
    "memories_contribution",
    "memories_edge",
    "memories_embedding",
    "memories_entity",
    "memories_pending",
    "memories_pendingrestatement",
    "memories_restatement",
    "memories_text",
)


class Migration(migrations.Migration):
    dependencies = [("memories", "0027_memory_listed")]

    operations = [
        migrations.RunSQL(
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_tenant",
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_tenant UNIQUE (organisation_id, id)",
        )
        for table in TABLES
    ]
