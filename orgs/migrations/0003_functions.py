"""The audit trail stays as it is."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("orgs", "0002_protection")]

    operations = [run_sql_file("orgs", "audit_stays_v1")]
