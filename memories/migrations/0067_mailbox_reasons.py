"""A mailbox that is fetched has reasons of its own for a pause."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0066_entries_go_with_memories'),
    ]

    operations = [
        migrations.AlterField(
            model_name='account',
            name='paused_for',
            field=models.CharField(blank=True, choices=[('asked', 'Asked'), ('secret', 'Secret'), ('address', 'Address'), ('timeout', 'Timeout'), ('unreachable', 'Unreachable'), ('redirect', 'Redirect'), ('refused', 'Refused'), ('too-large', 'Too Large'), ('encoded', 'Encoded'), ('unreadable', 'Unreadable'), ('credentials', 'Credentials'), ('folder', 'Folder'), ('unencrypted', 'Unencrypted')], db_default='', default='', max_length=11),
        ),
    ]
