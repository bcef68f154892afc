"""Row-level security, policies, references and rights."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("robots", "0001_tables"), ("orgs", "0002_protection")]

    operations = [run_sql_file("robots", "protection_v1")]
