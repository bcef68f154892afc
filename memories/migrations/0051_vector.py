"""Searched vectors of a second model stand beside the narrow rows."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0049_dropped_jobs_untaught'),
        ('orgs', '0018_encoder_choice'),
    ]

    operations = [
        run_sql_file('memories', 'vector_v1'),
    ]
