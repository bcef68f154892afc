"""The words of large scopes are looked up in what rows say themselves."""

from django.db import migrations

from orgs.database.sql_files import run


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0026_learn_job'),
    ]

    operations = [run("memories", "search_words_v2")]
