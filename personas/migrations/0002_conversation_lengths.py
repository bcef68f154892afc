"""Lengths of conversations by persona, counted where nobody is told of fewer than three members."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('personas', '0001_personas'),
        ('memories', '0026_learn_job'),
        ('robots', '0007_personal_robot'),
    ]

    operations = [run_sql_file('personas', 'conversation_lengths_v1')]
