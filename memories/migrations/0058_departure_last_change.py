"""A departure from the feed of changes says when the memory changed last before."""

from django.db import migrations, models

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0057_server_overview'),
    ]

    operations = [
        migrations.AddField('departure', 'last_change', models.BigIntegerField(db_default=0, default=0)),
        run_sql_file('memories', 'change_v2'),
    ]
