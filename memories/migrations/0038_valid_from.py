"""From when a memory holds."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0037_proposed_changes'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='valid_from',
            field=models.DateTimeField(blank=True, null=True),
        ),
        run_sql_file('memories', 'valid_from_v1'),
    ]
