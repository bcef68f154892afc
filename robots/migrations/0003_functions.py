"""Who said a message stays as it is."""

from django.db import migrations

from orgs.database.sql_files import run


class Migration(migrations.Migration):
    dependencies = [("robots", "0002_protection")]

    operations = [run("robots", "message_writer_v1")]
