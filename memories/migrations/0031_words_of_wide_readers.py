"""Whoever reads much through many audiences no longer searches the words once for each."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0030_lines_of_lists'),
    ]

    operations = [run_sql_file("memories", "search_words_v3")]
