"""Words of a text by its own language, with plain letters."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0051_vector'),
    ]

    operations = [
        run_sql_file('memories', 'index_words_v1'),
    ]
