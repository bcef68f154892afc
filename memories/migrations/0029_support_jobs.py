"""Support reads why work stopped and who asked for it, and nothing of what it is about."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0028_words_of_large_scopes'),
    ]

    operations = [
        run_sql_file('memories', 'support_jobs_v1'),
    ]
