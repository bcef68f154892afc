"""That a dead job was dropped can never concern what is taught."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0048_robot_jobs'),
    ]

    operations = [run_sql_file('memories', 'never_teaches_v3')]
