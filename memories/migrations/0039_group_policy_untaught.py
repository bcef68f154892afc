"""What a group decides by itself says of nobody that they taught something."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0038_valid_from'),
    ]

    operations = [run_sql_file('memories', 'never_teaches_v2')]
