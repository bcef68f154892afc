"""The index of uses by tier has the memory too, so that no look-up of one use reads them all."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0032_turns_and_uses'),
        ('orgs', '0006_support'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='use',
            name='use_of_tier',
        ),
        migrations.AddIndex(
            model_name='use',
            index=models.Index(fields=['tier', 'organisation', 'memory'], name='use_of_tier_and_key'),
        ),
    ]
