"""What a robot's call last failed with."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('robots', '0007_personal_robot'),
    ]

    operations = [
        migrations.AddField(
            model_name='robot',
            name='failed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='robot',
            name='failure',
            field=models.CharField(blank=True, db_default='', default='', max_length=40),
        ),
        migrations.AddField(
            model_name='robot',
            name='failed_call',
            field=models.CharField(blank=True, db_default='', default='', max_length=120),
        ),
    ]
