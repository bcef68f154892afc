"""A robot may have a budget of its own for its working memory."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('robots', '0003_functions'),
    ]

    operations = [
        migrations.AddField(
            model_name='robot',
            name='working_memory_tokens',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
