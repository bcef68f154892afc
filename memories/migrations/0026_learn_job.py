"""A daily job about what personas learned, and the rule by which it archives."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0025_gate'),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('change', 'Change'), ('import', 'Import'), ('export', 'Export'), ('consolidate', 'Consolidate'), ('age', 'Age'), ('retain', 'Retain'), ('summarise', 'Summarise'), ('erase', 'Erase'), ('learn', 'Learn')], max_length=11),
        ),
        migrations.AlterField(
            model_name='memory',
            name='archived_for',
            field=models.CharField(blank=True, choices=[('age', 'Age'), ('half_life', 'Half Life'), ('number', 'Number'), ('stale', 'Stale')], db_default='', default='', max_length=9),
        ),
    ]
