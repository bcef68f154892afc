"""Long texts have a vector for each part."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0052_index_words'),
        ('orgs', '0020_has_parts'),
    ]

    operations = [
        run_sql_file('memories', 'vector_parts_v1'),
    ]
