"""Jobs take turns: where one goes on, and since when it waits."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0030_authorship")]

    operations = [
        migrations.AddField("job", "place", models.JSONField(default=dict)),
        migrations.AddField("job", "queued_at", models.DateTimeField(null=True)),
        # Rows of before wait since they were made.
        migrations.RunSQL(
            "UPDATE memories_job SET queued_at = created_at", migrations.RunSQL.noop
        ),
        migrations.AlterField("job", "queued_at", models.DateTimeField()),
        migrations.RemoveIndex("job", "job_queue"),
        migrations.AddIndex(
            "job",
            models.Index(fields=["organisation", "state", "queued_at"], name="job_turns"),
        ),
    ]
