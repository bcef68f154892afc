"""Which rule archived a memory, and when somebody brought it back."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0009_organisation_jobs'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='archived_for',
            field=models.CharField(blank=True, choices=[('age', 'Age'), ('half_life', 'Half Life'), ('number', 'Number')], db_default='', default='', max_length=9),
        ),
        migrations.AddField(
            model_name='memory',
            name='restored_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
