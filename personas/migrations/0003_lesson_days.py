"""What is suggested of a lesson, who has which persona, and personal robots keep days."""

from django.db import migrations

from orgs.database.sql_files import run_sql_file


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0035_lesson_days'),
        ('personas', '0002_conversation_lengths'),
    ]

    operations = [run_sql_file('personas', 'lesson_days_v1')]
