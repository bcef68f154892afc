"""A robot has a personality: how it speaks and behaves."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('robots', '0005_teams'),
    ]

    operations = [
        migrations.AddField(
            model_name='robot',
            name='personality',
            field=models.TextField(blank=True, default=''),
        ),
    ]
