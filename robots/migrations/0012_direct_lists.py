"""The lists of direct conversations name their robot as one that reads only for their member."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0010_direct_lists'),
        ('robots', '0008_last_failure'),
    ]

    operations = [run_sql_file('robots', 'direct_lists_v1')]
