"""An entry of an account goes with the memory that was made of it."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0065_account_kinds'),
    ]

    operations = [
        run_sql_file('memories', 'account_memories_v2'),
    ]
