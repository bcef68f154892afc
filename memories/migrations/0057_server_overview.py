"""What whoever runs the server sees of its organisations: counts, and no text of theirs."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0056_reembed_job'),
        ('orgs', '0021_suspension'),
        ('robots', '0017_key_limits'),
    ]

    operations = [
        run_sql_file('memories', 'server_overview_v1'),
        run_sql_file('memories', 'never_teaches_v4'),
    ]
