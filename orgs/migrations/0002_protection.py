"""Row-level security, policies, references and rights."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("orgs", "0001_tables")]

    operations = [run_sql_file("orgs", "protection_v1")]
