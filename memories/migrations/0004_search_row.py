"""One narrow row a memory for search; the searched vector moves into it."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("memories", "0003_functions")]

    operations = [
        run_sql_file("memories", "search_row_v1"),
        migrations.RemoveIndex(model_name="embedding", name="embedding_scan"),
        migrations.RemoveField(model_name="embedding", name="embedding"),
    ]
