"""A job that fills the second embedding model of an organisation."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0055_folded_operations'),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('change', 'Change'), ('import', 'Import'), ('export', 'Export'), ('consolidate', 'Consolidate'), ('age', 'Age'), ('retain', 'Retain'), ('summarise', 'Summarise'), ('erase', 'Erase'), ('learn', 'Learn'), ('accounts', 'Remember accounts'), ('project', 'Project'), ('re-embed', 'Re-embed')], max_length=11),
        ),
    ]
