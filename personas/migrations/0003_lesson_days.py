"""What is suggested of a lesson, who has which persona, and personal robots keep days."""

from django.db import migrations

from orgs.database.sql_files import run


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0035_lesson_days'),
        ('personas', '0002_conversation_lengths'),
    ]

    operations = [run('personas', 'lesson_days_v1')]
