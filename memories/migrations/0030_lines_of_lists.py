"""A list is counted in lines out of one index; what has tags has an index of its own."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0029_support_jobs'),
        ('orgs', '0005_audit_filters'),
        ('robots', '0008_last_failure'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_listed',
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['organisation', 'audience', '-id'], include=('status', 'kind', 'type', 'category', 'first_tier', 'robot', 'group', 'member', 'author', 'speaker_member', 'expires_at', 'occurred_at', 'created_at', 'conversation', 'importance', 'red_line'), name='memory_lines'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('tags', []), _negated=True), fields=['organisation', 'audience', '-id'], include=('status', 'kind', 'expires_at'), name='memory_tagged'),
        ),
    ]
