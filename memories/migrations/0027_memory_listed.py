"""Lists read their filters from one index; it takes the place of the one that had none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0026_words_unpacked")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                fields=["organisation", "audience", "-id"],
                include=[
                    "status",
                    "kind",
                    "type",
                    "category",
                    "tier",
                    "robot",
                    "group",
                    "member",
                    "author",
                    "speaker_member",
                    "expires_at",
                    "occurred_at",
                    "created_at",
                ],
                name="memory_listed",
            ),
        ),
        migrations.RemoveIndex(model_name="memory", name="memory_recent"),
    ]
