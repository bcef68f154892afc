"""The models' names as support staff read them; nothing in the database changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memories", "0023_graph_by_audience")]

    operations = [
        migrations.AlterModelOptions(
            name="pending",
            options={"verbose_name": "pending embedding"},
        ),
    ]
