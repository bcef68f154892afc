"""The audit trail stays as it is."""

from django.db import migrations

from orgs.database.sql_files import run


class Migration(migrations.Migration):
    dependencies = [("orgs", "0002_protection")]

    operations = [run("orgs", "audit_stays_v1")]
