"""A line of the log says whether its memory was served as what does not answer."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0054_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='operation',
            name='folded',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
