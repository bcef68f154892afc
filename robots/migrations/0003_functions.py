"""Who said a message stays as it is."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("robots", "0002_protection")]

    operations = [run_sql_file("robots", "message_writer_v1")]
