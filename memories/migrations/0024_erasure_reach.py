"""An erasure reaches debates and what robots said about accounts."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0023_sensitive'),
        ('robots', '0006_personality'),
    ]

    operations = [run_sql_file('memories', 'erasure_reach_v1')]
