"""A member may ask for a file of what they read."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0013_model_answer'),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('change', 'Change'), ('import', 'Import'), ('export', 'Export'), ('consolidate', 'Consolidate'), ('age', 'Age'), ('retain', 'Retain'), ('summarise', 'Summarise')], max_length=11),
        ),
    ]
