"""What a model is still to be asked about: readable like the memory, worked on by the worker."""

from django.db import migrations

from orgs.database.protect import Protect

FOLLOWS = """
ALTER TABLE memories_pendingrestatement ADD CONSTRAINT memories_pendingrestatement_memory_fk
    FOREIGN KEY (organisation_id, memory_id, audience_id, kind)
    REFERENCES memories_memory (organisation_id, id, audience_id, kind)
    ON UPDATE CASCADE ON DELETE CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0021_pending_restatements"),
        ("orgs", "0010_worker_knows_wishes"),
    ]

    operations = [
        Protect(
            "memories_pendingrestatement",
            by="audience",
            references={
                "organisation_id": ("orgs_organisation", "CASCADE"),
                "audience_id": ("orgs_audience", "NO ACTION"),
            },
            worker=True,
            support=("id", "organisation_id", "memory_id", "state", "attempts", "created_at"),
        ),
        migrations.RunSQL(FOLLOWS, migrations.RunSQL.noop),
    ]
