"""Functions of search and the triggers of a memory."""

from django.db import migrations

from orgs.database.sql_files import run


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_protection")]

    operations = [run("memories", "search_words_v1"), run("memories", "search_deposited_v1"), run("memories", "memory_writer_v1"), run("memories", "memory_number_v1"), run("memories", "memory_history_v1")]
