"""A correction may change more than the text: by act what was given to it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0036_answers_of_erased'),
    ]

    operations = [
        migrations.AddField(
            model_name='proposal',
            name='changes',
            field=models.JSONField(db_default={}, default=dict),
        ),
    ]
