"""What may leave its group is found without reading the rest."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("memories", "0019_partitions")]

    operations = [
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                condition=models.Q(("shareable", True)),
                fields=["organisation", "id"],
                name="memory_shareable",
            ),
        ),
    ]
