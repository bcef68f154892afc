"""Who wrote a protected text reaches it by its id."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0039_group_policy_untaught'),
    ]

    operations = [run_sql_file('memories', 'written_protected_v1')]
