"""What a profession reads keeps days, and no entry of the trail tells who taught it."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0034_uses_of_each_reader'),
        ('robots', '0008_last_failure'),
    ]

    operations = [run_sql_file('memories', 'lesson_days_v1'), run_sql_file('memories', 'untold_entries_v1')]
