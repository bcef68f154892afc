"""Row-level security, policies, references and rights; the partitioned projection."""

from django.db import migrations

from orgs.database.sql_files import run


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_tables"), ("orgs", "0002_protection"), ("robots", "0002_protection")]

    operations = [run("memories", "partitions_v1"), run("memories", "protection_v1"), run("memories", "observation_v1")]
