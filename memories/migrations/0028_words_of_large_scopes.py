"""The words of large scopes are looked up in what rows say themselves."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0027_answered'),
    ]

    operations = [run_sql_file("memories", "search_words_v2")]
