"""Preferences that are always at hand are found by an index."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0016_tags'),
        ('orgs', '0003_functions'),
        ('robots', '0004_working_memory_tokens'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('category', 'preference'), ('importance__gte', 0.8)), fields=['organisation', 'audience', '-importance', '-id'], name='memory_always_on'),
        ),
    ]
