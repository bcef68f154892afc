"""What a model was shown, so that its answer goes when one of these texts goes."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0028_fewer_indexes")]

    operations = [
        migrations.AddField(
            model_name="restatement",
            name="shown",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.UUIDField(), default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="restatement",
            index=models.Index(
                condition=models.Q(("source", "llm")),
                fields=["organisation", "audience"],
                name="restatement_by_llm",
            ),
        ),
    ]
