"""Restatements are readable like the memory that they stand beside, and follow it."""

from django.db import migrations

from orgs.database.protect import Protect

FOLLOWS = """
ALTER TABLE memories_restatement ADD CONSTRAINT memories_restatement_memory_fk
    FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
    REFERENCES memories_memory (organisation_id, id, audience_id, kind)
    ON UPDATE CASCADE ON DELETE CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0016_restatements")]

    operations = [
        Protect(
            "memories_restatement",
            by="audience",
            references={
                "organisation_id": ("orgs_organisation", "CASCADE"),
                "audience_id": ("orgs_audience", "NO ACTION"),
            },
            worker=True,
        ),
        migrations.RunSQL(FOLLOWS, migrations.RunSQL.noop),
    ]
