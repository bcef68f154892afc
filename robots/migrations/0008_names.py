"""The models' names as support staff read them; nothing in the database changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("robots", "0007_withdrawn_messages")]

    operations = [
        migrations.AlterModelOptions(
            name="robotgroup",
            options={"verbose_name": "robot in a group", "verbose_name_plural": "robots in groups"},
        ),
    ]
