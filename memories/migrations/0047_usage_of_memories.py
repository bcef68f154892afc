"""Memories are counted as what their organisation keeps."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0043_projection_job'),
        ('orgs', '0016_quotas'),
    ]

    operations = [
        run_sql_file('memories', 'usage_of_memories_v1'),
    ]
