"""Robots are counted against the quota."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('robots', '0014_oauth'),
        ('orgs', '0016_quotas'),
    ]

    operations = [
        run_sql_file('robots', 'quota_v1'),
    ]
