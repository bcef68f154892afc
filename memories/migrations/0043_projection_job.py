"""A job that fills an index layout or deletes its rows."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0042_account_memories'),
    ]

    operations = [
        migrations.AlterField(
            model_name='job',
            name='kind',
            field=models.CharField(choices=[('change', 'Change'), ('import', 'Import'), ('export', 'Export'), ('consolidate', 'Consolidate'), ('age', 'Age'), ('retain', 'Retain'), ('summarise', 'Summarise'), ('erase', 'Erase'), ('learn', 'Learn'), ('accounts', 'Remember accounts'), ('project', 'Project')], max_length=11),
        ),
    ]
