"""Row-level security, policies, references and rights; the partitioned projection."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_tables"), ("orgs", "0002_protection"), ("robots", "0002_protection")]

    operations = [run_sql_file("memories", "partitions_v1"), run_sql_file("memories", "protection_v1"), run_sql_file("memories", "observation_v1")]
