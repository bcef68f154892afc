"""Turns around a turn are found in one index, and a memory's use by its key whatever is known of it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0031_words_of_wide_readers'),
        ('orgs', '0005_audit_filters'),
        ('robots', '0008_last_failure'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_turn_order',
        ),
        migrations.RemoveIndex(
            model_name='use',
            name='use_tier',
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('conversation__isnull', False)), fields=['organisation', 'conversation', 'position', 'id', 'audience'], name='memory_turns'),
        ),
        migrations.AddIndex(
            model_name='use',
            index=models.Index(fields=['tier', 'organisation'], name='use_of_tier'),
        ),
    ]
