"""What an organisation keeps is not counted for rows that go with others."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('orgs', '0032_account_copies'),
    ]

    operations = [
        run_sql_file('orgs', 'usage_of_cascades_v1'),
    ]
