"""Functions of search and the triggers of a memory."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_protection")]

    operations = [run_sql_file("memories", "search_words_v1"), run_sql_file("memories", "search_deposited_v1"), run_sql_file("memories", "memory_writer_v1"), run_sql_file("memories", "memory_number_v1"), run_sql_file("memories", "memory_history_v1")]
